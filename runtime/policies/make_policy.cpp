// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "formats/text/input_error.h"
#include "formats/text/named.h"
#include "formats/text/parse.h"
#include "runtime/policies/agstar.h"
#include "runtime/policies/policy.h"
#include "runtime/policies/star.h"

namespace gatherbench::policies {
namespace {

/// The same candidate for good; nothing is timed.
class Fixed final : public Policy {
 public:
  explicit Fixed(std::size_t candidate) : candidate_(candidate) {}

  CallPlan next(std::span<const std::int64_t> times_ns) override;
  [[nodiscard]] bool may_take(std::size_t candidate) const override {
    return candidate == candidate_;
  }
  [[nodiscard]] std::size_t leader() const override { return candidate_; }
  [[nodiscard]] std::vector<Score> scores() const override { return {}; }
  [[nodiscard]] std::int64_t excess_ns() const override { return 0; }

 private:
  std::size_t candidate_;
};

CallPlan Fixed::next(std::span<const std::int64_t> /*times_ns*/) {
  return {{candidate_, std::numeric_limits<std::int64_t>::max(), Timing::none}};
}

/// Another candidate in every call, drawn by the seed, for tests: whatever a program does has to
/// work with all of them. Every call is timed, and call plans are short, so that what else happens
/// between calls happens often.
class Random final : public Policy {
 public:
  static constexpr std::size_t calls_of_plan = 8;

  Random(std::size_t candidates, std::uint64_t seed);

  CallPlan next(std::span<const std::int64_t> times_ns) override;
  [[nodiscard]] std::size_t leader() const override { return 0; }
  /// Returns the mean of each candidate's times.
  [[nodiscard]] std::vector<Score> scores() const override;
  [[nodiscard]] std::int64_t excess_ns() const override { return 0; }

 private:
  struct Sum {
    std::int64_t values = 0;
    std::int64_t ns = 0;
  };
  std::size_t draw();

  std::vector<Sum> sums_;  // of each candidate
  std::uint64_t state_;
  std::size_t last_;  // the candidate before; at first none
  CallPlan call_plan_;
};

/// Returns SplitMix64's next number (Steele, Lea, Flood 2014): the same with every C++ library.
std::uint64_t next_number(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31);
}

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

constexpr std::array yes_no{text::Named<bool>{"yes", true}, text::Named<bool>{"no", false}};

/// The parts that a policy is made of.
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

std::unique_ptr<Policy> make_agstar(Order& order) {
  if (!order.rest.empty()) {
    throw text::bad_value(fmt::format("{}: agstar", order.option), order.rest,
                          "is too much: it takes no parameters; legal: agstar");
  }
  return std::make_unique<Agstar>(order.candidates, order.budget_permille);
}

/// Returns the positions of the candidates that STAR is told to try; none means all. Throws
/// text::InputError.
std::vector<std::size_t> star_tries(std::string_view option, std::string_view list,
                                    std::span<const Candidate> candidates) {
  if (list == "all") return {};
  std::vector<std::string_view> legal{"all"};
  for (const Candidate& each : candidates) legal.push_back(each.name);
  std::vector<std::size_t> found;
  for (const std::string_view name : text::split(list, '+')) {
    const auto one = std::ranges::find(candidates, name, &Candidate::name);
    if (one == candidates.end()) {
      throw text::unknown_name(option, "candidate here", name, legal);
    }
    const auto position = static_cast<std::size_t>(one - candidates.begin());
    if (std::ranges::find(found, position) != found.end()) {
      throw text::bad_value(option, list, fmt::format("gives {} a second time", name));
    }
    found.push_back(position);
  }
  return found;
}

constexpr std::array<std::string_view, 3> star_parameters{"iterations=N", "grouping=yes|no",
                                                          "algorithms=all|NAME+NAME"};

bool begins_star_parameter(std::string_view part) {
  return std::ranges::any_of(star_parameters, [part](std::string_view parameter) {
    return part.starts_with(parameter.substr(0, parameter.find('=') + 1));
  });
}

/// Returns the parts between colons. A name of the list has colons, too ("ring:via=window"): a part
/// that begins no parameter belongs to the name before it.
std::vector<std::string> star_parts(std::string_view rest) {
  std::vector<std::string> parts;
  if (rest.empty()) return parts;
  for (const std::string_view part : text::split(rest, ':')) {
    const bool is_of_name =
        !parts.empty() && parts.back().starts_with("algorithms=") && !begins_star_parameter(part);
    if (is_of_name) {
      parts.back().append(":").append(part);
    } else {
      parts.emplace_back(part);
    }
  }
  return parts;
}

std::unique_ptr<Policy> make_star(Order& order) {
  constexpr std::int64_t most_iterations = 1000000;
  const std::string option = fmt::format("{}: star", order.option);
  Star::Parameters parameters;
  parameters.tried = star_candidates(order.candidates);
  std::vector<std::string_view> given;
  const std::vector<std::string> parts = star_parts(order.rest);
  for (const std::string_view part : parts) {
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
    if (std::ranges::find(given, key) != given.end()) {
      throw text::bad_value(option, part, fmt::format("gives {} a second time", key));
    }
    given.push_back(key);
    if (key == "iterations") {
      parameters.iterations =
          text::parse_integer(fmt::format("{}: iterations", option), value, 1, most_iterations);
    } else if (key == "grouping") {
      parameters.grouping = text::parse_named(fmt::format("{}: grouping", option), yes_no, value);
    } else if (key == "algorithms") {
      parameters.tried = star_tries(fmt::format("{}: algorithms", option), value, order.candidates);
    } else {
      throw text::unknown_name(option, "parameter", part, star_parameters);
    }
  }
  const bool is_told = std::ranges::find(given, "algorithms") != given.end();
  if (parameters.tried.empty() && !is_told) {
    throw text::bad_value(order.option, "star",
                          "can run none of its algorithms here; legal: star:algorithms=all");
  }
  return std::make_unique<Star>(order.candidates, std::move(parameters));
}

constexpr std::array kinds{
    PolicyKind{"agstar", "", "tries what may be faster, within a budget", true, true},
    PolicyKind{"star", "[:iterations=N][:grouping=yes|no][:algorithms=all|NAME+NAME...]",
               "STAR-MPI, Faraj 2006, 4.3: tries each of its own, or of those named, N times [10], "
               "or one of each group",
               true},
    PolicyKind{"random", ":SEED", "another one in every call, for tests"},
    PolicyKind{"fixed", ":NAME", "always the same one"},
};
constexpr std::array<Maker*, kinds.size()> makers{make_agstar, make_star, make_random, make_fixed};

}  // namespace

std::span<const PolicyKind> policy_kinds() { return kinds; }

const PolicyKind& kind_of(std::string_view policy) {
  return *std::ranges::find(kinds, policy.substr(0, policy.find(':')), &PolicyKind::name);
}

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
    if (colon != std::string_view::npos && rest.empty()) {
      throw text::bad_value(
          option, text,
          fmt::format("has nothing after its colon; legal: {}{}", name, kinds[i].parameters));
    }
    Order order{option, rest, std::move(candidates), budget_permille};
    return makers[i](order);
  }
  throw text::unknown_name(option, "policy", text, names);
}

}  // namespace gatherbench::policies
