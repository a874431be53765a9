// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/read_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "formats/text/input_error.h"

namespace gatherbench::text {

void require_regular_file(std::string_view option, const std::string& path) {
  std::error_code why_not;  // such as a name that is too long
  const std::filesystem::file_status status = std::filesystem::status(path, why_not);
  if (!std::filesystem::exists(status)) return;
  const bool is_regular = std::filesystem::is_regular_file(status);
  if (!is_regular && !std::filesystem::is_directory(status)) {
    throw bad_value(option, path, "is a device or a pipe; legal: a regular file");
  }
  if (is_regular && std::filesystem::file_size(path, why_not) > most_file_bytes && !why_not) {
    throw bad_value(option, path,
                    fmt::format("is too large; legal: up to {} bytes", most_file_bytes));
  }
}

std::string read_file(std::string_view option, const std::string& path) {
  require_regular_file(option, path);
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  std::error_code why_not;  // such as a name that is too long
  if (std::filesystem::is_directory(path, why_not) || !stream || !(text << stream.rdbuf())) {
    throw bad_value(option, path, "cannot be read, or is empty");
  }
  return text.str();
}

}  // namespace gatherbench::text
