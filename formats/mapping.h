// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>

namespace gatherbench::formats {

/// The words of the column `mapping` for how the ranks were asked to lie on the nodes.
struct MappingWord {
  std::string_view name;
  std::string_view text;
  bool selectable;  ///< a user can ask for it
};

inline constexpr MappingWord sequential{"sequential", "a node is filled first", true};
inline constexpr MappingWord cyclic{"cyclic", "one rank a node in turn", true};
inline constexpr MappingWord as_launched{"as launched", "nobody asked for one", false};

inline constexpr std::array mappings{sequential, cyclic, as_launched};

/// The word for ranks that were found neither sequential nor cyclic.
inline constexpr std::string_view custom_placement = "custom";

}  // namespace gatherbench::formats
