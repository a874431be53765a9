// SPDX-License-Identifier: BSD-3-Clause
#include "text/read_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "text/input_error.h"

namespace gatherbench::text {

std::string read_file(std::string_view option, const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  std::error_code why_not;  // such as a name that is too long
  if (std::filesystem::is_directory(path, why_not) || !stream || !(text << stream.rdbuf())) {
    throw bad_value(option, path, "cannot be read, or is empty");
  }
  return text.str();
}

}  // namespace gatherbench::text
