// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/random.h"

#include <algorithm>

namespace gatherbench::policies {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers with every C++ library.
std::uint64_t next_number(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31);
}

}  // namespace

Random::Random(std::size_t candidates, std::uint64_t seed)
    : sums_(candidates), state_(seed), last_(candidates) {}

std::size_t Random::draw() {
  if (sums_.size() == 1) return 0;
  const bool is_first = last_ == sums_.size();
  const std::size_t others = sums_.size() - (is_first ? 0 : 1);
  const std::size_t drawn = next_number(state_) % others;
  last_ = !is_first && drawn >= last_ ? drawn + 1 : drawn;
  return last_;
}

CallPlan Random::next(std::span<const std::int64_t> times_ns) {
  for (std::size_t i = 0; i < times_ns.size(); ++i) {
    Sum& sum = sums_[call_plan_[i].candidate];
    ++sum.values;
    sum.ns += std::max(times_ns[i], std::int64_t{1});
  }
  call_plan_.clear();
  for (std::size_t i = 0; i < calls_of_plan; ++i) call_plan_.push_back({draw(), 1, Timing::each});
  return call_plan_;
}

std::vector<Score> Random::scores() const {
  std::vector<Score> scores;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const Sum& sum = sums_[i];
    scores.push_back({i, sum.values, sum.values == 0 ? 0 : sum.ns / sum.values});
  }
  return scores;
}

}  // namespace gatherbench::policies
