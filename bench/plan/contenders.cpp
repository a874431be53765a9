// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/contenders.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "algorithms/choice/message_form.h"
#include "bench/native/library_calls.h"
#include "bench/native/native_choice.h"
#include "bench/native/variants.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/arrival_aware/arrival_aware.h"
#include "runtime/mpi/plans/counts.h"
#include "runtime/mpi/plans/reduction.h"
#include "runtime/mpi/window/node_window.h"
#include "runtime/policies/agstar.h"
#include "runtime/policies/choices.h"
#include "runtime/selection/candidates.h"

namespace gatherbench::bench {
namespace {

constexpr std::string_view policy_option = "--algorithms adaptive:policy";

/// Of a policy that has to be able to run what it names.
std::string reason_unusable(std::string_view policy, std::span<const std::int64_t> block_bytes,
                            const algorithms::Placement& placement) {
  if (policies::kind_of(policy).is_bounded) return {};
  try {
    selection::Candidates all =
        selection::find_candidates({.bounded = false}, placement, block_bytes, MPI_COMM_NULL);
    policies::make_policy(policy, std::move(all.expected), policies::default_budget_permille,
                          policy_option);
    return {};
  } catch (const text::InputError& error) {
    return error.what();
  }
}

std::string reason_unusable(const collectives::Collective& collective,
                            const algorithms::Choice& choice, const Group& group, bool in_place) {
  std::string reason = algorithms::reason_unusable(
      *choice.algorithm, group.placement.place(algorithms::problem_for(choice, group.size())));
  return reason.empty() ? bench::reason_unusable(collective, choice, {group.size(), in_place})
                        : reason;
}

/// As a non-blocking call.
bool can_begin(const algorithms::Algorithm& algorithm) {
  using algorithms::LibraryCall;
  switch (algorithm.library_call) {
    case LibraryCall::none:  // with a schedule that is known before
      return !algorithm.selects && !algorithm.redirects && !algorithm.uses_arrivals &&
             !runs_ahead(algorithm);
    case LibraryCall::nonblocking:
    case LibraryCall::persistent:
      return true;
    default:
      return false;
  }
}

std::set<int> sizes_of(std::span<const Group> groups) {
  std::set<int> sizes;
  for (const Group& group : groups) sizes.insert(group.size());
  return sizes;
}

/// Of the first group that it cannot run in; which one that is, where they differ.
std::string reason_in_groups(const collectives::Collective& collective,
                             const algorithms::Choice& choice, std::span<const Group> groups,
                             bool in_place) {
  for (const Group& group : groups) {
    std::string reason = reason_unusable(collective, choice, group, in_place);
    if (reason.empty()) continue;
    if (sizes_of(groups).size() == 1) return reason;
    return fmt::format("{} (group {} of {} ranks)", reason, group.name, group.size());
  }
  return {};
}

std::string reason_without_window(const algorithms::Choice& choice, arrivals::Predictor from) {
  if (choice.via == algorithms::Via::messages) return {};
  if (has_helper_thread(*choice.algorithm, from)) {
    return "has messages that a helper thread sends (via=window; legal: via=messages)";
  }
  if (mpi::NodeWindow::why_none().empty()) return {};
  return fmt::format("{} (via=window; legal: via=messages)", mpi::NodeWindow::why_none());
}

std::string reason_in_use(const collectives::Collective& collective,
                          const algorithms::Choice& choice, arrivals::Predictor from, CallUse use) {
  const algorithms::Algorithm& algorithm = *choice.algorithm;
  const std::string_view lacking = reason_lacking(algorithm.library_call, collective);
  if (!lacking.empty()) return std::string(lacking);
  if (use == CallUse::in_sequence && algorithm.uses_arrivals) {
    return "predicts the arrivals at one call, and an iteration has many (--replay)";
  }
  if (has_helper_thread(algorithm, from)) {
    if (std::string why = mpi::why_no_helper_thread(); !why.empty()) return why;
  }
  if (use == CallUse::in_parts && !can_begin(algorithm)) {
    return "cannot be begun and waited for apart (--overlap)";
  }
  return reason_without_window(choice, from);
}

/// With what it tries, a choice that selects has several algorithms' buffers at a time.
std::int64_t most_at_a_time(const algorithms::Choice& choice) {
  if (!choice.algorithm->selects) return 1;
  return policies::kind_of(policy_of(choice)).is_bounded
             ? std::max(selection::first_ones, policies::Agstar::most_candidates)
             : std::ssize(algorithms::algorithm_table());
}

/// Empty if all blocks are whole elements.
std::string reason_cut_apart(const mpi::Layout& layout) {
  const std::int64_t element = layout.element().bytes;
  for (int block = 0; block < (layout.is_equal() ? 1 : layout.blocks()); ++block) {
    if (layout.bytes(block) % element == 0) continue;
    return fmt::format("needs whole elements of {} bytes (--datatype); block {} has {} bytes",
                       element, block, layout.bytes(block));
  }
  return {};
}

/// Of the blocks that a rank takes in only to pass them on: where blocks stay with some ranks, what
/// it receives beyond what it has to have. These algorithms have all ranks receive as much.
std::int64_t bytes_passed_on(const algorithms::Choice& choice, int ranks, const mpi::Layout& layout,
                             std::int64_t after) {
  if (after == layout.total() || !choice.algorithm->bytes) return 0;
  const BlockBytes block_bytes(layout);
  algorithms::Problem problem = algorithms::problem_for(choice, ranks);
  block_bytes.tell(problem);
  return std::max<std::int64_t>(
      0, choice.algorithm->bytes->at(problem).value_or(0) / ranks - (after - layout.bytes(0)));
}

}  // namespace

std::int64_t max_bytes_of(collectives::BlocksOfRank* of_rank, int ranks,
                          const mpi::Layout& layout) {
  std::int64_t most = 0;
  for (const int rank : unlike_ranks(ranks, layout)) {
    most = std::max(most, layout.bytes(of_rank(rank, ranks)));
  }
  return most;
}

std::vector<Contender> find_contenders(const collectives::Collective& collective,
                                       std::span<const algorithms::Choice> choices,
                                       std::span<const Group> groups, bool in_place,
                                       arrivals::Predictor from, CallUse use) {
  require_native_variants(collective, choices);
  std::vector<Contender> contenders;
  std::string reasons;
  for (const algorithms::Choice& choice : choices) {
    if (choice.algorithm->selects) policies::require_policy(policy_option, policy_of(choice));
    std::string reason = reason_in_groups(collective, choice, groups, in_place);
    if (reason.empty()) reason = reason_in_use(collective, choice, from, use);
    // Where it cannot run anyway, its parameters have no range.
    if (reason.empty() && !choice.variant.empty()) {
      for (const int ranks : sizes_of(groups)) {
        algorithms::require_parameter("--algorithms", choice, ranks);
      }
    }
    if (!reason.empty()) {
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : "; ", choice.label(), reason);
    }
    contenders.push_back({choice, choice.label(), reason, {}});
  }
  if (std::ranges::none_of(contenders, &std::string::empty, &Contender::reason_unusable)) {
    throw text::InputError(fmt::format("--algorithms: nothing is left to run: {}", reasons));
  }
  return contenders;
}

void make_communicators(const collectives::Collective& collective, std::span<Contender> contenders,
                        MPI_Comm comm) {
  for (Contender& contender : contenders) {
    if (contender.reason_unusable.empty()) {
      contender.comm = make_native_communicator(collective, contender.choice, comm);
    }
  }
}

std::int64_t estimate_extra_bytes(const Contender& contender, const Options& options,
                                  const Case& the_case, const mpi::Layout& layout) {
  if (!contender.reason_unusable.empty() || contender.is_library_call()) return 0;
  const algorithms::Choice& choice = contender.choice;
  const collectives::Collective& collective = *the_case.collective;
  const int ranks = the_case.key.ranks;
  const std::int64_t before = max_bytes_of(collective.initial, ranks, layout);
  const std::int64_t after = max_bytes_of(collective.goal, ranks, layout);
  std::int64_t passing = bytes_passed_on(choice, ranks, layout, after);
  // What is sent has to make room for what comes in there.
  if (options.in_place && collective.in_place != collective.goal) passing += before;
  // Not at the root, but on all that take in contributions: what they make of them, and what comes
  // in beside it.
  if (collective.combines) return 2 * before;
  const std::int64_t held = std::max(before, after) + passing;
  const std::int64_t scratch = uses_scratch(choice) ? held
                               : choice.algorithm->selects
                                   ? std::min(held, selection::most_scratch_bytes)
                                   : passing;
  // At most all that a rank sends and receives in a step, which is less than everything twice.
  const bool packs =
      form_of(choice, options.noncontiguous).noncontiguous == algorithms::Noncontiguous::packed;
  return most_at_a_time(choice) * (scratch + (packs ? 2 * held : 0));
}

std::string reason_unusable(const Contender& contender, const Case& the_case,
                            const mpi::Layout& layout, const algorithms::Placement& placement) {
  if (!contender.reason_unusable.empty()) return contender.reason_unusable;
  if (std::string reason = reason_cut_apart(layout); !reason.empty()) return reason;
  const int ranks = the_case.key.ranks;
  if (contender.is_library_call()) {
    if (the_case.collective->combines) {
      std::string reason = mpi::reason_uncountable(layout.total(), placement.element_bytes);
      if (!reason.empty()) return reason;
      return reason_unusable(*the_case.collective, contender.choice,
                             {.ranks = ranks,
                              .elements = layout.total() / placement.element_bytes,
                              .commutes = placement.commutes});
    }
    return mpi::IntCounts::reason_unusable(layout.of(the_case.collective->goal(0, ranks)));
  }
  const algorithms::Choice& choice = contender.choice;
  if (choice.algorithm->selects) {
    std::string reason = mpi::IntCounts::reason_unusable(layout);
    return reason.empty() ? reason_unusable(policy_of(choice), layout.block_bytes(), placement)
                          : reason;
  }
  const BlockBytes block_bytes(layout);
  return algorithms::reason_unusable(*choice.algorithm,
                                     make_problem(choice, placement, block_bytes, 0, ranks));
}

algorithms::Problem make_problem(const algorithms::Choice& choice,
                                 const algorithms::Placement& placement,
                                 const BlockBytes& block_bytes, int rank, int ranks) {
  algorithms::Problem problem = placement.place(algorithms::problem_for(choice, ranks));
  problem.rank = rank;
  block_bytes.tell(problem);
  return problem;
}

std::string_view policy_of(const algorithms::Choice& choice) {
  return choice.policy().empty() ? policies::default_policy : choice.policy();
}

std::string_view reason_no_steps(const algorithms::Choice& choice, arrivals::Predictor from) {
  const algorithms::Algorithm& algorithm = *choice.algorithm;
  if (algorithm.selects) return "takes another algorithm in each call";
  if (algorithm.library_call != algorithms::LibraryCall::none) {
    return "its steps are the MPI library's";
  }
  if (algorithm.redirects) return "finds out while it runs who is there";
  if (has_helper_thread(algorithm, from)) return "a helper thread runs steps of it";
  if (algorithm.uses_arrivals) return "has other steps in each call, by the arrivals";
  return "";
}

std::string algorithms_without_steps(std::span<const Contender> contenders,
                                     const Options& options) {
  std::string text;
  for (const Contender& contender : contenders) {
    if (!contender.reason_unusable.empty()) continue;
    const std::string_view reason = reason_no_steps(contender.choice, options.prediction.from);
    if (reason.empty()) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", contender.label, reason);
  }
  return text;
}

bool has_helper_thread(const algorithms::Algorithm& algorithm, arrivals::Predictor from) {
  return runs_ahead(algorithm) || (algorithm.uses_arrivals && from == arrivals::Predictor::edge);
}

bool any_has_helper_thread(std::span<const algorithms::Choice> choices, arrivals::Predictor from) {
  return std::ranges::any_of(choices, [from](const algorithms::Choice& choice) {
    return has_helper_thread(*choice.algorithm, from);
  });
}

}  // namespace gatherbench::bench
