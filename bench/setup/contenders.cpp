// SPDX-License-Identifier: BSD-3-Clause
#include "bench/setup/contenders.h"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/message_form.h"
#include "bench/native/selection.h"
#include "bench/native/variants.h"
#include "mpi/arrival_aware.h"
#include "mpi/counts.h"
#include "text/input_error.h"

namespace gatherbench::bench {

std::vector<Contender> find_contenders(const collectives::Collective& collective,
                                       std::span<const algorithms::Choice> choices, int ranks,
                                       const algorithms::Placement& placement) {
  require_native_variants(collective, choices);
  std::vector<Contender> contenders;
  std::string reasons;
  for (const algorithms::Choice& choice : choices) {
    std::string reason = algorithms::reason_unusable(
        *choice.algorithm, placement.place(algorithms::problem_for(choice, ranks)));
    if (reason.empty()) reason = reason_unusable(collective, choice, ranks);
    if (reason.empty() && choice.algorithm->uses_arrivals) reason = mpi::why_no_helper_thread();
    // Where it cannot run anyway, its parameter has no range.
    if (reason.empty() && !choice.variant.empty()) {
      algorithms::require_parameter("--algorithms", choice, ranks);
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
                                  std::int64_t held) {
  if (!contender.reason_unusable.empty() || contender.is_library_call()) return 0;
  const std::int64_t scratch = contender.choice.algorithm->uses_scratch ? held : 0;
  // At most all that a rank sends and receives in a step, which is less than everything twice.
  const bool packs = form_of(contender.choice, options.noncontiguous).noncontiguous ==
                     algorithms::Noncontiguous::packed;
  return scratch + (packs ? 2 * held : 0);
}

std::string reason_unusable(const Contender& contender, const mpi::Layout& layout,
                            const algorithms::Placement& placement) {
  if (!contender.reason_unusable.empty()) return contender.reason_unusable;
  if (contender.is_library_call()) return mpi::IntCounts::reason_unusable(layout);
  const std::vector<std::int64_t> block_bytes = layout.block_bytes();
  return algorithms::reason_unusable(*contender.choice.algorithm,
                                     make_problem(contender, placement, block_bytes));
}

algorithms::Problem make_problem(const Contender& contender, const algorithms::Placement& placement,
                                 std::span<const std::int64_t> block_bytes) {
  algorithms::Problem problem =
      placement.place(algorithms::problem_for(contender.choice, contender.comm.size()));
  problem.rank = contender.comm.rank();
  problem.block_bytes = block_bytes;
  return problem;
}

bool any_predicts(std::span<const algorithms::Choice> choices) {
  return std::ranges::any_of(
      choices, [](const algorithms::Choice& choice) { return choice.algorithm->uses_arrivals; });
}

}  // namespace gatherbench::bench
