// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/contenders.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "bench/native/native_choice.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/handles.h"
#include "runtime/policies/choices.h"

namespace gatherbench::bench {
namespace {

std::optional<std::string> why_not(const collectives::Collective& collective,
                                   const algorithms::Choice& choice, const Group& group,
                                   bool in_place) {
  auto why = algorithms::why_not(
      *choice.algorithm, group.placement.place(algorithms::problem_for(choice, group.size())));
  return why ? why : bench::why_not(collective, choice, {group.size(), in_place});
}

std::set<int> sizes_of(std::span<const Group> groups) {
  std::set<int> sizes;
  for (const Group& group : groups) sizes.insert(group.size());
  return sizes;
}

/// Returns why it cannot run in the first group in which it cannot; the group is named where groups
/// differ.
std::optional<std::string> why_not_in_groups(const collectives::Collective& collective,
                                             const algorithms::Choice& choice,
                                             std::span<const Group> groups, bool in_place) {
  for (const Group& group : groups) {
    auto why = why_not(collective, choice, group, in_place);
    if (!why) continue;
    if (sizes_of(groups).size() == 1) return why;
    return fmt::format("{} (group {} of {} ranks)", *why, group.name, group.size());
  }
  return {};
}

/// Returns why a block is not of whole elements; none if all are.
std::optional<std::string> why_not_cut(const mpi::Layout& layout) {
  const std::int64_t element = layout.element().bytes;
  for (int block = 0; block < (layout.is_equal() ? 1 : layout.blocks()); ++block) {
    if (layout.bytes(block) % element == 0) continue;
    return fmt::format("needs whole elements of {} bytes (--datatype); block {} has {} bytes",
                       element, block, layout.bytes(block));
  }
  return {};
}

/// Returns whether the MPI library has the processor combine what is in a device, where no
/// processor may look: Open MPI does so in all reductions that are begun and waited for apart.
bool combines_by_processor(const collectives::Collective& collective,
                           const algorithms::Algorithm& algorithm, BuffersIn buffers_in) {
  const bool is_begun = algorithm.calls(algorithms::LibraryCall::nonblocking) ||
                        algorithm.calls(algorithms::LibraryCall::persistent);
  return collective.combines && is_begun && buffers_in != BuffersIn::cuda_managed &&
         mpi::library_version().starts_with("Open MPI");
}

/// Returns why it cannot run with buffers where these are; none if it can.
std::optional<std::string> why_not_there(const collectives::Collective& collective,
                                         const algorithms::Choice& choice, const Demands& demands) {
  const bool staged = choice.stage.on_host;
  if (!is_of_device(demands.buffers_in)) {
    if (!staged) return {};
    return "copies buffers of a device to the host and back; legal: with --buffers-in cuda, "
           "cuda-managed or hip";
  }
  if (staged) return {};
  const bool is_library_call = choice.algorithm->is<algorithms::LibraryCall>();
  if (!is_library_call && choice.via != algorithms::Via::messages) {
    return "has the processor copy blocks, which are in a device (via=window); legal: "
           "via=messages, or stage=host";
  }
  if (!is_library_call && collective.combines) {
    return "has the processor combine blocks, which are in a device; legal: stage=host, or native";
  }
  if (choice.algorithm->is<algorithms::Selects>() ||
      has_helper_thread(*choice.algorithm, demands.from)) {
    return "has buffers of its own in the host's memory; legal: stage=host";
  }
  if (!demands.why_no_pointers.empty()) return demands.why_no_pointers;
  if (combines_by_processor(collective, *choice.algorithm, demands.buffers_in)) {
    return "has Open MPI combine by the processor, which may not look into a device; legal: "
           "native, or stage=host";
  }
  return {};
}

}  // namespace

std::vector<Contender> find_contenders(const collectives::Collective& collective,
                                       std::span<const algorithms::Choice> choices,
                                       std::span<const Group> groups, const Demands& demands) {
  require_native_variants(collective, choices);
  std::vector<Contender> contenders;
  std::string reasons;
  for (const algorithms::Choice& choice : choices) {
    if (choice.algorithm->is<algorithms::Selects>()) {
      policies::require_policy(policy_option, policy_of(choice), collective);
    }
    auto why = why_not_in_groups(collective, choice, groups, demands.in_place);
    if (!why) why = why_not_there(collective, choice, demands);
    if (!why) why = way_to_run(choice)->why_not_in(collective, demands.from, demands.use);
    // Parameters have no range where the algorithm cannot run anyway.
    if (!why && !choice.variant.empty()) {
      for (const int ranks : sizes_of(groups)) {
        algorithms::require_parameter("--algorithms", choice, ranks);
      }
    }
    if (why) {
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : "; ", choice.label(), *why);
    }
    contenders.push_back({choice, choice.label(), why, {}});
  }
  if (std::ranges::none_of(contenders, [](const Contender& one) { return !one.why_not; })) {
    throw text::InputError(fmt::format("--algorithms: nothing is left to run: {}", reasons));
  }
  return contenders;
}

void make_communicators(const collectives::Collective& collective, std::span<Contender> contenders,
                        MPI_Comm comm) {
  for (Contender& contender : contenders) {
    if (!contender.why_not) {
      contender.comm = make_native_communicator(collective, contender.choice, comm);
    }
  }
}

std::optional<std::string> why_not(const Contender& contender, const Case& the_case,
                                   const mpi::Layout& layout,
                                   const algorithms::Placement& placement) {
  if (contender.why_not) return contender.why_not;
  if (auto why = why_not_cut(layout)) return why;
  return way_to_run(contender.choice)->why_not(the_case, layout, placement);
}

std::string algorithms_without_steps(std::span<const Contender> contenders,
                                     const Options& options) {
  std::string text;
  for (const Contender& contender : contenders) {
    if (contender.why_not) continue;
    const auto why = way_to_run(contender.choice)->why_no_steps(options.prediction.from);
    if (!why) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", contender.label, *why);
  }
  return text;
}

bool any_has_helper_thread(std::span<const algorithms::Choice> choices, arrivals::Predictor from) {
  return std::ranges::any_of(choices, [from](const algorithms::Choice& choice) {
    return has_helper_thread(*choice.algorithm, from);
  });
}

}  // namespace gatherbench::bench
