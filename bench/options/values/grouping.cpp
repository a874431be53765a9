// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/values/grouping.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "formats/text/input_error.h"
#include "formats/text/named.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {
namespace {

using By = Grouping::By;

constexpr std::array numbered{text::Named<By>{"mod:", By::modulo},
                              text::Named<By>{"div:", By::quotient}};
constexpr std::string_view by_node = "node";
constexpr std::string_view from_file = "file:";

}  // namespace

Grouping parse_grouping(std::string_view option, const std::string& text) {
  if (text == by_node) return {.by = By::node, .label = text};
  for (const auto& [form, by] : numbered) {
    if (!text.starts_with(form)) continue;
    const std::int64_t number =
        text::parse_integer(fmt::format("{} {}", option, form), text.substr(form.size()), 1,
                            std::numeric_limits<int>::max());
    return {.by = by, .number = static_cast<int>(number), .label = text};
  }
  if (text.starts_with(from_file) && text.size() > from_file.size()) {
    return {.by = By::file, .path = text.substr(from_file.size()), .label = text};
  }
  throw text::bad_value(option, text,
                        fmt::format("is no way to form groups; legal: {}", group_forms));
}

}  // namespace gatherbench::bench
