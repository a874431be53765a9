// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/series.h"

#include <algorithm>

namespace gatherbench::policies {
namespace {

template <typename Value>
void append(std::vector<Value>& values, Value value, std::size_t most) {
  if (values.size() == most) values.erase(values.begin());
  values.push_back(value);
}

}  // namespace

std::int64_t twice_median(std::span<const std::int64_t> values) {
  std::vector<std::int64_t> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t half = sorted.size() / 2;
  return sorted[half] + sorted[sorted.size() % 2 == 0 ? half - 1 : half];
}

std::int64_t spread(std::span<const std::int64_t> values) {
  std::vector<std::int64_t> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t left_out = sorted.size() > 4 ? sorted.size() / 4 : 0;
  return sorted[sorted.size() - 1 - left_out] - sorted[left_out];
}

void Series::add(std::int64_t ns) {
  ++count_;
  append(values_, ns, most_values);
}

void Series::add(std::span<const std::int64_t> times_ns, std::int64_t round) {
  std::int64_t sum = 0;
  for (const std::int64_t time : times_ns) {
    add(time);
    sum += time;
  }
  append(rounds_, {round, sum}, most_rounds);
}

void Series::add_gap(std::int64_t ns) { append(gaps_, ns, most_values); }

void Series::clear() { *this = {}; }

Match match(const Series& a, const Series& b, std::int64_t more_ns) {
  Match found;
  for (const Series::InRound& one : a.rounds()) {
    const auto other = std::ranges::find(b.rounds(), one.round, &Series::InRound::round);
    if (other == b.rounds().end()) continue;
    ++found.rounds;
    found.won += one.ns + more_ns < other->ns ? 1 : 0;
  }
  return found;
}

}  // namespace gatherbench::policies
