// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/cost_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "formats/checksum.h"
#include "formats/gzip.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"

namespace gatherbench::allgather_schedule {
namespace {

constexpr std::string_view models[] = {"hockney:alpha=,beta=,tau=", "file:RESULT.csv",
                                       "contention:alpha=,bandwidth=,further=", "hop-bytes",
                                       "links"};

/// The model that a result file has. Throws InputError.
cost::Hockney model_of_file(const std::string& path) {
  const std::string option = "--model file";
  std::string text = text::read_file(option, path);
  if (formats::is_gzip(path)) {
    if (const std::string_view why = formats::why_no_gzip(); !why.empty()) {
      throw text::bad_value(option, path, fmt::format("cannot be read: {}", why));
    }
    std::string first;  // the member with the metadata
    if (!formats::read_gzip_member(text, first)) throw text::bad_value(option, path, "is damaged");
    text = first;
  }
  const std::string key = fmt::format("#@model={}", cost::hockney_prefix);
  formats::ChecksumCheck check(option, path);
  std::optional<std::string_view> model;
  bool has_columns = false;
  for (const std::string_view whole_line : text::split(text, '\n')) {
    const std::string_view line = check.take(whole_line);
    if (has_columns) break;  // this was the line with the checksum, if there is one
    if (line.starts_with(key)) model = line.substr(key.size());
    has_columns = !line.starts_with('#');
  }
  if (!model) {
    throw text::bad_value(option, path,
                          "says no model; legal: a result file of a launch with --measure-model");
  }
  return cost::parse_hockney(option, *model);
}

/// Of "hockney:..." and "file:..."; none for the other models.
std::optional<cost::Hockney> find_hockney(std::string_view text) {
  const std::string_view file = "file:";
  if (text.starts_with(file)) return model_of_file(std::string(text.substr(file.size())));
  if (text.substr(0, text.find(':')) != "hockney") return std::nullopt;
  text.remove_prefix(std::min(cost::hockney_prefix.size(), text.size()));
  return cost::parse_hockney("--model", text);
}

}  // namespace

CostModel parse_cost_model(std::string_view text) {
  if (const auto hockney = find_hockney(text)) {
    return {.name = "hockney", .unit = "us", .hockney = hockney};
  }
  if (text == "links") return {.name = "links", .unit = "bytes", .is_links = true};
  if (text == "hop-bytes") return {.name = "hop-bytes", .unit = "byte-hops", .is_hops = true};
  if (text.substr(0, text.find(':')) == "contention") {
    text.remove_prefix(std::min(cost::contention_prefix.size(), text.size()));
    return {
        .name = "contention", .unit = "us", .contention = cost::parse_contention("--model", text)};
  }
  throw text::unknown_name("--model", "model", text, models);
}

}  // namespace gatherbench::allgather_schedule
