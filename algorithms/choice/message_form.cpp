// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/choice/message_form.h"

#include <optional>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::algorithms {
namespace {

constexpr std::int64_t max_batch = 1'000'000;
constexpr std::string_view noncontiguous_key = "noncontiguous=";
constexpr std::string_view batch_key = "batch=";
constexpr std::string_view via_key = "via=";
constexpr std::string_view stage_key = "stage=";
constexpr std::string_view pieces_key = "pieces=";
constexpr std::int64_t max_pieces = 1024;

/// Returns what stands behind the key, if the text begins with it.
std::optional<std::string_view> value_of(std::string_view key, std::string_view text) {
  if (!text.starts_with(key)) return std::nullopt;
  return text.substr(key.size());
}

}  // namespace

bool is_of_message_form(std::string_view text) {
  return text.starts_with(noncontiguous_key) || text.starts_with(batch_key) ||
         text.starts_with(via_key);
}

bool read_message_form(std::string_view option, std::string_view text, MessageForm& form) {
  if (const auto value = value_of(noncontiguous_key, text)) {
    form.noncontiguous = text::parse_named(option, noncontiguous_names, *value);
    return true;
  }
  if (const auto value = value_of(batch_key, text)) {
    form.batch = text::parse_integer(option, *value, 1, max_batch);
    return true;
  }
  return false;
}

bool read_via(std::string_view option, std::string_view text, Via& via) {
  const auto value = value_of(via_key, text);
  if (value) via = text::parse_named(option, via_names, *value);
  return value.has_value();
}

std::string via_text(Via via) { return std::string(via_key).append(text::name_in(via_names, via)); }

Stage take_stage(std::string_view option, std::string& parts) {
  Stage stage;
  std::string others;
  std::string_view pieces;
  for (const std::string_view part : text::split(parts, ':')) {
    const auto where = value_of(stage_key, part);
    const auto count = value_of(pieces_key, part);
    if ((where && stage.on_host) || (count && !pieces.empty())) {
      throw text::bad_value(option, part, "is given twice; legal: once");
    }
    if (where) {
      stage.on_host = text::parse_named(option, stage_names, *where);
    } else if (count) {
      pieces = part;
      stage.pieces = text::parse_integer(option, *count, 2, max_pieces);
    } else {
      others.append(others.empty() ? "" : ":").append(part);
    }
  }
  if (!pieces.empty() && !stage.on_host) {
    throw text::bad_value(option, pieces, "is about copies to the host; legal: with stage=host");
  }
  if (stage.on_host) parts = others;
  return stage;
}

std::string stage_text(const Stage& stage) {
  std::string text(stage_key);
  text.append(text::name_in(stage_names, stage.on_host));
  if (stage.pieces > 1) text.append(":").append(pieces_key).append(std::to_string(stage.pieces));
  return text;
}

}  // namespace gatherbench::algorithms
