// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/help_text.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gatherbench::text {
namespace {

// Width of the names and kinds of options, before their texts.
constexpr std::size_t names_width = 22;

/// "Options", whether the library calls its own group so or OPTIONS.
std::string heading(const std::string& group) {
  if (group == "OPTIONS") return "Options";
  return group == "SUBCOMMANDS" ? "Subcommands" : group;
}

/// A name and, in a column of its own, what it means.
std::string line(const std::string& name, std::string_view meaning) {
  std::string text = fmt::format("  {:<{}}", name, names_width - 2);
  if (!meaning.empty() && name.size() + 2 >= names_width) {
    text += fmt::format("\n{:{}}", "", names_width);
  }
  for (const char letter : meaning) {
    text += letter;
    if (letter == '\n') text += std::string(names_width, ' ');
  }
  return text + '\n';
}

/// "--sizes LIST=8:1M REQUIRED"
std::string name_of(const CLI::Option& option) {
  std::string name = option.get_name(false, true);
  if (option.get_type_size() == 0) return name;
  if (!option.get_type_name().empty()) name += ' ' + option.get_type_name();
  if (!option.get_default_str().empty()) name += '=' + option.get_default_str();
  if (option.get_required()) name += " REQUIRED";
  return name;
}

std::string options_of(const CLI::App& app) {
  std::string text;
  const std::vector<std::string> groups = app.get_groups();
  for (const std::string& group : groups) {
    const std::vector<const CLI::Option*> options =
        app.get_options([&](const CLI::Option* option) { return option->get_group() == group; });
    if (group.empty() || options.empty()) continue;
    text += fmt::format("\n{}:\n", heading(group));
    for (const CLI::Option* option : options) {
      text += line(name_of(*option), option->get_description());
    }
    if (group != groups.back()) text += '\n';
  }
  return text;
}

std::string commands_of(const CLI::App& app) {
  std::string text;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (text.empty()) text = fmt::format("\n{}:\n", heading(command->get_group()));
    text += line(command->get_name(), command->get_description());
  }
  return text;
}

class HelpText : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode /*mode*/) const override {
    const std::string commands = commands_of(*app);
    const std::string footer = app->get_footer();
    return fmt::format("{}\nUsage: {} [OPTIONS]{}\n{}{}\n{}", app->get_description(), name,
                       commands.empty() ? "" : " [SUBCOMMAND]", options_of(*app), commands,
                       footer.empty() ? "" : footer + '\n');
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_text() { return std::make_shared<HelpText>(); }

}  // namespace gatherbench::text
