// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "inspect/catalogue.h"
#include "inspect/commands.h"
#include "inspect/reference.h"

namespace gatherbench::inspect {

Command add_catalogue_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "catalogue",
      "Print what has a name: algorithms, sets of them, distributions, arrival patterns, columns, "
      "status words, metadata keys");
  struct Flags {
    bool json = false;
    bool markdown = false;
  };
  const auto flags = std::make_shared<Flags>();
  CLI::Option* const json = command->add_flag("--json", flags->json, "For programs");
  command->add_flag("--markdown", flags->markdown, "As docs/reference.md")->excludes(json);
  return {command, [flags] {
            fmt::print("{}", flags->json       ? catalogue_json()
                             : flags->markdown ? reference_markdown()
                                               : catalogue_text());
            return 0;
          }};
}

}  // namespace gatherbench::inspect
