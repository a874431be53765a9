// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "distributions/block_sizes.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"
#include "formats/text/words.h"
#include "tools/allgather_schedule/commands.h"

namespace gatherbench::allgather_schedule {
namespace {

struct Options {
  std::string ranks;
  std::string bytes;
  std::string distributions = "all";
};

std::vector<std::int64_t> sizes_of(const distributions::Distribution& distribution, int ranks,
                                   std::int64_t base) {
  try {
    return distributions::block_sizes(distribution, ranks, base);
  } catch (const text::InputError& error) {
    throw text::bad_value("--bytes", fmt::to_string(base), error.what());
  }
}

int run(const Options& options) {
  const std::vector<int> ranks = text::parse_ranks("--ranks", options.ranks, 1 << 20);
  if (ranks.size() != 1) throw text::bad_value("--ranks", options.ranks, "is more than one number");
  const std::int64_t base = text::parse_bytes("--bytes", options.bytes);
  const auto chosen = distributions::parse_distributions(
      "--distributions", options.distributions,
      [](const std::string& path) { return text::read_file("--distributions", path); });
  std::string rows = "distribution,rank,bytes\n";
  for (const distributions::Distribution& distribution : chosen) {
    distributions::require_ranks(distribution, ranks[0]);
    int rank = 0;
    for (const std::int64_t bytes : sizes_of(distribution, ranks[0], base)) {
      rows += fmt::format("{},{},{}\n", text::csv_cell(distribution.label), rank++, bytes);
    }
  }
  fmt::print("{}", rows);
  return 0;
}

}  // namespace

Command add_distributions_command(text::OptionTable& program) {
  text::OptionTable& command = program.add_command(
      "distributions", "Print the size of every block of distributions, as CSV");
  const auto options = std::make_shared<Options>();
  command.add("--ranks", options->ranks, "A number of ranks").required();
  command.add("--bytes", options->bytes, "The base size c").required();
  command.add("--distributions", options->distributions, "Names, all, file:PATH");
  command.set_example("allgather_schedule distributions --ranks 8 --bytes 1K");
  return {&command, [options] { return run(*options); }};
}

}  // namespace gatherbench::allgather_schedule
