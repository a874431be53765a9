// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/values/notes.h"

#include <algorithm>

#include "formats/text/input_error.h"

namespace gatherbench::bench {

void add_note(std::vector<Note>& notes, std::string_view option, const std::string& text) {
  constexpr std::string_view legal = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw text::bad_value(option, text, "has no '='; legal: KEY=VALUE");
  }
  Note note{text.substr(0, equals), text.substr(equals + 1)};
  if (note.key.empty()) throw text::bad_value(option, text, "has no key; legal: KEY=VALUE");
  if (note.key.find_first_not_of(legal) != std::string::npos) {
    throw text::bad_value(option, note.key, "is no key; legal: a-z, 0-9, '_', '.' and '-'");
  }
  if (note.value.find_first_of("\n\r") != std::string::npos) {
    throw text::bad_value(option, note.key, "has a line break in its value; legal: one line");
  }
  if (std::ranges::find(notes, note.key, &Note::key) != notes.end()) {
    throw text::bad_value(option, note.key, "is given twice; legal: each key once");
  }
  notes.push_back(std::move(note));
}

}  // namespace gatherbench::bench
