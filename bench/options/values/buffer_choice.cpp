// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/values/buffer_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {

namespace {

constexpr std::string_view random_word = "random";

std::int64_t whole(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

std::int64_t BufferPlace::set_aside(std::int64_t bytes) const {
  if (bytes <= 0) return 0;
  if (in == BuffersIn::window) return whole(offset + bytes, page_bytes);  // each begins a page
  if (is_of_device(in)) return offset + bytes + page_bytes;  // its memory may begin within a page
  switch (pages) {
    case Pages::small:
      return offset + bytes + huge_page_bytes;  // begins where a huge page could
    case Pages::huge:
      return whole(offset + bytes, huge_page_bytes) + huge_page_bytes;
    default:
      return offset + bytes;
  }
}

BufferOffsets BufferOffsets::drawn(std::uint64_t seed) const {
  if (!random) return *this;
  constexpr std::uint32_t places = 0x706c6163;  // keeps it apart from what else the seed is for
  std::seed_seq seeds{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      places};
  std::mt19937_64 draw(seeds);
  // std::uniform_int_distribution draws other numbers in each C++ library. A remainder does not,
  // and it is uniform since a power of two divides the generator's range.
  constexpr auto units = static_cast<std::uint64_t>(page_bytes / drawn_unit);
  const auto next = [&] { return static_cast<std::int64_t>(draw() % units) * drawn_unit; };
  BufferOffsets found = *this;
  found.send = next();
  found.receive = next();
  return found;
}

std::string BufferOffsets::text() const {
  if (random) return std::string(random_word);
  return send == receive ? fmt::to_string(send) : in_numbers();
}

std::string BufferOffsets::in_row() const {
  return random ? std::string(random_word) : in_numbers();
}

std::string BufferOffsets::in_numbers() const { return fmt::format("{},{}", send, receive); }

bool BufferOffsets::cut(std::int64_t element_bytes) const {
  if (random) return drawn_unit % element_bytes != 0;
  return send % element_bytes != 0 || receive % element_bytes != 0;
}

BufferOffsets parse_offsets(std::string_view option, std::string_view text) {
  if (text == random_word) {
    constexpr std::int64_t largest = page_bytes - BufferOffsets::drawn_unit;
    return {.send = largest, .receive = largest, .random = true};
  }
  const std::size_t comma = text.find(',');
  const std::string_view first = text.substr(0, comma);
  const std::string_view second = comma == text.npos ? first : text.substr(comma + 1);
  const auto parse = [&](std::string_view bytes) {
    try {
      return text::parse_integer(option, bytes, 0, page_bytes - 1);
    } catch (const text::InputError&) {
      throw text::bad_value(option, text,
                            fmt::format("is no place behind the begin of a page; legal: {}, with 0 "
                                        "to {} bytes each",
                                        fmt::join(offset_forms, ", "), page_bytes - 1));
    }
  };
  return {.send = parse(first), .receive = parse(second)};
}

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
