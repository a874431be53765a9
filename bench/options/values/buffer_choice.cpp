// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/values/buffer_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{1} << 50;

}  // namespace

std::string BufferChoice::text() const {
  const std::string_view name = name_in(buffer_names, use);
  return bytes == 0 ? std::string(name) : fmt::format("{}:{}", name, bytes);
}

BufferChoice parse_buffers(std::string_view option, std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return text::bad_value(option, text,
                           fmt::format("{}; legal: {}", why, fmt::join(buffer_forms, ", ")));
  };
  const std::size_t colon = text.find(':');
  const auto row =
      std::ranges::find(buffer_names, text.substr(0, colon), &text::Named<BufferUse>::name);
  if (row == buffer_names.end()) {
    throw text::unknown_name(option, "value of it", text, buffer_forms);
  }
  BufferChoice choice{row->value};
  const bool takes_bytes = choice.use == BufferUse::rotate || choice.use == BufferUse::cold;
  if (colon == std::string_view::npos) {
    if (choice.use == BufferUse::rotate) throw refuse("does not say how many bytes");
    return choice;
  }
  if (!takes_bytes) throw refuse("takes no bytes");
  choice.bytes = text::parse_bytes(option, text.substr(colon + 1));
  if (choice.bytes > max_bytes) throw refuse("is more than any machine has");
  return choice;
}

}  // namespace gatherbench::bench
