// SPDX-License-Identifier: BSD-3-Clause
//
// allgather_schedule: proves, prints and prices the algorithms' schedules. Needs no MPI.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "formats/text/option_table.h"
#include "formats/text/printed.h"
#include "formats/text/words.h"
#include "gatherbench_version.h"
#include "tools/allgather_schedule/commands.h"
#include "tools/allgather_schedule/common/common.h"

namespace gatherbench::allgather_schedule {
namespace {

int run(std::vector<std::string> arguments) {
  text::OptionTable program(
      "Proves, prints and prices schedules of all-gather algorithms. Needs no "
      "MPI.",
      "allgather_schedule", version);
  const std::array commands{add_prove_command(program),    add_show_command(program),
                            add_cost_command(program),     add_time_command(program),
                            add_mapping_command(program),  add_locality_command(program),
                            add_rings_command(program),    add_distributions_command(program),
                            add_arrivals_command(program), add_catalogue_command(program)};
  if (const auto printed = program.parse(std::move(arguments))) {
    fmt::print("{}", *printed);
    return 0;
  }
  const auto* const given = std::ranges::find(commands, program.command(), &Command::table);
  const int exit_code = given->run();
  for (const std::string& note : notes()) {
    fmt::print(stderr, "allgather_schedule: note: {}\n", note);
  }
  return exit_code;
}

/// Runs the program, and returns its exit code.
int run_and_print(std::vector<std::string> arguments) {
  const int exit_code = run(std::move(arguments));
  text::require_printed();
  return exit_code;
}

}  // namespace
}  // namespace gatherbench::allgather_schedule

int main(int argc, char** argv) {
  try {
    return gatherbench::allgather_schedule::run_and_print({argv + 1, argv + argc});
  } catch (const std::bad_alloc&) {
    std::fputs("allgather_schedule: out of memory; legal: fewer --ranks\n", stderr);
    return 2;
  } catch (const std::exception& error) {
    const std::string fault = gatherbench::text::in_one_line(error.what());
    std::fprintf(stderr, "allgather_schedule: %s\n", fault.c_str());
    return 2;
  }
}
