// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gatherbench::bench {

/// The options of a program, each with the function that takes its value. The functions run when
/// the whole command line is known to be well-formed, in the order in which the options were added:
/// CLI11 would run them before it looks for --help.
class OptionTable {
 public:
  /// Takes the text behind an option; `option` is its long name, for messages. Throws InputError.
  using Take = std::function<void(std::string_view option, const std::string& text)>;

  /// The application must outlive the table.
  explicit OptionTable(CLI::App& app) : app_(&app) {}

  /// The heading in --help under which the next options stand.
  void begin_group(std::string name) { group_ = std::move(name); }
  /// An option with one value. `kind` stands for the value in --help.
  CLI::Option* add(const std::string& names, const std::string& kind, const std::string& help,
                   Take take);
  /// The same; without it, `take` gets `otherwise`, which --help shows.
  CLI::Option* add_with_default(const std::string& names, const std::string& kind,
                                const std::string& otherwise, const std::string& help, Take take);
  void add_flag(const std::string& names, bool& value, const std::string& help);

  /// False too if the program has no such option.
  [[nodiscard]] bool is_given(const std::string& option) const {
    const CLI::Option* const known = app_->get_option_no_throw(option);
    return known != nullptr && known->count() > 0;
  }
  /// Gives each function its values. Throws what they throw.
  void take_values() const;

 private:
  struct Row {
    CLI::Option* option;
    Take take;
    std::vector<std::string> otherwise;
  };

  CLI::App* app_;
  std::string group_;
  std::vector<Row> rows_;
};

}  // namespace gatherbench::bench
