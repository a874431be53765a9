// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace gatherbench::bench {

/// The first line of a file of /proc or /sys, without the blanks at its end; none if there is no
/// such file, it cannot be read (a network card that is down refuses its speed), or it is empty.
std::optional<std::string> first_line(const std::filesystem::path& file);

}  // namespace gatherbench::bench
