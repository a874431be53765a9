// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/former_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace gatherbench::text {
namespace {

/// Those that were used. Of the whole process: names are read far below where notices are printed.
std::vector<FormerName>& used() {
  static std::vector<FormerName> names;
  return names;
}

}  // namespace

std::string_view current_name(std::span<const FormerName> table, std::string_view name) {
  const auto row = std::ranges::find(table, name, &FormerName::formerly);
  if (row == table.end()) return name;
  if (std::ranges::find(used(), name, &FormerName::formerly) == used().end()) {
    used().push_back(*row);
  }
  return row->now;
}

std::vector<std::string> former_name_notices() {
  std::vector<std::string> notices;
  for (const FormerName& name : used()) {
    notices.push_back(fmt::format("{} is called {} now; the old name goes with the next release",
                                  name.formerly, name.now));
  }
  return notices;
}

}  // namespace gatherbench::text
