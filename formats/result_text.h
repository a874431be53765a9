// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "formats/columns.h"
#include "formats/metadata.h"

// The lines of a result file that are no rows. What writes a file appends to each piece of text its
// checksum (formats/crc32.h).
namespace gatherbench::formats {

/// The mark behind the rows of a case; the text of the case's key (CaseKey) follows.
inline constexpr std::string_view case_end = "#@case_end=";

/// The text as the value of a key: in one line.
std::string value_text(std::string_view text);

/// All before the first row but for its checksum.
std::string file_head(const Metadata& metadata, File file);

}  // namespace gatherbench::formats
