// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/measure/statistics.h"
#include "formats/launch_spread.h"
#include "formats/text/printed.h"
#include "gatherbench_version.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

double median(std::span<const formats::Iteration> iterations, formats::IterationTime time) {
  return percentile(column(iterations, time), 50);
}

std::pair<std::string, std::string> balanced_case(formats::CaseKey key,
                                                  const std::string& algorithm) {
  key.arrival = "none";
  return {key.text(), algorithm};
}

/// Returns the median of the mean times; none if no iteration counts.
std::optional<double> median_us(const Series& series) {
  const std::vector<double> us = column(series.timings.counted(), "avg_us");
  if (us.empty()) return std::nullopt;
  return percentile(us, 50);
}

/// Returns two series of each group: the one alone, and the one beside the last load.
std::vector<std::pair<const Series*, const Series*>> pairs_of(std::span<const Series> series) {
  std::vector<std::pair<const Series*, const Series*>> pairs;
  for (const Series& alone : series) {
    if (alone.beside != formats::nothing_beside) continue;
    for (const Series& beside : series) {
      const bool is_other = &beside != &alone && beside.beside == series.back().beside;
      if (is_other && beside.group == alone.group) pairs.emplace_back(&alone, &beside);
    }
  }
  return pairs;
}

}  // namespace

std::string text_of(const Absorption& absorption) {
  return fmt::format(
      "run {:.2f} us (balanced {:.2f} us), imbalance {:.2f} us = {:.3f} balanced runs, absorbed "
      "{:.2f} us = {:.3f} balanced runs",
      absorption.run_us, absorption.balanced_run_us, absorption.imbalance_us,
      absorption.normalised_imbalance(), absorption.absorbed_us, absorption.normalised());
}

void BalancedRuns::add(const formats::CaseKey& key, const std::string& algorithm,
                       std::span<const formats::Iteration> iterations) {
  run_us_[balanced_case(key, algorithm)] = median(iterations, "run_us");
}

std::optional<Absorption> BalancedRuns::absorption(
    const formats::CaseKey& key, const std::string& algorithm,
    std::span<const formats::Iteration> iterations) const {
  const auto found = run_us_.find(balanced_case(key, algorithm));
  if (found == run_us_.end()) return std::nullopt;
  const double balanced_us = found->second;
  std::vector<double> absorbed_us;
  absorbed_us.reserve(iterations.size());
  for (const formats::Iteration& one : iterations) {
    absorbed_us.push_back(balanced_us - one["run_us"] + one["imbalance_us"]);
  }
  return Absorption{balanced_us, median(iterations, "run_us"), median(iterations, "imbalance_us"),
                    percentile(absorbed_us, 50)};
}

std::optional<Impact> impact_of(std::span<const Series> series) {
  std::vector<double> idle;
  std::vector<double> loaded;
  std::vector<double> factors;
  for (const auto& [alone, beside] : pairs_of(series)) {
    const std::optional<double> alone_us = median_us(*alone);
    const std::optional<double> beside_us = median_us(*beside);
    if (!alone_us || !beside_us || *alone_us <= 0) continue;
    idle.push_back(*alone_us);
    loaded.push_back(*beside_us);
    factors.push_back(*beside_us / *alone_us);
  }
  if (factors.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(factors);
  return Impact{percentile(idle, 50), percentile(loaded, 50), percentile(factors, 50), least, most};
}

std::string text_of(const Impact& impact, const std::string& beside) {
  std::string text = fmt::format("alone {:.2f} us, beside {} {:.2f} us: impact factor {:.2f}",
                                 impact.idle_us, beside, impact.loaded_us, impact.factor);
  if (impact.least < impact.most) {
    text += fmt::format(" ({:.2f} to {:.2f})", impact.least, impact.most);
  }
  return text;
}

double Overlap::percent() const {
  if (alone_us <= 0) return 0;
  return std::max(0.0, 100 * (1 - (together_us - computed_us) / alone_us));
}

bool Overlap::is_doubtful() const { return std::abs(computed_us - alone_us) > 0.1 * alone_us; }

std::optional<Overlap> overlap_of(std::span<const Series> series) {
  const auto find = [&](std::string_view beside) {
    return std::ranges::find_if(series, [&](const Series& one) {
      return one.beside == beside && one.group == series.back().group;
    });
  };
  const auto together = find(series.back().beside);
  const std::vector<double> computed = column(together->timings.counted(), "overlapped_us");
  const bool is_group = together->beside != formats::beside_computation;
  const auto alone = find(is_group ? formats::beside_groups : formats::nothing_beside);
  if (computed.empty() || alone == series.end() || alone->timings.counted().empty()) {
    return std::nullopt;
  }
  const auto mean_us = [](const Series& one) {
    return mean(column(one.timings.counted(), "avg_us"));
  };
  return Overlap{mean_us(*alone), mean(computed), mean_us(*together)};
}

std::string text_of(const Overlap& overlap) {
  return fmt::format("alone {:.2f} us, computation {:.2f} us, both {:.2f} us: overlap {:.1f} %{}",
                     overlap.alone_us, overlap.computed_us, overlap.together_us, overlap.percent(),
                     overlap.is_doubtful() ? ", doubtful: computation and call alone differ" : "");
}

namespace {

// A table in OSU's format, exactly, so that what parses osu_allgather parses this.

// OSU 7.4: the size left in 10 columns, times right in 18 with 2 decimals, iterations right in 12.
constexpr std::size_t time_width = 18;
constexpr const char* time_title = "{:>18}";
constexpr const char* time_value = "{:>18.2f}";

/// Returns the title of a percentile's column, right in its width. The column is wider where the
/// title would touch the one before.
std::string tail_title(double percentile) {
  const std::string title = fmt::format("P{} Tail Lat(us)", percentile);
  return fmt::format("{:>{}}", title, std::max(time_width, title.size() + 2));
}

/// Returns everything above the rows: an empty line, the title, what OSU says of the datatype, our
/// notes as further comment lines, and the column titles. `what` names algorithm, ranks and so on.
std::string osu_header(const Options& options, const std::string& what,
                       std::span<const std::string> notes) {
  std::string text = fmt::format("\n# OSU-style MPI {} Latency Test, gatherbench {}, {}\n",
                                 options.collective->title, version, what);
  const std::string_view type = options.combines() ? options.combined_by.type->mpi_name
                                : options.datatype ? options.datatype->mpi_name
                                                   : "MPI_CHAR";
  text += fmt::format("# Datatype: {}.\n", type);
  for (const std::string& note : notes) text += fmt::format("# {}\n", note);
  text += fmt::format("{:<10}", "# Size");
  text += fmt::format(time_title, "Avg Latency(us)");
  if (options.full) {
    text += fmt::format(time_title, "Min Latency(us)");
    text += fmt::format(time_title, "Max Latency(us)");
    text += fmt::format("{:>12}", "Iterations");
  }
  if (options.validation) text += fmt::format(time_title, "Validation");
  for (const double percentile : options.percentiles) {
    text += tail_title(percentile);
  }
  if (options.std_dev) text += fmt::format(time_title, "Std Dev(us)");
  return text + '\n';
}

/// Returns one size's row of the iterations that count.
std::string osu_row(const Options& options, std::int64_t bytes,
                    std::span<const formats::Iteration> iterations) {
  const std::vector<double> averages = column(iterations, "avg_us");
  std::string text;
  text += fmt::format("{:<10}", bytes);
  text += fmt::format(time_value, mean(averages));
  if (options.full) {
    text += fmt::format(time_value, mean(column(iterations, "min_us")));
    text += fmt::format(time_value, mean(column(iterations, "max_us")));
    text += fmt::format("{:>12}", iterations.size());
  }
  // A wrong result never has a row.
  if (options.validation) text += fmt::format(time_title, "Pass");
  for (const double percent : options.percentiles) {
    text += fmt::format("{:>{}.2f}", percentile(averages, percent), tail_title(percent).size());
  }
  if (options.std_dev && averages.size() > 1) {
    text += fmt::format(time_value, standard_deviation(averages));
  } else if (options.std_dev) {
    text += fmt::format(time_title, "-");  // of one iteration there is none
  }
  return text + '\n';
}

// A table of block sizes downwards and algorithms across, a row as soon as a size is measured.

/// A cell of an algorithm's column: microseconds, or a word that says why there are none.
struct SideBySideCell {
  std::optional<double> us;
  std::string otherwise;
};

/// Says which of a row's times are marked.
struct Marks {
  bool none = false;  ///< no time is marked: another row of the size has the marks
  /// A tilde marks each time that is less than so many times the lowest, which has a star: another
  /// launch may turn the two round. It is 1 in a simulation, whose times come out again, and
  /// infinite where ranks share processors, since one launch says nothing there.
  double told_apart = 1;
};

/// Returns the width of numbers and titles, which are aligned to the right; the star is behind.
std::size_t width_of(const std::string& algorithm) {
  constexpr std::size_t least = 10;
  return std::max(algorithm.size(), least);
}

std::string without_blanks_at_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

/// Returns everything above the rows: an empty line, the title (`what` names ranks and so on), what
/// the numbers are, our notes as further comment lines, and the column titles.
/// `has_cycles`: each size has two rows, one of the call and one of the cycle.
std::string side_by_side_header(const std::string& what, std::span<const std::string> notes,
                                std::span<const std::string> algorithms, bool has_cycles,
                                double told_apart) {
  std::string text = fmt::format("\n# {}, gatherbench {}\n", what, version);
  text +=
      has_cycles
          ? "# Medians in us, mean over the ranks. call: the call alone, as OSU's; cycle: write, "
            "call and read, back to back\n"
          : "# Median over the iterations, of the ranks' average time in the call, in us\n";
  text += "# * the lowest";
  if (std::isinf(told_apart)) {
    text += "; ~ ranks share processors, and another launch may turn it round";
  } else if (told_apart > 1) {
    text += fmt::format("; ~ within {:.0f} % of it, which another launch may turn round",
                        100 * (told_apart - 1));
  }
  text += '\n';
  for (const std::string& note : notes) text += fmt::format("# {}\n", note);
  std::string titles = fmt::format("{:<10}{}", "# Size", has_cycles ? " of   " : "");
  for (const std::string& algorithm : algorithms) {
    titles += fmt::format(" {:>{}} ", algorithm, width_of(algorithm));
  }
  return text + without_blanks_at_end(std::move(titles));
}

/// Returns one size's row, with a cell for each of the header's algorithms. `of` is what the times
/// are of, "call" or "cycle"; empty where the header has no such column.
std::string side_by_side_row(std::int64_t bytes, std::string_view of,
                             std::span<const std::string> algorithms,
                             std::span<const SideBySideCell> cells, const Marks& marks) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const SideBySideCell& cell : cells) lowest = std::min(lowest, cell.us.value_or(lowest));
  const auto mark_of = [&](const std::optional<double>& us) {
    if (marks.none || !us) return ' ';
    if (*us == lowest) return '*';
    return *us < lowest * marks.told_apart ? '~' : ' ';
  };
  std::string row = fmt::format("{:<10}", bytes);
  if (!of.empty()) row += fmt::format(" {:<5}", of);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const SideBySideCell& cell = cells[i];
    row += fmt::format(" {:>{}}{}", cell.us ? fmt::format("{:.2f}", *cell.us) : cell.otherwise,
                       width_of(algorithms[i]), mark_of(cell.us));
  }
  return without_blanks_at_end(std::move(row));
}

}  // namespace

Tables::Tables(const Setup& setup, const Case& first_case)
    : setup_(&setup),
      side_by_side_(setup.options.table_form() == TableForm::side_by_side),
      has_cycles_(setup.cycles > 0 && first_case.arrival->is_none()),
      has_arrivals_(!first_case.arrival->is_none()) {
  std::string what = fmt::format("ranks: {}", first_case.key.ranks);
  if (setup.options.collective->unequal_blocks) {
    what += fmt::format(", distribution: {}", first_case.key.distribution);
  }
  if (setup.options.element() != mpi::Element{}) {
    what += fmt::format(", datatype: {}", setup.options.datatype->text);
  }
  const Displacements places = setup.options.displacements.value_or(Displacements{});
  if (places != Displacements{}) what += fmt::format(", displacements: {}", places.text());
  if (setup.arrivals.size() > 1) what += fmt::format(", arrival: {}", first_case.key.arrival);
  what += fmt::format(", mapping: {}", first_case.key.mapping);
  if (setup.options.groups.by != Grouping::By::none) {
    what += fmt::format(", groups: {}, the slowest", setup.options.groups.label);
  }
  if (side_by_side_) {
    begin_side_by_side(what);
  } else {
    begin_osu(what);
  }
  if (texts_.size() == 1) print();
}

std::vector<std::string> Tables::all_notes() const {
  const BuffersIn in = setup_->options.places.in;
  const std::string where = in == BuffersIn::own      ? ""
                            : in == BuffersIn::window ? ", in a window"
                                                      : ", in " + setup_->devices.names;
  std::vector<std::string> all{fmt::format("Buffers: {}{}. Order: {}.", setup_->buffers.text(),
                                           where, setup_->options.order.text())};
  all.insert(all.end(), setup_->notes.begin(), setup_->notes.end());
  if (has_arrivals_) all.emplace_back(words_of_absorption);
  return all;
}

double Tables::told_apart() const {
  if (mpi::rank_model().one_process) return 1;
  if (setup_->nodes.oversubscribed) return std::numeric_limits<double>::infinity();
  constexpr double surely = 1.96;  // standard deviations: 95 % of launches are nearer
  return std::exp(surely * formats::launch_spread);
}

void Tables::begin_osu(const std::string& what) {
  for (const Contender& contender : setup_->contenders) {
    std::vector<std::string> notes = all_notes();
    if (contender.why_not) {
      notes.push_back("skipped: " + *contender.why_not);
    }
    texts_.push_back(osu_header(setup_->options,
                                fmt::format("algorithm: {}, {}", contender.label, what), notes));
  }
}

void Tables::begin_side_by_side(const std::string& what) {
  std::vector<std::string> notes = all_notes();
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < setup_->contenders.size(); ++i) {
    const Contender& contender = setup_->contenders[i];
    if (!contender.why_not) {
      labels.push_back(contender.label);
      shown_.push_back(i);
    } else {
      notes.push_back(fmt::format("skipped: {}: {}", contender.label, *contender.why_not));
    }
  }
  texts_.push_back(
      side_by_side_header(fmt::format("MPI {}, {}", setup_->options.collective->title, what), notes,
                          labels, has_cycles_, told_apart()));
}

void Tables::add(const Case& the_case, std::span<const AlgorithmResult> results,
                 BalancedRuns& balanced) {
  std::vector<Outcome> outcomes;
  for (const AlgorithmResult& result : results) {
    outcomes.push_back(outcome_of(the_case, result, balanced));
  }
  if (side_by_side_) {
    add_side_by_side(the_case.key.bytes, outcomes, results);
  } else {
    add_osu(the_case.key.bytes, outcomes);
  }
  if (texts_.size() == 1) print();
}

Tables::Outcome Tables::outcome_of(const Case& the_case, const AlgorithmResult& result,
                                   BalancedRuns& balanced) {
  Outcome outcome;
  if (result.status != formats::Status::ok) {
    outcome.why_none = fmt::format("{}: {}", name_of(result.status), result.reason);
    return outcome;
  }
  const Series& shown = result.series.back();
  outcome.iterations = shown.timings.counted();
  if (outcome.iterations.empty()) {
    outcome.why_none = fmt::format("all {} iterations began late", shown.timings.iterations.size());
    return outcome;
  }
  if (the_case.arrival->is_none()) {
    balanced.add(the_case.key, result.algorithm, outcome.iterations);
  } else if (const std::optional<Absorption> absorption =
                 balanced.absorption(the_case.key, result.algorithm, outcome.iterations)) {
    outcome.remarks.push_back(text_of(*absorption));
  }
  const std::vector<double> periods = column(outcome.iterations, "period_us");
  if (!periods.empty()) {
    outcome.remarks.push_back(fmt::format("back to back, {:.2f} us a call", mean(periods)));
  }
  if (const std::optional<Overlap> overlap = overlap_of(result.series)) {
    outcome.remarks.push_back(text_of(*overlap));
  } else if (const std::optional<Impact> impact = impact_of(result.series)) {
    outcome.remarks.push_back(text_of(*impact, shown.beside));
  }
  return outcome;
}

void Tables::add_osu(std::int64_t bytes, std::span<const Outcome> outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    if (!outcome.iterations.empty()) {
      texts_[i] += osu_row(setup_->options, bytes, outcome.iterations);
      for (const std::string& remark : outcome.remarks) {
        texts_[i] += fmt::format("# {} bytes: {}\n", bytes, remark);
      }
    } else if (setup_->contenders[i].why_not == std::nullopt) {  // else the header says it
      texts_[i] += fmt::format("# {} bytes: {}\n", bytes, outcome.why_none);
    }
  }
}

void Tables::add_side_by_side(std::int64_t bytes, std::span<const Outcome> outcomes,
                              std::span<const AlgorithmResult> results) {
  if (shown_.empty()) return;  // the header says why
  std::vector<std::string> labels;
  std::vector<SideBySideCell> cells;
  std::vector<SideBySideCell> cycles;
  std::string remarks;  // below the row
  for (const std::size_t i : shown_) {
    const Outcome& outcome = outcomes[i];
    SideBySideCell& cell = cells.emplace_back();
    SideBySideCell& cycle = cycles.emplace_back();
    labels.push_back(results[i].algorithm);
    std::vector<std::string> lines = outcome.remarks;
    if (!outcome.why_none.empty()) lines.push_back(outcome.why_none);
    for (const std::string& line : lines) {
      remarks += fmt::format("# {} bytes: {}: {}\n", bytes, labels.back(), line);
    }
    if (outcome.iterations.empty()) {
      const formats::Status status = results[i].status;
      cell.otherwise = name_of(status == formats::Status::ok ? formats::Status::late : status);
      cycle.otherwise = cell.otherwise;
      continue;
    }
    cell.us = percentile(column(outcome.iterations, "avg_us"), 50);
    const std::vector<double> of_cycles = column(outcome.iterations, "cycle_us");
    if (of_cycles.empty()) {  // the last call of each turn was late, and counts in nothing
      cycle.otherwise = name_of(formats::Status::late);
      if (has_cycles_) {
        remarks += fmt::format(
            "# {} bytes: {}: no cycle counts, since the last call of each turn began late\n", bytes,
            labels.back());
      }
    } else {
      cycle.us = percentile(of_cycles, 50);
    }
  }
  if (has_cycles_) {
    texts_[0] += side_by_side_row(bytes, "call", labels, cells, {.none = true});
    texts_[0] += side_by_side_row(bytes, "cycle", labels, cycles, {.told_apart = told_apart()});
  } else {
    texts_[0] += side_by_side_row(bytes, "", labels, cells, {.told_apart = told_apart()});
  }
  texts_[0] += remarks;
}

void Tables::print() {
  for (std::string& text : texts_) {
    fmt::print("{}", text);
    text.clear();
  }
  text::require_printed();
}

}  // namespace gatherbench::bench
