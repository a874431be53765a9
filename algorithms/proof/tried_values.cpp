// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/tried_values.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>
#include <variant>

#include "algorithms/registry.h"
#include "algorithms/shared/factors.h"
#include "algorithms/shared/inner.h"

namespace gatherbench::proof {
namespace {

/// Lists whose product is p: its factors, as they are, in reverse order, and the last two as one;
/// p alone.
std::vector<algorithms::Numbers> lists_of_factors(int ranks) {
  const algorithms::Numbers factors = algorithms::prime_factors(ranks);
  std::set<std::vector<std::int32_t>> different;
  std::vector<std::int32_t> list(factors.all().begin(), factors.all().end());
  if (!list.empty()) different.insert(list);
  if (!list.empty()) different.insert({list.rbegin(), list.rend()});
  if (list.size() > 1) {
    list[list.size() - 2] *= list.back();
    list.pop_back();
    different.insert(list);
  }
  if (ranks > 1) different.insert({ranks});
  std::vector<algorithms::Numbers> lists{algorithms::Numbers{}};  // as the algorithm chooses
  for (const std::vector<std::int32_t>& one : different) {
    algorithms::Numbers numbers;
    for (const std::int32_t number : one) numbers.add(number);
    lists.push_back(numbers);
  }
  return lists;
}

/// The values that a parameter, whose default is visited, should be tried with.
struct ValuesToTry {
  const algorithms::Algorithm& algorithm;
  const algorithms::Parameter& parameter;
  int ranks;

  std::vector<TriedValue> operator()(std::monostate) const { return {}; }
  /// Small ones, and the largest.
  std::vector<TriedValue> operator()(algorithms::Count by_default) const {
    std::vector<TriedValue> all;
    // So that there are as many segments.
    const std::int64_t block_bytes = algorithm.cuts_blocks ? 10 : 0;
    for (const std::int64_t value : small_and_large()) {
      all.push_back({algorithms::Count{value}, block_bytes});
    }
    if (by_default.value == 0) all.push_back({by_default, block_bytes});  // as it chooses
    return all;
  }
  std::vector<TriedValue> operator()(const algorithms::Numbers& by_default) const {
    std::vector<TriedValue> all;
    if (by_default.size == 0) {
      for (const algorithms::Numbers& list : lists_of_factors(ranks)) all.push_back({list});
      return all;
    }
    for (const std::int64_t value : small_and_large()) {
      all.push_back({algorithms::Numbers{static_cast<std::int32_t>(value)}});
    }
    const auto min = static_cast<std::int32_t>(parameter.min);
    all.push_back({algorithms::Numbers{min + 1, min}});
    all.push_back({algorithms::Numbers{min, min + 3, min + 1}});
    return all;
  }
  /// One segment a block, and three, the last one shorter.
  std::vector<TriedValue> operator()(algorithms::Bytes) const {
    return {{algorithms::Bytes{100}, 10}, {algorithms::Bytes{4}, 10}};
  }
  /// Times are tried by with_arrivals.
  std::vector<TriedValue> operator()(const algorithms::MessageTime&) const { return {}; }
  /// Times to start a message that takes 1 us: a part of it, and next to none, with blocks that can
  /// be cut.
  std::vector<TriedValue> operator()(const algorithms::StartTime&) const {
    using std::chrono::nanoseconds;
    return {{algorithms::StartTime{nanoseconds(300)}}, {algorithms::StartTime{nanoseconds(1)}, 10}};
  }
  std::vector<TriedValue> operator()(const algorithms::Algorithm* by_default) const {
    std::vector<TriedValue> all;
    all.push_back({by_default});
    for (const algorithms::Algorithm& inner : algorithms::all_algorithms()) {
      if (&inner != by_default && is_legal_inner(parameter, inner)) all.push_back({&inner});
    }
    return all;
  }

 private:
  [[nodiscard]] std::set<std::int64_t> small_and_large() const {
    const std::int64_t min = parameter.min;
    // A proof takes as long as there are segments.
    const std::int64_t large = algorithm.cuts_blocks ? min : std::max<std::int64_t>(ranks - 2, min);
    return {min, min + 1, min + 2, min + 5, large};
  }
};

// Above this number, the values of the first parameter are tried, each with one value of the
// others; and two values of one that is tried in many arrivals.
constexpr int max_ranks_for_all_values = 20;
// Above this number, two values of the first parameter are tried, whose default is the first; in
// many arrivals one.
constexpr int max_ranks_for_many_values = 100;

/// The default comes first. A proof takes as long as there are segments, so what cuts blocks is
/// tried with the fewest.
void begin_with_default(std::vector<TriedValue>& values, const ValuesToTry& of) {
  const algorithms::ParameterValue& by_default = of.parameter.default_value;
  if (of.algorithm.cuts_blocks || std::holds_alternative<algorithms::Bytes>(by_default)) return;
  const auto found = std::ranges::find(values, by_default, &TriedValue::value);
  if (found == values.end()) {
    values.insert(values.begin(), {by_default});
  } else {
    std::rotate(values.begin(), found, std::next(found));
  }
}

}  // namespace

std::vector<TriedValue> tried_values(const algorithms::Algorithm& algorithm, std::size_t parameter,
                                     int ranks) {
  const ValuesToTry to_try{algorithm, algorithm.parameters[parameter], ranks};
  std::vector<TriedValue> values = std::visit(to_try, to_try.parameter.default_value);
  if (values.empty()) return values;
  begin_with_default(values, to_try);
  if (ranks <= max_ranks_for_all_values) return values;
  const bool few = ranks > max_ranks_for_many_values;
  std::size_t most = values.size();
  if (parameter == 0 && (few || algorithm.is<algorithms::ByArrivals>())) most = 2;
  if (parameter > 0 || (few && algorithm.is<algorithms::ByArrivals>())) most = 1;
  if (values.size() > most) {
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(most), values.end());
  }
  return values;
}

}  // namespace gatherbench::proof
