// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "algorithms/proof/rounds.h"
#include "formats/text/parse.h"
#include "formats/text/words.h"
#include "tools/allgather_schedule/commands.h"
#include "tools/allgather_schedule/common/common.h"

namespace gatherbench::allgather_schedule {
namespace {

struct Options {
  AlgorithmOptions algorithms;
  std::string ranks;
  PlacementOptions placement;
};

/// Returns the ranks of each ring as text, such as "0 4;1 5".
std::string members_text(const proof::Rings& rings) {
  std::string text;
  for (const std::vector<int>& ring : rings.ranks) {
    text += fmt::format("{}{}", text.empty() ? "" : ";", fmt::join(ring, " "));
  }
  return text;
}

/// Returns a row for each step, or one that says why there is none.
std::string rows(const algorithms::Choice& choice, int ranks,
                 const algorithms::Placement& placement) {
  const std::string head = fmt::format("{},{}", text::csv_cell(choice.label()), ranks);
  const SchedulesInRounds found = schedules_in_rounds(choice, ranks, 1, placement);
  std::string reason = found.reason;
  std::vector<proof::Rings> steps;
  if (reason.empty()) steps = proof::find_rings(found.schedules, found.rounds);
  std::string text;
  for (std::size_t step = 0; step < steps.size() && reason.empty(); ++step) {
    const std::vector<std::vector<int>>& rings = steps[step].ranks;
    if (!steps[step].fault.empty()) {
      reason = fmt::format("has no rings: in step {}, {}", step, steps[step].fault);
      break;
    }
    const auto [smallest, largest] = std::ranges::minmax(rings, {}, &std::vector<int>::size);
    text += fmt::format("{},{},{},{},{},{},ok,\n", head, step, rings.size(), smallest.size(),
                        largest.size(), members_text(steps[step]));
  }
  if (reason.empty()) return text;
  return fmt::format("{},,,,,,skipped,{}\n", head, text::csv_cell(reason));
}

int run(const Options& options) {
  const auto choices = options.algorithms.proven();
  const std::vector<int> ranks =
      text::parse_ranks("--ranks", options.ranks,
                        options.algorithms.most_ranks(max_ranks_in_rounds, max_blocks_proven));
  const Machine machine = options.placement.read();
  (void)machine.place(std::ranges::max(ranks));  // bad input is told before the table begins
  fmt::print("algorithm,ranks,step,rings,least_ranks,most_ranks,members,status,reason\n");
  for (const algorithms::Choice& choice : choices) {
    for (const int p : ranks) {
      fmt::print("{}", rows(choice, p, machine.place(p)));
    }
  }
  return 0;
}

}  // namespace

Command add_rings_command(text::OptionTable& program) {
  text::OptionTable& command =
      program.add_command("rings", "Print the component rings of each step, as CSV");
  const auto options = std::make_shared<Options>();
  options->algorithms.add_to(command);
  command.add("--ranks", options->ranks, "1:300, 8:256:8, 2,4,8").required();
  options->placement.add_to(command);
  command.set_example("allgather_schedule rings --algorithms neighbor_exchange --ranks 8");
  return {&command, [options] { return run(*options); }};
}

}  // namespace gatherbench::allgather_schedule
