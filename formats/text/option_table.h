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

/// The options that an option does not go with, or needs. OptionTable asks when all options are
/// read.
struct Rule {
  const CLI::Option* option;
  std::string word;   ///< of a list, or before a colon; empty: whatever it is given
  std::string other;  ///< empty: the option is not for this launch
  std::string why;    ///< empty: the option needs the other one
  std::string legal;  ///< of a need: nothing
};

/// An option of another program, for who knows that one. The message is "command line: 'NAME' is
/// IS; legal: LEGAL".
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

/// An option of a table, for what few of them want.
class Option {
 public:
  /// `rules` are the table's.
  Option(CLI::Option* option, std::vector<Rule>& rules) : option_(option), rules_(&rules) {}

  // NOLINTBEGIN(modernize-use-nodiscard): each changes the option of the table
  Option required(bool required = true) const;
  /// It and `other`, a long name, cannot be given together, and why: the message is "OPTION: does
  /// not go with OTHER: WHY; legal: LEGAL".
  Option not_with(std::string_view other, std::string_view why,
                  std::string_view legal = "one of the two") const;
  /// The same of one of its words: of a list separated by commas, or what stands before a colon.
  Option word_not_with(std::string_view word, std::string_view other, std::string_view why,
                       std::string_view legal = "one of the two") const;
  /// It is given together with `other`, a long name, or not at all.
  Option needs(std::string_view other) const;
  /// The word, or with none the option, is not for this launch: the message is "OPTION: 'WORD' WHY;
  /// legal: LEGAL".
  Option refused(std::string_view word, std::string_view why, std::string_view legal) const;
  /// Its value may be missing, and is then `text`.
  Option may_be_bare(const std::string& text) const;
  /// It may be given several times, with one value each.
  Option repeatable() const;
  /// Another text in --help.
  Option described(const std::string& help) const;
  // NOLINTEND(modernize-use-nodiscard)

 private:
  CLI::Option* option_;
  std::vector<Rule>* rules_;
};

/// The text of --help with line breaks, so that it fits 80 columns beside the column of names.
[[nodiscard]] std::string wrapped_help(std::string_view help);

/// Its name for messages.
[[nodiscard]] std::string long_name(const CLI::Option& option);

/// Throws InputError if a word is "--option=": CLI11 would take the next word as its value.
void require_values(std::span<const std::string> words);

/// Returns true if a word is a number below 0 such as -1 or -inf, although CLI11 may see an option
/// in it.
bool is_negative_number(std::string_view word);

/// A message of CLI11's, or our own instead of those that leave open what is meant: "--sizes: 1
/// required LIST missing", "The following argument was not expected: ".
std::string parser_message(std::string_view message);

/// Formats the text of --help: description, usage, options by their groups, commands, footer.
/// CLI11's own formatter is not used, since completions and manual pages read the text, and it
/// looks different from CLI11 2.5 on.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_text();

/// The options of a program, or of one of its commands, and the one place that knows the parser:
/// CLI11, whose header costs each source that sees it seconds.
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

  /// A command of the program, with options of its own; it lives as long as the program's table.
  OptionTable& add_command(const std::string& name, const std::string& description);
  /// The heading in --help under which the next options stand.
  void begin_group(std::string name) { group_ = std::move(name); }
  /// An option with one value. `kind` stands for the value in --help.
  Option add(const std::string& names, const std::string& kind, const std::string& help, Take take);
  /// The same; without it, `take` gets `otherwise`, which --help shows.
  Option add_with_default(const std::string& names, const std::string& kind,
                          const std::string& otherwise, const std::string& help, Take take);
  /// An option whose value is read later. --help shows what `value` is now, if it is not empty;
  /// else an empty value is refused, since it means that the option is not given.
  Option add(const std::string& names, std::string& value, const std::string& help);
  Option add_flag(const std::string& names, bool& value, const std::string& help);
  /// --config FILE, with lines option=value, in `group`; --help and --version in `other_group`.
  void add_config(const std::string& group, const std::string& other_group);
  /// Options that users know from other programs: their messages say what to write here.
  void add_others(std::span<const OthersOption> options) {
    others_.assign(options.begin(), options.end());
  }
  /// The options of the suite's other programs, for words that are no option of this one. `find` is
  /// only called for such a word.
  void add_elsewhere(std::function<std::vector<Elsewhere>()> find) { elsewhere_ = std::move(find); }
  /// Sets the text below the options in --help.
  void set_footer(const std::string& text);
  /// A whole command line: it stands last in --help, and in messages on what is missing.
  void set_example(const std::string& text);

  /// An option that was added.
  [[nodiscard]] Option option(const std::string& name);
  /// False too if the program has no such option.
  [[nodiscard]] bool is_given(const std::string& option) const;
  /// All that was given, on the command line and in the file of --config: lines "--option=value",
  /// in the order in which the options were added.
  [[nodiscard]] std::string given() const;
  /// The file of --config; empty: none was given.
  [[nodiscard]] std::string config() const;
  /// The command that was given; null: none.
  [[nodiscard]] const OptionTable* command() const;
  /// "--sizes" and so on, of all options.
  [[nodiscard]] std::vector<std::string> long_names() const;

  /// Reads the words behind the program's name and gives each function its value. Returns the text
  /// to print and leave (--help, --version), or nothing. Throws InputError, and what they throw.
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

  std::unique_ptr<CLI::App> program_;  ///< of a command: null
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
