// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/parameter_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/algorithm.h"

namespace gatherbench::algorithms {
namespace {

std::string time_text(std::optional<std::chrono::nanoseconds> given) {
  return given ? fmt::format("{}us", static_cast<double>(given->count()) / 1000) : "measured";
}

struct Text {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(Count count) const { return fmt::to_string(count.value); }
  std::string operator()(const Numbers& numbers) const {
    return numbers.size == 0 ? std::string(auto_list)
                             : fmt::format("{}", fmt::join(numbers.all(), {&list_separator, 1}));
  }
  std::string operator()(Bytes bytes) const {
    constexpr std::int64_t kibi = 1024;
    return bytes.value % kibi == 0 ? fmt::format("{}K", bytes.value / kibi)
                                   : fmt::to_string(bytes.value);
  }
  std::string operator()(const MessageTime& time) const { return time_text(time.given); }
  std::string operator()(const StartTime& time) const { return time_text(time.given); }
  std::string operator()(const Algorithm* algorithm) const { return std::string(algorithm->name); }
};

struct Kind {
  std::string_view operator()(std::monostate) const { return "none"; }
  std::string_view operator()(Count) const { return "count"; }
  std::string_view operator()(const Numbers&) const { return "list"; }
  std::string_view operator()(Bytes) const { return "bytes"; }
  std::string_view operator()(const MessageTime&) const { return "time"; }
  std::string_view operator()(const StartTime&) const { return "start time"; }
  std::string_view operator()(const Algorithm*) const { return "algorithm"; }
};

}  // namespace

std::string to_text(const ParameterValue& value) { return std::visit(Text{}, value); }

std::string_view kind_of(const Parameter& parameter) {
  return std::visit(Kind{}, parameter.default_value);
}

}  // namespace gatherbench::algorithms
