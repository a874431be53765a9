// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "inspect/catalogue.h"
#include "inspect/commands.h"

namespace gatherbench::inspect {

Command add_catalogue_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "catalogue",
      "Print what there is: algorithms, sets of them, distributions, arrival patterns");
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "For programs");
  return {command, [as_json] {
            fmt::print("{}", *as_json ? catalogue_json() : catalogue_text());
            return 0;
          }};
}

}  // namespace gatherbench::inspect
