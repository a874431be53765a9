// SPDX-License-Identifier: BSD-3-Clause
#include "formats/result_names.h"

#include <fmt/format.h>

#include "formats/columns.h"
#include "formats/text/input_error.h"

namespace gatherbench::formats {

std::string path_beside(std::string path, File file) {
  for (const std::string_view ending : result_endings) {
    if (!path.ends_with(ending)) continue;
    path.resize(path.size() - ending.size());
    return fmt::format("{}.{}{}", path, name_of(file), ending);
  }
  return fmt::format("{}.{}.csv", path, name_of(file));
}

void require_results_name(std::string_view option, std::string_view path) {
  for (const File file : files_beside_results) {
    for (const std::string_view ending : result_endings) {
      if (!path.ends_with(fmt::format(".{}{}", name_of(file), ending))) continue;
      const std::string_view results = path.substr(0, path.size() - ending.size());
      throw text::bad_value(
          option, path,
          fmt::format("is the name of a file beside results (--record {0}), which reports do not "
                      "read as results; legal: a name that does not end in .{0}{1}, such as "
                      "{2}_{0}{1}",
                      name_of(file), ending,
                      results.substr(0, results.size() - name_of(file).size() - 1)));
    }
  }
}

}  // namespace gatherbench::formats
