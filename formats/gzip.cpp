// SPDX-License-Identifier: BSD-3-Clause
#include "formats/gzip.h"

namespace gatherbench::formats {

bool is_gzip(std::string_view path) { return path.ends_with(".gz"); }

std::vector<std::string_view> result_endings() {
  std::vector<std::string_view> endings{".csv"};
  if (why_no_gzip().empty()) endings.emplace_back(".csv.gz");
  return endings;
}

}  // namespace gatherbench::formats
