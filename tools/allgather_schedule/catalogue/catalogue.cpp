// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/catalogue/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/collectives/collective.h"
#include "distributions/arrivals/arrival_pattern.h"
#include "distributions/arrivals/pattern_table.h"
#include "distributions/block_sizes.h"
#include "formats/columns.h"
#include "formats/metadata.h"
#include "formats/row.h"
#include "formats/text/input_error.h"

namespace gatherbench::allgather_schedule {
namespace {

using algorithms::Algorithm;
using algorithms::AlgorithmSet;

using Lines = std::vector<std::pair<std::string, std::string>>;
/// Returns the heading, and a line for each row with its name in a column.
std::string section(std::string_view heading, const Lines& lines) {
  std::size_t width = 0;
  for (const auto& [name, text] : lines) width = std::max(width, name.size());
  std::string section = fmt::format("{}\n", heading);
  for (const auto& [name, text] : lines) {
    section += fmt::format("  {:<{}}  {}\n", name, width, text);
  }
  return section;
}

template <typename Rows, typename Text>
Lines lines_of(const Rows& rows, Text text_of) {
  Lines lines;
  for (const auto& row : rows) lines.emplace_back(row.name, text_of(row));
  return lines;
}

using Names = std::vector<std::string_view>;
/// A kind of names that an option takes.
struct Kind {
  std::string_view name;
  Names (*names)();
};
constexpr std::array kinds{
    Kind{"algorithms", [] { return algorithms::legal_algorithm_names(nullptr); }},
    Kind{"orders",
         [] {
           Names names;
           for (const auto& row : algorithms::named_orders()) names.push_back(row.name);
           return names;
         }},
    Kind{"distributions",
         [] {
           Names names{"all"};
           for (const auto& row : distributions::named_distributions()) names.push_back(row.name);
           return names;
         }},
    Kind{"arrival",
         [] {
           Names names;
           for (const auto& row : arrivals::named_arrivals()) names.push_back(row.name);
           return names;
         }},
};

/// Returns the kinds, and the benchmarks, each of which has algorithms of its own.
Names legal_kinds() {
  Names legal;
  for (const Kind& each : kinds) legal.push_back(each.name);
  for (const auto& one : collectives::all_collectives()) legal.push_back(one.executable);
  return legal;
}

Names names_of_kind(std::string_view option, std::string_view kind) {
  for (const auto& one : collectives::all_collectives()) {
    if (one.executable == kind) return algorithms::legal_algorithm_names(&one);
  }
  const auto* const found = std::ranges::find(kinds, kind, &Kind::name);
  if (found == kinds.end()) {
    throw text::unknown_name(option, "kind of names", kind, legal_kinds());
  }
  return found->names();
}

}  // namespace

std::string kinds_of_names() { return fmt::format("{}", fmt::join(legal_kinds(), ", ")); }

std::string catalogue_names(std::string_view option, std::string_view kind) {
  return fmt::format("{}\n", fmt::join(names_of_kind(option, kind), "\n"));
}

std::string catalogue_text() {
  std::string text = section("Collectives", lines_of(collectives::all_collectives(),
                                                     [](const collectives::Collective& one) {
                                                       return std::string(one.executable);
                                                     }));
  text += '\n' + section("Sets of algorithms",
                         lines_of(algorithms::algorithm_sets(),
                                  [](const AlgorithmSet& set) { return std::string(set.text); }));
  Lines lines;
  for (const Algorithm& one : algorithms::all_algorithms()) {
    const bool gathers = one.kind == nullptr || one.kind->gathers();
    const std::string of = gathers ? "" : fmt::format("{}: ", one.kind->name);
    lines.emplace_back(one.name, fmt::format("{}{} [{}]", of, one.summary, one.source));
    for (std::string& parameter : algorithms::parameter_texts(one)) {
      lines.emplace_back("", std::move(parameter));
    }
  }
  text += '\n' + section("Algorithms", lines);
  text +=
      '\n' + section("Orders of the ranks, NAME@ORDER, for algorithms that find none themselves",
                     lines_of(algorithms::named_orders(), [](const algorithms::NamedOrder& one) {
                       return std::string(one.summary);
                     }));
  text += '\n' + section("Distributions, c = the size that is swept, i = the rank",
                         lines_of(distributions::named_distributions(),
                                  [](const distributions::NamedDistribution& one) {
                                    return std::string(one.summary);
                                  }));
  text += "\nArrival patterns\n";
  for (const std::string& line : arrivals::arrival_descriptions()) text += "  " + line + '\n';
  return text;
}

namespace {

/// Returns the text as a cell of a Markdown table: a bar, which would end it, gets a backslash.
std::string cell(std::string_view text) {
  std::string found;
  for (const char c : text) {
    if (c == '|') found += '\\';
    found += c;
  }
  return found;
}

std::string code(std::string_view text) { return fmt::format("`{}`", text); }

std::string line(std::initializer_list<std::string> cells) {
  std::string text = "|";
  for (const std::string& each : cells) text += fmt::format(" {} |", cell(each));
  return text + '\n';
}

std::string heading(std::string_view title, std::string_view text,
                    std::initializer_list<std::string> columns) {
  std::string rule = "|";
  for (std::size_t i = 0; i < columns.size(); ++i) rule += "---|";
  return fmt::format("\n## {}\n\n{}\n\n{}{}\n", title, text, line(columns), rule);
}

std::string columns_table(formats::File file) {
  std::string text;
  for (const formats::Column* const column : formats::columns_of(file)) {
    text += line({code(column->name), std::string(column->unit), std::string(column->text)});
  }
  return text;
}

std::string metadata_table() {
  std::string text;
  for (const formats::MetadataKey& key : formats::metadata_keys()) {
    std::string name = code(key.is_prefix ? fmt::format("{}…", key.key) : std::string(key.key));
    if (!key.formerly.empty()) name += fmt::format(" (0.1.0: `{}`)", key.formerly);
    std::string meaning(key.text);
    if (!key.when_absent.empty()) {
      meaning += fmt::format(" (a file without the key means `{}`)", key.when_absent);
    }
    text += line({name, meaning, fmt::format("{}", fmt::join(names_of(key.must_agree_to), ", "))});
  }
  return text;
}

}  // namespace

std::string reference_markdown() {
  std::string text =
      "<!-- `make catalogue` writes this file; the tables are those of the C++ sources. -->\n"
      "# Names\n\nFor users who look up a column, a key or another name. `allgather_schedule "
      "catalogue` prints this page. [Method](../background/method.md) tells how the numbers are "
      "made, and [algorithms](algorithms.md) have a page of their own.\n";
  text += heading("Columns",
                  "The rows of a result file (`--output FILE.csv`), one an iteration of an "
                  "algorithm. A cell is empty where it has no meaning.",
                  {"column", "unit", "what"});
  text += columns_table(formats::File::results);
  text += heading("Columns of the ranks' file",
                  "The rows of `FILE.ranks.csv` (`--record ranks`), one for every rank of an "
                  "iteration.",
                  {"column", "unit", "what"});
  text += columns_table(formats::File::ranks);
  text += heading("Columns of the steps' file",
                  "The rows of `FILE.steps.csv` (`--record steps`), one for every part of a rank's "
                  "schedule in a call of its own after the timed ones ([where the time "
                  "goes](../how-to/find_the_cause.md#where-the-time-goes-agreport-steps)).",
                  {"column", "unit", "what"});
  text += columns_table(formats::File::steps);
  text += heading(
      "Columns of the counters' file",
      "The rows of `FILE.counters.csv` (`--record counters`), one for every counter of "
      "a host in a case ([counters](../how-to/find_the_cause.md#counters-agreport-counters)).",
      {"column", "unit", "what"});
  text += columns_table(formats::File::counters);
  text += heading("Status", "The words of the column `status`.", {"status", "what"});
  for (const formats::StatusWord& word : formats::statuses()) {
    text += line({code(word.name), std::string(word.text)});
  }
  text += heading("Metadata",
                  "Lines `#@key=value` of a result file, and for which operations launches must "
                  "agree in them: `--resume`, a duet, pooling the iterations of several launches, "
                  "`agreport compare`.",
                  {"key", "what", "must agree to"});
  text += metadata_table();
  text +=
      heading("Orders of the ranks",
              "`NAME@ORDER`, such as `ring@switch` or `bruck@paired:k=4`: the rank at position k "
              "of the order does what rank k does else, and block k is that rank's. For every "
              "algorithm that does not find an order itself from nodes, switches or arrivals.",
              {"order", "what"});
  for (const algorithms::NamedOrder& order : algorithms::named_orders()) {
    text += line({code(order.name), std::string(order.summary)});
  }
  text += heading("Sets of algorithms", "A set may stand for its members.", {"set", "what"});
  for (const algorithms::AlgorithmSet& set : algorithms::algorithm_sets()) {
    text += line({code(set.name), std::string(set.text)});
  }
  text += heading("Distributions",
                  "Block sizes over the ranks (`--distributions`); c is the size that is swept, p "
                  "the number of ranks, i a rank.",
                  {"distribution", "block of rank i", "total"});
  for (const distributions::NamedDistribution& one : distributions::named_distributions()) {
    text += line({code(one.name), std::string(one.summary), std::string(one.total)});
  }
  text += heading("Arrival patterns",
                  "When rank i arrives (`--arrival`). A TIME is in us, ms, s, or t (the time of "
                  "one block's message).",
                  {"pattern", "arrival of rank i"});
  for (const arrivals::NamedArrival& one : arrivals::named_arrivals()) {
    text += line({code(signature(one)), std::string(one.summary)});
  }
  text += line({code("trace:FILE"), "a line of the file for each iteration, a time for each rank"});
  return text;
}

}  // namespace gatherbench::allgather_schedule
