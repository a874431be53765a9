// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "text/input_error.h"
#include "text/parse.h"

namespace gatherbench {

namespace algorithms {
Generator ring, neighbor_exchange, recursive_doubling, bruck, bruck_in_place, sparbit;
}

namespace {

constexpr std::int64_t log2_ceil(std::int64_t p) {
  return std::bit_width(static_cast<std::uint64_t>(p) - 1);
}

constexpr Formula p_minus_1{"p-1", [](std::int64_t p) { return p - 1; }};
constexpr Formula half_p{"p/2", [](std::int64_t p) { return p / 2; }};
constexpr Formula log2_p{"ceil(log2 p)", [](std::int64_t p) { return log2_ceil(p); }};

constexpr std::array table{
    Algorithm{.name = "ring",
              .summary = "pass blocks on to the right neighbour",
              .source = "Loch 2021, 2.4.1; Faraj 2006, 3.3.2",
              .in_thesis = true,
              .steps = p_minus_1,
              .messages = {"p(p-1)", [](std::int64_t p) { return p * (p - 1); }},
              .schedule = algorithms::ring},
    Algorithm{.name = "neighbor_exchange",
              .summary = "exchange pairs of blocks with both neighbours in turn",
              .source = "Chen et al. 2005; Loch 2021, 2.4.2",
              .needs = Needs::even_ranks,
              .in_thesis = true,
              .steps = half_p,
              .messages = {"p^2/2", [](std::int64_t p) { return p * p / 2; }},
              .schedule = algorithms::neighbor_exchange},
    Algorithm{.name = "recursive_doubling",
              .summary = "exchange all that is held at doubling distances",
              .source = "Loch 2021, 2.4.3",
              .needs = Needs::power_of_two_ranks,
              .in_thesis = true,
              .steps = log2_p,
              .messages = {"p log2 p", [](std::int64_t p) { return p * log2_ceil(p); }},
              .schedule = algorithms::recursive_doubling},
    Algorithm{
        .name = "bruck",
        .summary = "doubling distances, any p, in a rotated scratch buffer that is copied back",
        .source = "Bruck et al. 1997; Loch 2021, 2.4.4",
        .in_thesis = true,
        .steps = log2_p,
        .messages = {"p ceil(log2 p)", [](std::int64_t p) { return p * log2_ceil(p); }},
        .schedule = algorithms::bruck},
    Algorithm{.name = "bruck_in_place",
              .summary = "bruck's messages from and to final places, no scratch, no copies",
              .source = "Bruck et al. 1997",
              .steps = log2_p,
              // Of the n blocks a step sends from each rank, a range wraps at n-1 ranks.
              .messages = {"(p-1)(ceil(log2 p)+1)",
                           [](std::int64_t p) { return (p - 1) * (log2_ceil(p) + 1); }},
              .schedule = algorithms::bruck_in_place},
    Algorithm{.name = "sparbit",
              .summary = "parallel binomial trees at halving distances, one message a block",
              .source = "Loch 2021, chapter 4",
              .in_thesis = true,
              .steps = log2_p,
              .messages = {"p(p-1)", [](std::int64_t p) { return p * (p - 1); }},
              .schedule = algorithms::sparbit},
    Algorithm{.name = "native",
              .summary = "the MPI library's own choice",
              .source = "MPI_Allgather, MPI_Allgatherv",
              .library_call = LibraryCall::allgather},
};

constexpr bool names_unique() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (table[i].name == table[j].name) return false;
    }
  }
  return true;
}
static_assert(names_unique());

/// A set of algorithms that goes by a name.
struct Set {
  std::string_view name;
  bool (*contains)(const Algorithm&);
};
constexpr std::array sets{
    Set{"all", [](const Algorithm&) { return true; }},
    Set{"thesis", [](const Algorithm& algorithm) { return algorithm.in_thesis; }}};

}  // namespace

std::span<const Algorithm> all_algorithms() { return table; }

const Algorithm* find_algorithm(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Algorithm::name);
  return found == table.end() ? nullptr : found;
}

std::vector<std::string_view> legal_algorithm_names() {
  std::vector<std::string_view> names;
  for (const Set& set : sets) names.push_back(set.name);
  for (const Algorithm& algorithm : table) names.push_back(algorithm.name);
  return names;
}

std::string Choice::label() const {
  return variant.empty() ? std::string(algorithm->name)
                         : fmt::format("{}:{}", algorithm->name, variant);
}

std::vector<Choice> parse_algorithms(std::string_view option, std::string_view list) {
  std::vector<Choice> chosen;
  const auto add = [&](const Algorithm& algorithm, std::string_view variant) {
    const Choice choice{&algorithm, std::string(variant)};
    if (std::ranges::find(chosen, choice) == chosen.end()) chosen.push_back(choice);
  };
  for (const std::string_view item : split(list, ',')) {
    const std::size_t colon = item.find(':');
    const std::string_view name = item.substr(0, colon);
    const std::string_view variant =
        colon == std::string_view::npos ? std::string_view{} : item.substr(colon + 1);
    const auto* const set = std::ranges::find(sets, item, &Set::name);
    const Algorithm* const algorithm = find_algorithm(name);
    if (set != sets.end()) {
      for (const Algorithm& member : table) {
        if (set->contains(member)) add(member, {});
      }
    } else if (algorithm == nullptr) {
      throw unknown_name(option, "algorithm", item, legal_algorithm_names());
    } else if (colon != std::string_view::npos && algorithm->library_call == LibraryCall::none) {
      throw bad_value(option, item, fmt::format("gives a parameter, but {} takes none", name));
    } else if (colon != std::string_view::npos && variant.empty()) {
      throw bad_value(option, item, "names no algorithm of the library after the colon");
    } else {
      add(*algorithm, variant);
    }
  }
  return chosen;
}

std::string why_not(const Algorithm& algorithm, int ranks) {
  switch (algorithm.needs) {
    case Needs::nothing:
      return {};
    case Needs::even_ranks:
      if (ranks % 2 == 0) return {};
      return fmt::format("needs an even number of ranks; ranks = {}", ranks);
    case Needs::power_of_two_ranks:
      if (std::has_single_bit(static_cast<unsigned>(ranks))) return {};
      return fmt::format("needs a power-of-two number of ranks; ranks = {}", ranks);
  }
  return {};
}

std::string_view needs_text(Needs needs) {
  switch (needs) {
    case Needs::nothing:
      return "any p";
    case Needs::even_ranks:
      return "even p";
    case Needs::power_of_two_ranks:
      return "power-of-two p";
  }
  return {};
}

}  // namespace gatherbench
