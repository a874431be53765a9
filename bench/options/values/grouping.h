// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace gatherbench::bench {

/// The way in which --groups cuts the ranks into groups.
struct Grouping {
  enum class By {
    none,      ///< all ranks are one group
    modulo,    ///< rank mod `number`
    quotient,  ///< rank / `number`
    node,
    file,  ///< the file `path` has a line a rank: the name of its group
  };
  By by = By::none;
  int number = 1;
  std::string path = {};
  std::string label = "none";  ///< as it was asked for
};

/// The forms of --groups, for --help.
inline constexpr std::string_view group_forms = "mod:N|div:N|node|file:PATH";

/// Throws InputError. Whether `number` is no more than there are ranks is not looked at.
Grouping parse_grouping(std::string_view option, const std::string& text);

}  // namespace gatherbench::bench
