// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "tools/allgather_schedule/catalogue/catalogue.h"
#include "tools/allgather_schedule/commands.h"

namespace gatherbench::allgather_schedule {

Command add_catalogue_command(text::OptionTable& program) {
  text::OptionTable& command = program.add_command(
      "catalogue",
      "Print what has a name: algorithms, sets of them, distributions, arrival patterns, columns, "
      "status words, metadata keys");
  struct Flags {
    bool json = false;
    bool markdown = false;
    std::string names;
  };
  const auto flags = std::make_shared<Flags>();
  const std::string_view one_form = "it is printed in one form";
  command.add_flag("--json", flags->json, "For programs");
  command.add_flag("--markdown", flags->markdown, "As docs/reference/names.md")
      .not_with("--json", one_form);
  command
      .add("--names", flags->names,
           "The names of one kind, a line each, as completion in shells wants them: " +
               kinds_of_names())
      .not_with("--json", one_form)
      .not_with("--markdown", one_form);
  command.set_example("allgather_schedule catalogue --names algorithms");
  return {&command, [flags] {
            fmt::print("{}", !flags->names.empty() ? catalogue_names("--names", flags->names)
                             : flags->json         ? catalogue_json()
                             : flags->markdown     ? reference_markdown()
                                                   : catalogue_text());
            return 0;
          }};
}

}  // namespace gatherbench::allgather_schedule
