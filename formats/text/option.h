// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
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

}  // namespace gatherbench::text
