// SPDX-License-Identifier: BSD-3-Clause
//
// allgather_schedule: proves and prints the algorithms' schedules. Needs no MPI.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/check.h"
#include "algorithms/registry.h"
#include "bench/show_schedule.h"
#include "gatherbench_version.h"
#include "text/input_error.h"
#include "text/parse.h"

namespace gatherbench {
namespace {

// All ranks' schedules and who holds what grow with p^2: some 3 GB at this p. One rank's do not.
constexpr int most_together = 8192;
constexpr int most_alone = 1 << 24;

/// The chosen algorithms that are schedules.
std::vector<const Algorithm*> choose(const std::string& option, const std::string& list) {
  std::vector<const Algorithm*> chosen;
  for (const Choice& choice : parse_algorithms(option, list)) {
    if (choice.algorithm->schedule != nullptr) {
      chosen.push_back(choice.algorithm);
    } else if (list != "all") {
      throw bad_value(option, choice.label(), "is a call into the MPI library: it has no schedule");
    }
  }
  return chosen;
}

/// One row of the table; true if all was proven.
bool check_row(const Algorithm& algorithm, const std::vector<int>& ranks) {
  int proven = 0;
  int skipped = 0;
  int faults = 0;
  const auto start = std::chrono::steady_clock::now();
  for (const int p : ranks) {
    if (!why_not(algorithm, p).empty()) {
      ++skipped;
      continue;
    }
    const CheckResult result = check(algorithm, p);
    if (result.fault.empty()) {
      ++proven;
    } else if (++faults <= 3) {
      fmt::print(stderr, "FAULT: {} at p = {}: {}\n", algorithm.name, p, result.fault);
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::string verdict = faults > 0    ? fmt::format("{} FAULTY", faults)
                              : proven == 0 ? "no p to prove"
                                            : "proven";
  fmt::print("{:<20} {:>7} {:>8}  {:<15} {:<14} {:<22} {:>8.2f}  {}\n", algorithm.name, proven,
             skipped, needs_text(algorithm.needs), algorithm.steps.text, algorithm.messages.text,
             seconds.count(), verdict);
  return faults == 0;
}

int run_check(const std::string& ranks_text, const std::string& algorithms_text) {
  const std::vector<int> ranks = parse_ranks("--ranks", ranks_text, most_together);
  const auto algorithms = choose("--algorithms", algorithms_text);
  fmt::print("{:<20} {:>7} {:>8}  {:<15} {:<14} {:<22} {:>8}  {}\n", "algorithm", "proven",
             "skipped", "needs", "steps", "messages (all ranks)", "seconds", "verdict");
  bool good = true;
  for (const Algorithm* const algorithm : algorithms) {
    good = check_row(*algorithm, ranks) && good;
  }
  return good ? 0 : 1;
}

int run_show(const std::string& name, const std::string& ranks_text, const std::string& rank_text,
             const std::string& format) {
  const auto algorithms = choose("--algorithm", name);
  if (algorithms.size() != 1) throw bad_value("--algorithm", name, "is more than one algorithm");
  const std::vector<int> ranks =
      parse_ranks("--ranks", ranks_text, rank_text.empty() ? most_together : most_alone);
  if (ranks.size() != 1) throw bad_value("--ranks", ranks_text, "is more than one number");
  if (const std::string reason = why_not(*algorithms[0], ranks[0]); !reason.empty()) {
    throw bad_value("--algorithm", name, reason);
  }
  Shown shown{name, ranks[0], std::nullopt, {}};
  std::vector<Schedule> schedules;
  if (rank_text.empty()) {
    schedules = make_schedules(*algorithms[0], ranks[0]);
  } else {
    shown.rank = static_cast<int>(parse_integer("--rank", rank_text, 0, ranks[0] - 1));
    schedules.push_back(algorithms[0]->schedule({*shown.rank, ranks[0]}));
  }
  shown.schedules = schedules;
  fmt::print("{}", format == "json" ? show_json(shown) : show_text(shown));
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app{"Proves and prints the schedules of all-gather algorithms. Needs no MPI.",
               "allgather_schedule"};
  app.set_version_flag("--version", std::string(version));
  app.require_subcommand(0, 1);
  std::string ranks;
  std::string algorithms = "all";
  std::string rank;
  std::string format = "text";

  CLI::App* const check_command = app.add_subcommand(
      "check", "Prove algorithms for numbers of ranks; exit code 1 if one is faulty");
  check_command->add_option("--ranks", ranks, "1:300, 8:256:8, 2,4,8")->required();
  check_command->add_option("--algorithms", algorithms, "Names, all, thesis")
      ->capture_default_str();

  CLI::App* const show_command =
      app.add_subcommand("show", "Print who sends which blocks to whom in each step");
  show_command->add_option("--algorithm", algorithms, "A name")->required();
  show_command->add_option("--ranks", ranks, "A number of ranks")->required();
  show_command->add_option("--rank", rank, "This rank alone");
  show_command->add_option("--format", format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.allow_extras();  // for a better word on them; not in the commands, made before
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  }
  if (!check_command->parsed() && !show_command->parsed()) {
    const std::vector<std::string> words = app.remaining();
    const std::vector<std::string_view> legal{"check", "show"};
    throw unknown_name("command line", "command", words.empty() ? "" : words.front(), legal);
  }
  return check_command->parsed() ? run_check(ranks, algorithms)
                                 : run_show(algorithms, ranks, rank, format);
}

}  // namespace
}  // namespace gatherbench

int main(int argc, char** argv) {
  try {
    return gatherbench::run(argc, argv);
  } catch (const std::exception& error) {  // bad input; or out of memory at a huge p
    std::fprintf(stderr, "allgather_schedule: %s\n", error.what());
    return 2;
  }
}
