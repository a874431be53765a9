// SPDX-License-Identifier: BSD-3-Clause
//
// allgather_schedule: proves, prints and prices the algorithms' schedules. Needs no MPI.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "gatherbench_version.h"
#include "inspect/commands.h"
#include "text/command_words.h"
#include "text/former_names.h"
#include "text/input_error.h"
#include "text/one_line.h"

namespace gatherbench::inspect {
namespace {

constexpr std::array former_commands{text::FormerName{"check", "prove"}};

int run(std::vector<std::string> arguments) {
  CLI::App app{"Proves, prints and prices schedules of all-gather algorithms. Needs no MPI.",
               "allgather_schedule"};
  app.set_version_flag("--version", std::string(version));
  app.require_subcommand(0, 1);
  const std::array commands{add_prove_command(app),    add_show_command(app),
                            add_cost_command(app),     add_time_command(app),
                            add_mapping_command(app),  add_locality_command(app),
                            add_rings_command(app),    add_distributions_command(app),
                            add_arrivals_command(app), add_catalogue_command(app)};
  app.allow_extras();  // for a better word on them; not in the commands, made before
  try {
    if (!arguments.empty()) {
      arguments.front() = text::current_name(former_commands, arguments.front());
    }
    text::require_values(arguments);
    std::ranges::reverse(arguments);  // as CLI11 takes them
    app.parse(std::move(arguments));
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw text::InputError(text::parser_message(error.what()));
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
  int exit_code = 2;
  std::string fault;
  try {
    exit_code = gatherbench::inspect::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {  // bad input; or out of memory at a huge p
    fault = gatherbench::text::in_one_line(error.what());
  }
  std::vector<std::string> messages{fault};
  if (fault.empty()) messages = gatherbench::text::former_name_notices();
  for (const std::string& message : messages) {
    std::fprintf(stderr, "allgather_schedule: %s\n", message.c_str());
  }
  return exit_code;
}
