// SPDX-License-Identifier: BSD-3-Clause
//
// allgather_schedule: proves, prints and prices the algorithms' schedules. Needs no MPI.
#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <exception>

#include "gatherbench_version.h"
#include "inspect/arrivals_command.h"
#include "inspect/check_command.h"
#include "inspect/cost_command.h"
#include "inspect/distributions_command.h"
#include "inspect/show_command.h"
#include "text/input_error.h"

namespace gatherbench::inspect {
namespace {

int run(int argc, char** argv) {
  CLI::App app{"Proves, prints and prices schedules of all-gather algorithms. Needs no MPI.",
               "allgather_schedule"};
  app.set_version_flag("--version", std::string(version));
  app.require_subcommand(0, 1);
  const std::array commands{add_check_command(app), add_show_command(app), add_cost_command(app),
                            add_distributions_command(app), add_arrivals_command(app)};
  app.allow_extras();  // for a better word on them; not in the commands, made before
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  }
  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
    names.push_back(command.app->get_name());
  }
  const std::vector<std::string> words = app.remaining();
  const std::vector<std::string_view> legal(names.begin(), names.end());
  throw text::unknown_name("command line", "command", words.empty() ? "" : words.front(), legal);
}

}  // namespace
}  // namespace gatherbench::inspect

int main(int argc, char** argv) {
  try {
    return gatherbench::inspect::run(argc, argv);
  } catch (const std::exception& error) {  // bad input; or out of memory at a huge p
    std::fprintf(stderr, "allgather_schedule: %s\n", error.what());
    return 2;
  }
}
