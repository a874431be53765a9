// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

namespace gatherbench::proof {

/// Ends a symbolic run wherever it is found; run() catches it.
struct Fault {
  std::string text;
};

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Fault{fmt::format(format, std::forward<Args>(args)...)};
}

/// The place of a fault.
struct RankStep {
  int rank;
  std::size_t step;
};

}  // namespace gatherbench::proof
