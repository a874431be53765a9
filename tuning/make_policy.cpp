// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <limits>

#include "text/input_error.h"
#include "text/parse.h"
#include "tuning/fixed.h"
#include "tuning/policy.h"
#include "tuning/random.h"

namespace gatherbench::tuning {
namespace {

/// What a policy is made of.
struct Order {
  std::string_view option;
  std::string_view rest;  ///< what follows the first colon
  std::vector<Candidate> candidates;
  std::int64_t budget_permille;
};
constexpr std::int64_t largest_budget = 1000;
using Maker = std::unique_ptr<Policy>(Order& order);

std::unique_ptr<Policy> make_fixed(Order& order) {
  std::vector<std::string_view> legal;
  for (std::size_t i = 0; i < order.candidates.size(); ++i) {
    if (order.candidates[i].name == order.rest) return std::make_unique<Fixed>(i);
    legal.push_back(order.candidates[i].name);
  }
  throw text::unknown_name(fmt::format("{}: fixed", order.option), "candidate here", order.rest,
                           legal);
}

std::unique_ptr<Policy> make_random(Order& order) {
  const std::int64_t seed = text::parse_integer(fmt::format("{}: random", order.option), order.rest,
                                                0, std::numeric_limits<std::int64_t>::max());
  return std::make_unique<Random>(order.candidates.size(), static_cast<std::uint64_t>(seed));
}

constexpr std::array kinds{
    PolicyKind{"random", ":SEED", "another one in every call, for tests"},
    PolicyKind{"fixed", ":NAME", "always the same one"},
};
constexpr std::array<Maker*, kinds.size()> makers{make_random, make_fixed};

}  // namespace

std::span<const PolicyKind> policy_kinds() { return kinds; }

std::unique_ptr<Policy> make_policy(std::string_view text, std::vector<Candidate> candidates,
                                    std::int64_t budget_permille, std::string_view option) {
  if (budget_permille < 0 || budget_permille > largest_budget) {
    throw text::bad_value(fmt::format("{}: budget", option), std::to_string(budget_permille),
                          fmt::format("is not between 0 and {} thousandths", largest_budget));
  }
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    names.push_back(kinds[i].name);
    if (kinds[i].name != name) continue;
    Order order{option, rest, std::move(candidates), budget_permille};
    return makers[i](order);
  }
  throw text::unknown_name(option, "policy", text, names);
}

}  // namespace gatherbench::tuning
