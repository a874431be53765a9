// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/fair_flows.h"

#include <algorithm>
#include <limits>

namespace gatherbench::cost {

FairFlows::FairFlows(std::size_t links, double bandwidth) : bandwidth_(bandwidth), links_(links) {}

std::size_t FairFlows::begin(std::span<const int> links, double amount, double now) {
  std::size_t flow = flows_.size();
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    flow = free_.back();
    free_.pop_back();
  }
  Flow& one = flows_[flow];
  one.links.assign(links.begin(), links.end());
  one.left = amount;
  one.rate = 0;
  one.since = now;
  for (const int link : links) links_[static_cast<std::size_t>(link)].flows.push_back(flow);
  if (links.empty()) {
    alone_.push_back(flow);
  } else {
    changed_.push_back(links.front());
  }
  return flow;
}

void FairFlows::end(std::size_t flow) {
  Flow& one = flows_[flow];
  for (const int link : one.links) {
    std::vector<std::size_t>& there = links_[static_cast<std::size_t>(link)].flows;
    *std::ranges::find(there, flow) = there.back();
    there.pop_back();
    changed_.push_back(link);
  }
  ++one.version;
  free_.push_back(flow);
}

/// Finds the flows that are joined by links to those that changed, and what is left of them now.
void FairFlows::find_component(double now) {
  found_links_.clear();
  found_flows_.clear();
  const auto find_link = [&](int link) {
    Link& one = links_[static_cast<std::size_t>(link)];
    if (one.is_found) return;
    one.is_found = true;
    found_links_.push_back(link);
  };
  for (const int link : changed_) find_link(link);
  changed_.clear();
  for (std::size_t i = 0; i < found_links_.size(); ++i) {  // grows meanwhile
    Link& link = links_[static_cast<std::size_t>(found_links_[i])];
    link.left = bandwidth_ * link.speed;
    link.open = link.flows.size();
    for (const std::size_t flow : link.flows) {
      Flow& one = flows_[flow];
      if (one.is_found) continue;
      one.is_found = true;
      one.left = std::max(0.0, one.left - one.rate * (now - one.since));
      one.since = now;
      found_flows_.push_back(flow);
      for (const int each : one.links) find_link(each);
    }
  }
  rates_before_.clear();
  for (const std::size_t flow : found_flows_) rates_before_.push_back(flows_[flow].rate);
}

/// Sets rates by progressive filling: the links where flows get least give them that, and are full.
void FairFlows::fill() {
  constexpr double rounding = 1 + 1e-12;  // shares that are equal but for it are one
  for (std::size_t unset = found_flows_.size(); unset > 0;) {
    double least = std::numeric_limits<double>::infinity();
    for (const int link : found_links_) {
      const Link& one = links_[static_cast<std::size_t>(link)];
      if (one.open > 0) least = std::min(least, one.left / static_cast<double>(one.open));
    }
    for (const int link : found_links_) {
      const Link& full = links_[static_cast<std::size_t>(link)];
      if (full.open == 0 || full.left / static_cast<double>(full.open) > least * rounding) continue;
      for (const std::size_t flow : full.flows) {
        Flow& one = flows_[flow];
        if (one.is_set) continue;
        one.is_set = true;
        one.rate = least;
        --unset;
        for (const int each : one.links) {
          Link& passed = links_[static_cast<std::size_t>(each)];
          passed.left = std::max(0.0, passed.left - least);
          --passed.open;
        }
      }
    }
  }
}

const std::vector<FairFlows::End>& FairFlows::share(double now) {
  ends_.clear();
  const auto add_end = [&](std::size_t flow) {
    Flow& one = flows_[flow];
    ends_.push_back({flow, ++one.version, now + one.left / one.rate});
  };
  for (const std::size_t flow : alone_) {
    flows_[flow].rate = bandwidth_;
    add_end(flow);
  }
  alone_.clear();
  find_component(now);
  fill();
  for (std::size_t i = 0; i < found_flows_.size(); ++i) {
    Flow& one = flows_[found_flows_[i]];
    one.is_found = one.is_set = false;
    if (one.rate != rates_before_[i]) add_end(found_flows_[i]);
  }
  for (const int link : found_links_) links_[static_cast<std::size_t>(link)].is_found = false;
  return ends_;
}

}  // namespace gatherbench::cost
