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

/// Hockney's, by its parameters and those of a window.
CostModel hockney_model(std::string_view option, std::string_view parameters) {
  const cost::ParametersWithWindow given = cost::split_host_window(option, parameters);
  return {.name = "hockney",
          .unit = "us",
          .hockney = cost::parse_hockney(option, given.others),
          .window = given.window};
}

/// The model that a result file has. Throws InputError.
CostModel model_of_file(const std::string& path) {
  const std::string option = "--model file";
  std::string text = text::read_file(option, path);
  if (formats::is_gzip(path)) {
    std::string first;  // the member with the metadata
    if (!formats::read_gzip_member(text, first)) throw text::bad_value(option, path, "is damaged");
    text = first;
  }
  const std::string key = fmt::format("#@model={}", cost::hockney_prefix);
  formats::ChecksumCheck check(option, path);
  const std::string_view window_key = "#@host_window=";
  std::optional<std::string_view> model;
  std::string_view window = "none";
  bool has_columns = false;
  for (const std::string_view whole_line : text::split(text, '\n')) {
    const std::string_view line = check.take(whole_line);
    if (has_columns) break;  // this was the line with the checksum, if there is one
    if (line.starts_with(key)) model = line.substr(key.size());
    if (line.starts_with(window_key)) window = line.substr(window_key.size());
    has_columns = !line.starts_with('#');
  }
  if (!model) {
    throw text::bad_value(option, path,
                          "says no model; legal: a result file of a launch with --measure-model");
  }
  if (window.starts_with("none")) return hockney_model(option, *model);
  return hockney_model(option, fmt::format("{},{}", *model, window));
}

}  // namespace

CostModel parse_cost_model(std::string_view text) {
  const std::string_view option = "--model";
  const std::string_view file = "file:";
  if (text.starts_with(file)) return model_of_file(std::string(text.substr(file.size())));
  const std::string_view name = text.substr(0, text.find(':'));
  const std::string_view parameters = text.substr(std::min(name.size() + 1, text.size()));
  if (name == "hockney") return hockney_model(option, parameters);
  if (name == "contention") {
    const cost::ParametersWithWindow given = cost::split_host_window(option, parameters);
    return {.name = "contention",
            .unit = "us",
            .contention = cost::parse_contention(option, given.others),
            .window = given.window};
  }
  if (text == "links") return {.name = "links", .unit = "bytes", .is_links = true};
  if (text == "hop-bytes") return {.name = "hop-bytes", .unit = "byte-hops", .is_hops = true};
  throw text::unknown_name(option, "model", text, models);
}

}  // namespace gatherbench::allgather_schedule
