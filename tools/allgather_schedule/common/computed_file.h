// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "formats/crc32.h"
#include "formats/metadata.h"

namespace gatherbench::allgather_schedule {

/// A result file that no launch wrote, or its text on standard output: in memory until `write`, so
/// that nothing is left of a computation that ends early.
class ComputedFile {
 public:
  /// The path of a file that is not there yet; empty: standard output. Throws InputError that names
  /// `option` if it is there, or if this program writes none of that name.
  ComputedFile(std::string_view option, std::string path);

  void begin(const formats::Metadata& metadata);
  /// The rows of a case, by formats::write_row, and the text of its key.
  void add_case(std::string_view rows, std::string_view key);
  /// Throws InputError if it cannot be written; then there is no file.
  void write() const;

 private:
  void append(std::string_view text);

  std::string option_;
  std::string path_;
  std::string text_;
  formats::RunningChecksum checksum_;
};

}  // namespace gatherbench::allgather_schedule
