// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/check_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "analysis/check.h"
#include "analysis/trials.h"
#include "text/parse.h"

namespace gatherbench::inspect {
namespace {

// All ranks' schedules and who holds what grow with p^2: some 3 GB at this p.
constexpr int most_ranks = 8192;
constexpr int most_faults_told = 3;

struct Options {
  std::string ranks;
  std::string algorithms = "all";
  PlacementOptions placement;
};

/// The proofs of one algorithm, for the row of the table.
struct Tally {
  int proven = 0;   ///< numbers of ranks
  int skipped = 0;  ///< numbers of ranks at which it cannot run at all
  int faults = 0;
  std::size_t most_trials = 0;

  void add(const algorithms::Choice& choice, int ranks, const algorithms::Placement* given) {
    bool ran = false;
    const std::vector<analysis::Trial> all = analysis::trials(choice, ranks, given);
    most_trials = std::max(most_trials, all.size());
    const int faults_before = faults;
    for (const analysis::Trial& trial : all) {
      const algorithms::Problem problem = trial.problem(ranks);
      if (!why_not(trial.choice, problem).empty()) continue;
      ran = true;
      const analysis::CheckResult result = analysis::check(*choice.algorithm, problem);
      if (!result.fault.empty() && ++faults <= most_faults_told) {
        fmt::print(stderr, "FAULT: {} at p = {}{}{}: {}\n", choice.label(), ranks,
                   trial.text.empty() ? "" : ", ", trial.text, result.fault);
      }
    }
    if (!ran) ++skipped;
    if (ran && faults == faults_before) ++proven;
  }
};

/// One row of the table; true if all was proven.
bool check_row(const algorithms::Choice& choice, const std::vector<int>& ranks,
               const Options& options, const std::shared_ptr<const topology::SwitchTree>& tree) {
  const auto start = std::chrono::steady_clock::now();
  Tally tally;
  for (const int p : ranks) {
    if (options.placement.given()) {
      const algorithms::Placement placement = options.placement.place(p, tree);
      tally.add(choice, p, &placement);
    } else {
      tally.add(choice, p, nullptr);
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::string verdict = tally.faults > 0    ? fmt::format("{} FAULTY", tally.faults)
                              : tally.proven == 0 ? "no p to prove"
                                                  : "proven";
  const algorithms::Algorithm& row = *choice.algorithm;
  fmt::print("{:<23} {:>7} {:>8} {:>7}  {:>8.2f}  {:<14} {}; {}; {}; {}\n", choice.label(),
             tally.proven, tally.skipped, tally.most_trials, seconds.count(), verdict,
             algorithms::needs_text(row), row.steps->text, row.messages->text, row.bytes->text);
  return tally.faults == 0;
}

int run(const Options& options) {
  const std::vector<int> ranks = text::parse_ranks("--ranks", options.ranks, most_ranks);
  const auto choices = schedule_choices("--algorithms", options.algorithms);
  const auto tree = options.placement.read_tree();
  // Bad input is told before the table begins: where most ranks have a place, fewer have.
  if (options.placement.given()) (void)options.placement.place(std::ranges::max(ranks), tree);
  fmt::print("{:<23} {:>7} {:>8} {:>7}  {:>8}  {:<14} {}\n", "algorithm", "proven", "skipped",
             "ways", "seconds", "verdict", "needs; steps; messages of all ranks; bytes");
  bool good = true;
  for (const algorithms::Choice& choice : choices)
    good = check_row(choice, ranks, options, tree) && good;
  return good ? 0 : 1;
}

}  // namespace

Command add_check_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "check", "Prove algorithms for numbers of ranks; exit code 1 if one is faulty");
  const auto options = std::make_shared<Options>();
  command->add_option("--ranks", options->ranks, "1:300, 8:256:8, 2,4,8")->required();
  command->add_option("--algorithm,--algorithms", options->algorithms, "Names, all, thesis")
      ->capture_default_str();
  options->placement.add_to(*command);
  return {command, [options] { return run(*options); }};
}

}  // namespace gatherbench::inspect
