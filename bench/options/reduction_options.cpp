// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/options/option_groups.h"
#include "bench/options/parsers.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

std::string names_in(const auto& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return fmt::format("{}", fmt::join(names, "|"));
}

double parse_gamma(std::string_view option, const std::string& text) {
  constexpr double largest = 1e-3;  // times the bytes of any vector it is a clock's time
  const double seconds = text::parse_number(option, text);
  if (seconds > largest) {
    throw text::bad_value(option, text,
                          fmt::format("is too large; legal: seconds, up to {:g}", largest));
  }
  if (!mpi::rank_model().one_process) {
    throw text::bad_value(
        option, text,
        "is for simulations, and this is none; legal: without it, or a build with "
        "MPI=simgrid");
  }
  return seconds;
}

}  // namespace

void add_reduction_options(text::OptionTable& table, Options& options) {
  table.add_with_default("--op", names_in(operations()), "sum",
                         "What combines the elements; compose is of maps a x + b, packed into "
                         "integers, and does not commute",
                         [&options](std::string_view option, const std::string& text) {
                           options.combined_by.operation = &find_operation(option, text);
                         });
  table.add_with_default("-T,--type", names_in(element_types()), "int", "Of the elements",
                         [&options](std::string_view option, const std::string& text) {
                           options.combined_by.type = &find_type(option, text);
                         });
  table.add("--gamma", "SECONDS",
            "In a simulation: how long it takes to combine a byte, as in --model hockney:gamma= of "
            "allgather_schedule [0]",
            into(options.gamma, parse_gamma));
  table.add_flag(
      "--charge-schedule", options.charge_schedule,
      "Make schedules that depend on arrivals anew in each call, in its time; without it they "
      "are made before the ranks are synchronised");
}

void describe_reduction(const Options& options, Keys& keys) {
  if (!options.combines()) return;
  keys.emplace_back("op", options.combined_by.operation->name);
  keys.emplace_back("type", options.combined_by.type->name);
  keys.emplace_back("gamma", options.gamma ? fmt::format("{} s", *options.gamma) : "none");
  keys.emplace_back("charge_schedule", yes_or_no(options.charge_schedule));
}

}  // namespace gatherbench::bench
