// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/option_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"
#include "formats/text/words.h"

namespace gatherbench::text {

Option Option::required(bool required) const {
  option_->required(required);
  return *this;
}

Option Option::not_with(std::string_view other, std::string_view why,
                        std::string_view legal) const {
  return word_not_with("", other, why, legal);
}

Option Option::word_not_with(std::string_view word, std::string_view other, std::string_view why,
                             std::string_view legal) const {
  rules_->push_back(
      {option_, std::string(word), std::string(other), std::string(why), std::string(legal)});
  return *this;
}

Option Option::refused(std::string_view word, std::string_view why, std::string_view legal) const {
  return word_not_with(word, "", why, legal);
}

Option Option::needs(std::string_view other) const {
  rules_->push_back({option_, "", std::string(other), "", ""});
  return *this;
}

Option Option::may_be_bare(const std::string& text) const {
  option_->expected(0, 1)->default_str(text);
  return *this;
}

Option Option::repeatable() const {
  option_->take_all()->allow_extra_args(false);
  return *this;
}

Option Option::described(const std::string& help) const {
  option_->description(wrapped_help(help));
  return *this;
}

// Does not indent the lines behind the first one: help_text() does that.
std::string wrapped_help(std::string_view help) {
  constexpr std::size_t width = 58;
  std::string lines;
  std::size_t column = 0;
  for (const std::string_view word : split(help, ' ')) {
    if (column > 0 && column + word.size() >= width) {
      lines += '\n';
      column = 0;
    } else if (column > 0) {
      lines += ' ';
    }
    lines += word;
    column += word.size() + 1;
  }
  return lines;
}

std::string long_name(const CLI::Option& option) { return "--" + option.get_lnames().front(); }

void require_values(std::span<const std::string> words) {
  for (const std::string_view word : words) {
    const std::size_t equals = word.find('=');
    if (!word.starts_with("--") || equals + 1 != word.size()) continue;
    throw bad_value(word.substr(0, equals), "", "is no value; legal: a value behind the '='");
  }
}

bool is_negative_number(std::string_view word) {
  if (!word.starts_with('-')) return false;
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error != std::errc::invalid_argument && end == word.data() + word.size();
}

std::string parser_message(std::string_view message) {
  constexpr std::string_view unexpected = "The following argument was not expected: ";
  if (message.starts_with(unexpected)) {
    return fmt::format("command line: '{}' was not expected; legal: the options that --help lists",
                       message.substr(unexpected.size()));
  }
  constexpr std::string_view several = " required but received ";
  if (const std::size_t at = message.find(several); at != std::string_view::npos) {
    return fmt::format("{}: is given {} times; legal: once", message.substr(0, message.find(':')),
                       message.substr(at + several.size()));
  }
  constexpr std::string_view missing = " missing";
  constexpr std::string_view required = ": 1 required ";
  const std::size_t at = message.find(required);
  if (at == std::string_view::npos || !message.ends_with(missing)) return std::string(message);
  const std::string_view option = message.substr(0, at);
  std::string_view kind = message.substr(at + required.size());
  kind.remove_suffix(missing.size());
  return fmt::format("{}: its value is missing; legal: {} {}", option, option, kind);
}

namespace {

// Width of the names and kinds of options, before their texts.
constexpr std::size_t names_width = 22;

/// Returns the heading of a group: "Options" for CLI11's own one, whether CLI11 calls it so or
/// OPTIONS, and "Subcommands" for SUBCOMMANDS.
std::string heading(const std::string& group) {
  if (group == "OPTIONS") return "Options";
  return group == "SUBCOMMANDS" ? "Subcommands" : group;
}

/// Returns the lines of --help on a name: the name and, in a column of its own, what it means.
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

/// Returns what --help shows in the column of names, such as "--sizes LIST=8:1M REQUIRED".
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

namespace {

/// Returns the item of the option's list that has the word before its colon or, if `word` is empty,
/// the option's long name. Returns an empty text if that was not given.
std::string given_word(const CLI::Option& option, std::string_view word) {
  if (option.count() == 0) return "";
  if (word.empty()) return long_name(option);
  for (const std::string& text : option.results()) {
    for (const std::string_view part : split(text, ',')) {
      if (part.substr(0, part.find(':')) == word) return std::string(part);
    }
  }
  return "";
}

std::vector<std::string> long_names(const CLI::App& app, std::string_view before) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back(fmt::format("{}{}", before, name));
    }
  }
  return names;
}

/// Returns the short names of all options, each behind a comma, such as ", -h, -i".
std::string short_names(const CLI::App& app) {
  std::string names;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_snames()) names += ", -" + name;
  }
  return names;
}

/// Returns the file that --config names; empty if that is not given.
std::string config_file(const CLI::App& app) {
  const CLI::Option* const config = app.get_option_no_throw("--config");
  return config != nullptr && config->count() > 0 ? config->results().front() : "";
}

constexpr std::string_view legal_options = "the options that --help lists";

/// Returns the error for a word that is no option, on the command line or in the file of --config.
InputError unknown_option(const CLI::App& app, const std::string& word,
                          std::span<const Elsewhere> elsewhere) {
  const std::string file = config_file(app);
  const bool from_file = !word.starts_with('-') && !file.empty();
  const std::string where = from_file ? "--config " + file : "command line";
  const std::string name = from_file ? "--" + word : word;
  std::vector<std::string_view> owners;
  for (const Elsewhere& one : elsewhere) {
    if (one.name == name) owners.push_back(one.of);
  }
  if (!owners.empty()) {
    return bad_value(where, word,
                     fmt::format("is no option of {}, but an option of {}; legal: {}",
                                 app.get_name(), fmt::join(owners, ", "), legal_options));
  }
  const std::vector<std::string> own = long_names(app, "--");
  std::vector<std::string_view> all(own.begin(), own.end());
  for (const Elsewhere& one : elsewhere) all.push_back(one.name);
  const std::string_view guess = nearest(name, all);
  if (guess.empty()) {
    // Short names come apart, since each is near to any other.
    return bad_value(where, word,
                     fmt::format("is no option; legal: {}{}", fmt::join(own, ", "),
                                 from_file ? "" : short_names(app)));
  }
  const auto owner = std::ranges::find(elsewhere, guess, &Elsewhere::name);
  const bool is_own = std::ranges::find(own, guess) != own.end();
  return bad_value(
      where, word,
      fmt::format("is no option (did you mean '{}'{}?); legal: {}", guess.substr(from_file ? 2 : 0),
                  is_own ? "" : " of " + owner->of, legal_options));
}

/// Returns the error for a missing option; CLI11's `message` on it begins with the option's name.
InputError missing_option(const CLI::App& app, std::string_view message,
                          const std::string& example) {
  const std::string name(message.substr(0, message.find(' ')));
  std::string legal = app.get_option(name)->get_description();
  std::ranges::replace(legal, '\n', ' ');
  if (!legal.empty()) {
    legal[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(legal[0])));
  }
  legal.erase(std::min(legal.find(" ("), legal.size()));
  return InputError(fmt::format("{}: is required; legal: {}, as in: {}", name, legal, example));
}

}  // namespace

struct OptionTable::Row {
  CLI::Option* option;
  Take take;
  std::vector<std::string> otherwise;
};

struct OptionTable::Text {
  CLI::Option* option;
  const std::string* value;
};

OptionTable::OptionTable(const std::string& description, const std::string& program,
                         const std::string& version)
    : program_(std::make_unique<CLI::App>(description, program)),
      app_(program_.get()),
      version_(version) {
  app_->allow_extras();  // for a better word on them; commands that were there would take it over
  app_->allow_config_extras(CLI::config_extras_mode::capture);
  app_->formatter(help_text());
  app_->get_config_formatter_base()->arrayDelimiter('\0');  // a list is one value, commas and all
  app_->set_version_flag("--version", version_, "Print the version");
  app_->set_help_flag("-h,--help", "Print this text");
}

OptionTable::OptionTable(CLI::App& command) : app_(&command) { command.allow_extras(); }

OptionTable::~OptionTable() = default;

OptionTable& OptionTable::add_command(const std::string& name, const std::string& description) {
  app_->require_subcommand(0, 1);
  CLI::App* const command = app_->add_subcommand(name, description);
  commands_.push_back(std::unique_ptr<OptionTable>(new OptionTable(*command)));
  return *commands_.back();
}

Option OptionTable::add(const std::string& names, const std::string& kind, const std::string& help,
                        Take take) {
  // The callback does nothing: `take_values` asks for the text later.
  CLI::Option* const option = app_->add_option(
      names, [](const CLI::results_t&) { return true; }, wrapped_help(help));
  option->type_name(kind);
  if (!group_.empty()) option->group(group_);
  rows_.push_back({option, std::move(take), {}});
  return {option, rules_};
}

Option OptionTable::add_with_default(const std::string& names, const std::string& kind,
                                     const std::string& otherwise, const std::string& help,
                                     Take take) {
  const Option option = add(names, kind, help, std::move(take));
  rows_.back().option->default_str(otherwise);
  rows_.back().otherwise = {otherwise};
  return option;
}

Option OptionTable::add(const std::string& names, std::string& value, const std::string& help) {
  CLI::Option* const option = app_->add_option(names, value, wrapped_help(help));
  if (!group_.empty()) option->group(group_);
  if (value.empty()) {
    texts_.push_back({option, &value});
  } else {
    option->capture_default_str();
  }
  return {option, rules_};
}

Option OptionTable::add_flag(const std::string& names, bool& value, const std::string& help) {
  CLI::Option* const option = app_->add_flag(names, value, wrapped_help(help));
  if (!group_.empty()) option->group(group_);
  return {option, rules_};
}

void OptionTable::add_config(const std::string& group, const std::string& other_group) {
  // Both flags are set anew, so that they stand behind what was added before.
  app_->set_version_flag("--version", version_, "Print the version")->group(other_group);
  app_->set_help_flag("-h,--help", "Print this text")->group(other_group);
  app_->set_config("--config", "", "Read options from a file of lines option=value")
      ->group(group)
      ->type_name("FILE")
      ->check([](const std::string& path) {
        // CLI11 treats a file that it cannot read to the end as if it were not there.
        require_regular_file("--config", path);
        return std::string();
      });
}

void OptionTable::set_footer(const std::string& text) { app_->footer(text); }

void OptionTable::set_example(const std::string& text) {
  example_ = text;
  const std::string footer = app_->get_footer();
  app_->footer(fmt::format("{}{}Example: {}", footer, footer.empty() ? "" : "\n", text));
}

std::vector<std::string> OptionTable::long_names() const { return text::long_names(*app_, "--"); }

Option OptionTable::option(const std::string& name) { return {app_->get_option(name), rules_}; }

bool OptionTable::is_given(const std::string& option) const {
  const CLI::Option* const known = app_->get_option_no_throw(option);
  return known != nullptr && known->count() > 0;
}

std::string OptionTable::given() const {
  std::string lines;
  for (const CLI::Option* const option : app_->get_options()) {
    if (option->count() == 0 || option == app_->get_config_ptr()) continue;
    for (const std::string& text : option->results()) {
      lines += fmt::format("{}={}\n", long_name(*option), in_one_line(text));
    }
  }
  return lines;
}

std::string OptionTable::config() const { return config_file(*app_); }

const OptionTable* OptionTable::command() const {
  for (const auto& command : commands_) {
    if (command->app_->parsed()) return command.get();
  }
  return nullptr;
}

std::optional<std::string> OptionTable::parse(std::vector<std::string> words) {
  require_values(words);
  words = joined(std::move(words));
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return app_->help();
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + '\n';
  } catch (const CLI::FileError& error) {
    throw InputError(fmt::format("--config: {}", error.what()));
  } catch (const CLI::RequiredError& error) {
    const OptionTable& given = command() == nullptr ? *this : *command();
    throw missing_option(*given.app_, error.what(), given.example_);
  } catch (const CLI::ParseError& error) {
    throw InputError(parser_message(error.what()));
  }
  require_no_extras();
  take_values();
  require_rules();
  for (const auto& command : commands_) {
    if (!command->app_->parsed()) continue;
    command->take_values();
    command->require_rules();
  }
  return std::nullopt;
}

/// Throws one of our errors for words that CLI11 did not know.
void OptionTable::require_no_extras() const {
  const OptionTable* const given = command();
  const CLI::App& app = given != nullptr ? *given->app_ : *app_;
  const std::vector<std::string> extras = app.remaining();
  const std::string first = extras.empty() ? "" : extras.front();
  if (!commands_.empty() && given == nullptr) {
    std::vector<std::string> names;
    for (const auto& command : commands_) names.push_back(command->app_->get_name());
    const std::vector<std::string_view> legal(names.begin(), names.end());
    if (extras.empty()) {
      throw InputError(
          fmt::format("command line: a command is missing; legal: {}", fmt::join(legal, ", ")));
    }
    throw unknown_name("command line", "command", first, legal);
  }
  if (extras.empty()) return;
  require_none_of_others(first);
  const OptionTable& here = given != nullptr ? *given : *this;
  throw unknown_option(app, first.substr(0, first.find('=')), elsewhere(here));
}

/// Returns the options of the program's commands other than `here`, and of other programs.
std::vector<Elsewhere> OptionTable::elsewhere(const OptionTable& here) const {
  std::vector<Elsewhere> found;
  for (const auto& command : commands_) {
    if (command.get() == &here) continue;
    for (std::string& name : command->long_names()) {
      found.push_back({std::move(name), command->app_->get_name()});
    }
  }
  if (elsewhere_) std::ranges::move(elsewhere_(), std::back_inserter(found));
  return found;
}

/// Throws InputError if the word is an option that users know from other programs. The value of a
/// short option may stand in the same word.
void OptionTable::require_none_of_others(std::string_view word) const {
  for (const auto& [short_name, long_name, is, legal] : others_) {
    const bool is_short = !word.starts_with("--") && word.starts_with(short_name);
    if (!is_short && word.substr(0, word.find('=')) != long_name) continue;
    throw InputError(fmt::format("command line: '{}' is {}; legal: {}",
                                 is_short ? short_name : long_name, is, legal));
  }
}

void OptionTable::take_values() const {
  for (const auto& [option, value] : texts_) {
    if (!value->empty() || option->count() == 0 || option->get_required()) continue;
    throw InputError(fmt::format("{}: '' is no value", long_name(*option)));
  }
  for (const Row& row : rows_) {
    const std::string name = long_name(*row.option);
    for (const std::string& text :
         row.option->count() > 0 ? row.option->results() : row.otherwise) {
      row.take(name, text);
    }
  }
}

void OptionTable::require_rules() const {
  for (const auto& [option, word, other, why, legal] : rules_) {
    const std::string given = given_word(*option, word);
    const bool applies = other.empty() || is_given(other) != why.empty();
    if (given.empty() || !applies) continue;
    const std::string name =
        long_name(*option) + (word.empty() ? ":" : fmt::format(": '{}'", given));
    if (other.empty()) throw InputError(fmt::format("{} {}; legal: {}", name, why, legal));
    if (why.empty()) {
      const CLI::Option& needed = *app_->get_option(other);
      throw InputError(fmt::format("{} needs {} {}", name, other, needed.get_type_name()));
    }
    throw InputError(fmt::format("{} does not go with {}: {}; legal: {}", name, other, why, legal));
  }
}

/// Returns the words with each negative number joined to the option before it, if that option may
/// come without a value: CLI11 would read -inf as -i with nf.
std::vector<std::string> OptionTable::joined(std::vector<std::string> words) const {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--") break;
    const CLI::Option* const option = app_->get_option_no_throw(words[i]);
    const bool may_be_bare = option != nullptr && option->get_items_expected_min() == 0 &&
                             option->get_items_expected_max() > 0;
    if (!may_be_bare || !is_negative_number(words[i + 1])) continue;
    words[i] = fmt::format("{}={}", long_name(*option), words[i + 1]);
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return words;
}

}  // namespace gatherbench::text
