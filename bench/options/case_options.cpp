// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "algorithms/choice/parse_algorithms.h"
#include "bench/options/option_groups.h"
#include "bench/options/parsers.h"

namespace gatherbench::bench {
namespace {

constexpr std::int64_t osu_max_bytes = std::int64_t{1} << 20;
constexpr std::string_view trace_has_sizes = "the trace has the sizes";

/// Returns the smallest size of bytes alone: a reduction has whole elements of every type.
std::int64_t least_bytes(const collectives::Collective& collective) {
  return collective.combines ? 8 : 1;
}

}  // namespace

void add_case_options(text::OptionTable& table, Options& options) {
  const collectives::Collective& collective = *options.collective;
  table
      .add_with_default(
          "-m,--message-size", "[MIN:]MAX",
          fmt::format("{}:{}", least_bytes(collective), osu_max_bytes),
          fmt::format("Block sizes in bytes, from MIN to MAX, doubling: 8:1M, 64K. MIN is {}{} if "
                      "it is not given",
                      least_bytes(collective),
                      collective.gathers() ? ", or the bytes of an element of --datatype," : ""),
          into(options.message_size, parse_later))
      .not_with("--replay", trace_has_sizes);
  table
      .add("--sizes", "LIST", "Block sizes as a list: 1K,64K,1M",
           [&options](std::string_view option, const std::string& text) {
             options.sizes = text::parse_bytes_list(option, text);
             options.sizes_option = option;
           })
      .not_with("--message-size", "each says the sizes")
      .not_with("--replay", trace_has_sizes);
  table.add_with_default(
      "--algorithms", "LIST", std::string(collective.default_algorithms),
      fmt::format(
          "Names, some with a parameter (bruck:k=4); native:NAME: the MPI library's own "
          "algorithm of that name; --list shows them. Ours also take {}. All take {}. Sets: {}",
          algorithms::message_form_text, algorithms::staging_text,
          algorithms::set_descriptions(collective)),
      into(options.algorithms, [&collective](std::string_view option, const std::string& text) {
        return algorithms::parse_algorithms(option, text, collective, true);
      }));
  if (collective.unequal_blocks) {
    table
        .add_with_default(
            "--distributions", "LIST", options.distributions,
            "How block sizes differ between ranks: names, all, file:PATH (a line a rank: a size, "
            "or a factor such as 0.5c; # begins a comment). --list shows them",
            into(options.distributions, parse_later))
        .not_with("--replay", trace_has_sizes);
  }
}

void settle_sizes(const text::OptionTable& table, Options& options) {
  const std::string option = "--message-size";
  if (table.is_given("--sizes")) return;
  const bool is_given = table.is_given(option);
  options.sizes = text::parse_bytes_range(
      option, is_given ? options.message_size : fmt::to_string(osu_max_bytes), osu_max_bytes,
      std::max(least_bytes(*options.collective), options.element().bytes));
}

void describe_cases(const Options& options, Keys& keys) {
  std::vector<std::string> labels;
  for (const algorithms::Choice& choice : options.algorithms) labels.push_back(choice.label());
  keys.emplace_back("sizes", fmt::format("{}", fmt::join(options.sizes, ",")));
  keys.emplace_back("algorithms", fmt::format("{}", fmt::join(labels, ",")));
  keys.emplace_back("distributions", options.distributions);
}

}  // namespace gatherbench::bench
