// SPDX-License-Identifier: BSD-3-Clause
#include "inspect/show_command.h"

#include <fmt/format.h>

#include "inspect/show_schedule.h"
#include "text/input_error.h"
#include "text/parse.h"

namespace gatherbench {
namespace {

// All ranks' schedules grow with p^2; one rank's do not.
constexpr int most_together = 8192;
constexpr int most_alone = 1 << 24;

struct Options {
  std::string algorithm;
  std::string ranks;
  std::string rank;
  std::string bytes = "1";
  std::string format = "text";
  PlacementOptions placement;
};

int run(const Options& options) {
  const auto choices = schedule_choices("--algorithm", options.algorithm);
  if (choices.size() != 1) {
    throw bad_value("--algorithm", options.algorithm, "is more than one algorithm");
  }
  const Choice& choice = choices[0];
  const std::vector<int> ranks =
      parse_ranks("--ranks", options.ranks, options.rank.empty() ? most_together : most_alone);
  if (ranks.size() != 1) throw bad_value("--ranks", options.ranks, "is more than one number");
  const int p = ranks[0];
  require_parameter("--algorithm", choice, p);
  const Placement placement = options.placement.place(p, options.placement.read_tree());
  const std::vector<std::int64_t> block_bytes(static_cast<std::size_t>(p),
                                              parse_bytes("--bytes", options.bytes));
  Problem problem = placement.place(problem_for(choice, p));
  problem.block_bytes = block_bytes;
  if (const std::string reason = why_not(choice, problem); !reason.empty()) {
    throw bad_value("--algorithm", options.algorithm, reason);
  }
  Shown shown{choice.label(), p, std::nullopt, {}, {}};
  if (options.rank.empty()) {
    shown.schedules = make_schedules(*choice.algorithm, problem);
  } else {
    problem.rank = static_cast<int>(parse_integer("--rank", options.rank, 0, p - 1));
    shown.rank = problem.rank;
    shown.schedules.push_back(make_schedule(*choice.algorithm, problem));
  }
  shown.segments = cut(block_bytes, shown.schedules[0].segment_bytes);
  fmt::print("{}", options.format == "json" ? show_json(shown) : show_text(shown));
  return 0;
}

}  // namespace

Command add_show_command(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("show", "Print who sends which blocks to whom in each step");
  const auto options = std::make_shared<Options>();
  command->add_option("--algorithm", options->algorithm, "A name")->required();
  command->add_option("--ranks", options->ranks, "A number of ranks")->required();
  command->add_option("--rank", options->rank, "This rank alone")->check(require_text);
  command->add_option("--bytes", options->bytes, "Of each block, for segments")
      ->capture_default_str();
  options->placement.add_to(*command);
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  return {command, [options] { return run(*options); }};
}

}  // namespace gatherbench
