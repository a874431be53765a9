// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gatherbench::cost {

/// Flows over links that they share by max-min fairness: each has as much as it can get without
/// taking from one that has no more than it (Bertsekas and Gallager 1992, 6.5.2). Pure arithmetic;
/// the caller has the clock, and asks for new rates when flows have begun or ended.
class FairFlows {
 public:
  /// Makes links 0 to `links` - 1, each of this bandwidth unless set_speed() says otherwise. The
  /// bandwidth is an amount a unit of time, more than 0.
  FairFlows(std::size_t links, double bandwidth);
  /// Gives this link the bandwidth times `multiple`, which is more than 0. Call it before the first
  /// flow.
  void set_speed(int link, double multiple) {
    links_[static_cast<std::size_t>(link)].speed = multiple;
  }

  /// Begins a flow of this amount over these links, each once, at time `now`; over no links it has
  /// the bandwidth for itself. Returns its number, which is free again when it has ended.
  std::size_t begin(std::span<const int> links, double amount, double now);
  /// Ends the flow, which is over or is given up.
  void end(std::size_t flow);

  struct End {
    std::size_t flow;
    std::uint32_t version;  ///< of its rate
    double time;            ///< if no rate changes until then
  };
  /// Finds new rates for the flows that share links, or links of links, with what has begun or
  /// ended since the last call, all of it at time `now`. Returns when those whose rate changed will
  /// end.
  const std::vector<End>& share(double now);
  /// Returns true if `end` still holds, and no later rate or flow has taken its place.
  [[nodiscard]] bool holds(const End& end) const { return flows_[end.flow].version == end.version; }
  /// Returns the amount a unit of time that the flow has.
  [[nodiscard]] double rate(std::size_t flow) const { return flows_[flow].rate; }

 private:
  struct Flow {
    std::vector<int> links;
    double left = 0;
    double rate = 0;
    double since = 0;  // `left` was then
    std::uint32_t version = 0;
    bool is_found = false;
    bool is_set = false;
  };
  struct Link {
    std::vector<std::size_t> flows;
    double speed = 1;      // as a multiple of the bandwidth
    double left = 0;       // bandwidth that no flow has yet
    std::size_t open = 0;  // flows without a rate
    bool is_found = false;
  };
  void find_component(double now);
  void fill();

  double bandwidth_;
  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<std::size_t> free_;
  std::vector<int> changed_;        // links
  std::vector<std::size_t> alone_;  // new flows without links
  std::vector<int> found_links_;    // of the component
  std::vector<std::size_t> found_flows_;
  std::vector<double> rates_before_;  // of found_flows_
  std::vector<End> ends_;
};

}  // namespace gatherbench::cost
