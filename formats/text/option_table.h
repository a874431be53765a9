// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Rules for the words of a command line that CLI11 leaves open.
namespace CLI {
class App;
class FormatterBase;
class Option;
}  // namespace CLI

namespace gatherbench::text {

/// A rule on an option: it does not go with another one, needs another one, or is refused.
/// OptionTable applies the rules when all options are read.
struct Rule {
  const CLI::Option* option;
  std::string word;   ///< applies to this word alone (see word_not_with); empty: to any value
  std::string other;  ///< the other option; empty: the option is not for this launch
  std::string why;    ///< the reason in the message; empty: the option needs the other one
  std::string legal;  ///< what the message calls legal; empty where the option needs another one
};

/// An option of another program, for users who know that program. The message is "command line:
/// 'NAME' is IS; legal: LEGAL".
struct OthersOption {
  std::string_view short_name;  ///< "-d"
  std::string_view long_name;   ///< "--ddt"
  std::string_view is;          ///< "the OSU benchmarks' option for derived datatypes"
  std::string_view legal;       ///< what does the same here, or that nothing does
};

/// An option of another program or command of the suite.
struct Elsewhere {
  std::string name;  ///< "--distributions"
  std::string of;    ///< "allgatherv_bench"
};

/// An option of a table. Its functions set what only few options need.
class Option {
 public:
  /// Refers to `option`; its rules are added to `rules`, which are the table's.
  Option(CLI::Option* option, std::vector<Rule>& rules) : option_(option), rules_(&rules) {}

  // NOLINTBEGIN(modernize-use-nodiscard): each changes the option of the table
  Option required(bool required = true) const;
  /// Forbids that the option and `other`, a long name, are given together. The message is "OPTION:
  /// does not go with OTHER: WHY; legal: LEGAL".
  Option not_with(std::string_view other, std::string_view why,
                  std::string_view legal = "one of the two") const;
  /// Forbids one word of the option's value together with `other`: an item of a list that is
  /// separated by commas, or what stands before the item's colon.
  Option word_not_with(std::string_view word, std::string_view other, std::string_view why,
                       std::string_view legal = "one of the two") const;
  /// Requires that `other`, a long name, is given too if the option is given.
  Option needs(std::string_view other) const;
  /// Forbids the word or, if it is empty, the option in this launch. The message is "OPTION: 'WORD'
  /// WHY; legal: LEGAL".
  Option refused(std::string_view word, std::string_view why, std::string_view legal) const;
  /// Allows the option without a value; the value is `text` then.
  Option may_be_bare(const std::string& text) const;
  /// Allows the option several times, with one value each.
  Option repeatable() const;
  /// Replaces the option's text in --help.
  Option described(const std::string& help) const;
  // NOLINTEND(modernize-use-nodiscard)

 private:
  CLI::Option* option_;
  std::vector<Rule>* rules_;
};

/// Returns a text of --help with line breaks, so that it fits 80 columns beside the option names.
[[nodiscard]] std::string wrapped_help(std::string_view help);

/// Returns the option's name for messages, such as "--sizes".
[[nodiscard]] std::string long_name(const CLI::Option& option);

/// Throws InputError if a word is "--option=": CLI11 would take the next word as its value.
void require_values(std::span<const std::string> words);

/// Returns true if a word is a number below 0 such as -1 or -inf, although CLI11 may see an option
/// in it.
bool is_negative_number(std::string_view word);

/// Returns the message of CLI11, or our own instead of one that leaves open what is meant, such as
/// "--sizes: 1 required LIST missing" and "The following argument was not expected: ".
std::string parser_message(std::string_view message);

/// Returns the formatter of --help: description, usage, options by their groups, commands, footer.
/// CLI11's own formatter is not used, since completions and manual pages read the text, and it
/// looks different from CLI11 2.5 on.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_text();

/// The options of a program, or of one of its commands, and the one place that knows the parser:
/// CLI11, whose header takes seconds to compile in each source that includes it.
///
/// An option has a function that takes its value, or a text that becomes it. The functions run when
/// the whole command line is known to be well-formed, in the order in which the options were added:
/// CLI11 would run them before it looks for --help. Then the rules are looked at, in that order
/// too.
class OptionTable {
 public:
  /// Takes the text behind an option; `option` is its long name, for messages. Throws InputError.
  using Take = std::function<void(std::string_view option, const std::string& text)>;

  /// `version` is what --version prints.
  OptionTable(const std::string& description, const std::string& program,
              const std::string& version);
  ~OptionTable();
  OptionTable(const OptionTable&) = delete;
  OptionTable& operator=(const OptionTable&) = delete;

  /// Adds a command to the program. Returns the table of the command's own options, which lives as
  /// long as the program's table.
  OptionTable& add_command(const std::string& name, const std::string& description);
  /// Sets the heading in --help under which the next options stand.
  void begin_group(std::string name) { group_ = std::move(name); }
  /// Adds an option with one value. `kind` stands for the value in --help.
  Option add(const std::string& names, const std::string& kind, const std::string& help, Take take);
  /// Adds an option with one value; without it, `take` gets `otherwise`, which --help shows.
  Option add_with_default(const std::string& names, const std::string& kind,
                          const std::string& otherwise, const std::string& help, Take take);
  /// Adds an option whose text `parse` puts into `value`. --help shows what `value` is now, if it
  /// is not empty; else an empty value is refused, since it means that the option is not given. A
  /// required option gets it, and its reader refuses it.
  Option add(const std::string& names, std::string& value, const std::string& help);
  Option add_flag(const std::string& names, bool& value, const std::string& help);
  /// Adds --config FILE, with lines option=value, to `group`, and puts --help and --version into
  /// `other_group`.
  void add_config(const std::string& group, const std::string& other_group);
  /// Sets the options that users know from other programs: their messages say what to write here.
  void add_others(std::span<const OthersOption> options) {
    others_.assign(options.begin(), options.end());
  }
  /// Sets `find`, which returns the options of the suite's other programs, for messages on words
  /// that are no option of this one. It is called for such a word only.
  void add_elsewhere(std::function<std::vector<Elsewhere>()> find) { elsewhere_ = std::move(find); }
  /// Sets the text below the options in --help.
  void set_footer(const std::string& text);
  /// Sets a whole command line that stands last in --help, and in messages on what is missing.
  void set_example(const std::string& text);

  /// Returns an option that was added.
  [[nodiscard]] Option option(const std::string& name);
  /// Returns whether the option was given; false, too, if the program has no such option.
  [[nodiscard]] bool is_given(const std::string& option) const;
  /// Returns all that was given, on the command line and in the file of --config: lines
  /// "--option=value", in the order in which the options were added.
  [[nodiscard]] std::string given() const;
  /// Returns the file of --config; empty: none was given.
  [[nodiscard]] std::string config() const;
  /// Returns the table of the command that was given; null: none was given.
  [[nodiscard]] const OptionTable* command() const;
  /// Returns the long names of all options, such as "--sizes".
  [[nodiscard]] std::vector<std::string> long_names() const;

  /// Reads the words behind the program's name and gives each function its value. Returns the text
  /// to print before the program ends (--help, --version), or nothing. Throws InputError, and what
  /// the functions throw.
  std::optional<std::string> parse(std::vector<std::string> words);

 private:
  struct Row;
  struct Text;

  explicit OptionTable(CLI::App& command);
  void require_no_extras() const;
  [[nodiscard]] std::vector<Elsewhere> elsewhere(const OptionTable& here) const;
  void require_none_of_others(std::string_view word) const;
  void take_values() const;
  void require_rules() const;
  [[nodiscard]] std::vector<std::string> joined(std::vector<std::string> words) const;

  std::unique_ptr<CLI::App> program_;  ///< null in the table of a command
  CLI::App* app_;
  std::string version_;
  std::string group_;
  std::vector<Row> rows_;
  std::vector<Text> texts_;
  std::vector<Rule> rules_;
  std::vector<OthersOption> others_;
  std::function<std::vector<Elsewhere>()> elsewhere_;
  std::string example_;
  std::vector<std::unique_ptr<OptionTable>> commands_;
};

}  // namespace gatherbench::text
