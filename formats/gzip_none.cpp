// SPDX-License-Identifier: BSD-3-Clause
#include "formats/gzip.h"

namespace gatherbench::formats {

std::string_view why_no_gzip() { return "this build has no zlib"; }

std::string gzip_member(std::string_view text) { return std::string(text); }

std::optional<std::size_t> read_gzip_member(std::string_view /*data*/, std::string& text) {
  text.clear();
  return 0;
}

}  // namespace gatherbench::formats
