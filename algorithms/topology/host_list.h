// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gatherbench::topology {

/// The most names that a list may have; more are taken for a typing error, such as n[0-10000000].
inline constexpr std::size_t most_host_list_names = std::size_t{1} << 20;

/// Returns the names of a host list as Slurm writes it, in the order of the list: those of
/// "n[001-010,12],x9" are n001 to n010, n12, x9. A range pads with zeros to the width of its first
/// number. A name may have several brackets, of which the last runs fastest: "r[0-1]n[0-3]" is r0n0
/// to r0n3, r1n0 to r1n3. A name may stand twice; the caller decides whether that is an error.
/// `where` is the option, or the file and line, that the text came from. Throws InputError that
/// begins with it for an empty name, unmatched brackets, a range that is none or runs backwards, a
/// character that no name has (names are printable ASCII without space and []="\), a name of more
/// than 255 characters, more than 2^20 names.
std::vector<std::string> expand_host_list(std::string_view where, std::string_view list);

/// Returns the names in a file of such lists, one list a line, in the order of the file. What
/// follows a # is a comment; empty lines do not count. Throws InputError: "FILE:LINE: reason", or
/// "FILE: reason" for a file without a name.
std::vector<std::string> parse_host_file(std::string_view file_name, std::string_view text);

/// Finds a host by what it calls itself: by that name; else by that name up to the first dot, as
/// Slurm's names seldom have a domain; else it is the only host whose name differs just in upper
/// and lower case, or in that one of the two names has a domain.
class HostIndex {
 public:
  void add(const std::string& name, int id);
  [[nodiscard]] std::optional<int> find(std::string_view name) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };
  struct Likely {
    int id;
    bool is_alone;
    std::string name;  ///< in lower case
  };

  std::unordered_map<std::string, int, Hash, std::equal_to<>> by_name_;
  std::unordered_map<std::string, Likely, Hash, std::equal_to<>> by_short_name_;
};

}  // namespace gatherbench::topology
