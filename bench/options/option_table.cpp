// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/option_table.h"

#include <utility>

#include "text/parse.h"

namespace gatherbench::bench {
namespace {

/// With line breaks, so that help fits 80 columns beside the column of names. CLI11 indents what
/// follows.
std::string wrap(std::string_view text) {
  constexpr std::size_t width = 58;
  std::string lines;
  std::size_t column = 0;
  for (const std::string_view word : text::split(text, ' ')) {
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

}  // namespace

CLI::Option* OptionTable::add(const std::string& names, const std::string& kind,
                              const std::string& help, Take take) {
  // A callback that does nothing: the text is asked for by `take_values`.
  CLI::Option* const option = app_->add_option(
      names, [](const CLI::results_t&) { return true; }, wrap(help));
  option->group(group_)->type_name(kind);
  rows_.push_back({option, std::move(take), {}});
  return option;
}

CLI::Option* OptionTable::add_with_default(const std::string& names, const std::string& kind,
                                           const std::string& otherwise, const std::string& help,
                                           Take take) {
  CLI::Option* const option = add(names, kind, help, std::move(take))->default_str(otherwise);
  rows_.back().otherwise = {otherwise};
  return option;
}

void OptionTable::add_flag(const std::string& names, bool& value, const std::string& help) {
  app_->add_flag(names, value, wrap(help))->group(group_);
}

void OptionTable::take_values() const {
  for (const Row& row : rows_) {
    const std::string name = "--" + row.option->get_lnames().front();
    for (const std::string& text :
         row.option->count() > 0 ? row.option->results() : row.otherwise) {
      row.take(name, text);
    }
  }
}

}  // namespace gatherbench::bench
