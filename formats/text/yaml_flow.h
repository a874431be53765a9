// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// A value of YAML behind its key is a text, or in brackets a list or a map (YAML's flow style).
// JSON is such a text. yaml.h reads the blocks that are made of indented lines.
namespace gatherbench::text {

/// A value of a YAML file, with the line of its key, or of its beginning if it has none.
struct Yaml {
  enum class Kind { scalar, list, map };

  int line = 0;
  Kind kind = Kind::scalar;
  std::string key;             ///< in the map that it is a value of
  std::string value;           ///< of a scalar, without quotes
  std::vector<Yaml> children;  ///< of a list or a map, in the order of the file
};

inline constexpr int deepest_yaml = 20;

bool is_in_brackets(std::string_view text);

/// Returns how many more brackets open in a text than close, outside of quotes.
int open_brackets(std::string_view text);

/// `text` is one line.
std::string_view without_comment(std::string_view text);

/// The colon behind a key; the end if the text does not begin with a key. JSON writes "key":value.
std::size_t find_colon(std::string_view text);

/// A value that begins in this line of the file, and is all of `text`: its lines, without comments.
/// Throws InputError, "FILE:LINE: reason".
Yaml parse_flow(std::string_view file_name, int line, std::string_view text);

/// Throws InputError if the map has the key.
void add_entry(std::string_view file_name, Yaml& map, Yaml entry);

/// Throws InputError, "FILE:LINE: reason".
[[noreturn]] void fail_in_yaml(std::string_view file_name, int line, std::string_view reason);

}  // namespace gatherbench::text
