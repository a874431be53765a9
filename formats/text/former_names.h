// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Names on the command line that were others before. The former ones work for one more release,
// stand in no --help, and the program tells what they are called now.
namespace gatherbench::text {

struct FormerName {
  std::string_view formerly;
  std::string_view now;
};

/// The name of today: `name` itself unless it is a former one, which is then remembered.
std::string_view current_name(std::span<const FormerName> table, std::string_view name);

/// A line for each former name that was used in this process: "--delay is called --wait now; ...".
/// For standard error, once, by one rank.
std::vector<std::string> former_name_notices();

}  // namespace gatherbench::text
