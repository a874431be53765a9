// SPDX-License-Identifier: BSD-3-Clause
#include "arrivals/pattern_table.h"

#include <fmt/format.h>

namespace gatherbench::arrivals {
namespace {

using enum ArrivalValue;

constexpr double last_rank = -1;

/// Drawn again while negative. The mean is not, so at least every second draw is taken.
double normal(const ArrivalDraw& draw) {
  // Scaled here: a deviation of 0 is no std::normal_distribution.
  std::normal_distribution<double> standard;
  for (;;) {
    const double us = draw.us[0] + draw.us[1] * standard(draw.random);
    if (us >= 0) return us;
  }
}

std::string_view placeholder(ArrivalValue kind) {
  switch (kind) {
    case time:
      return "TIME";
    case rank:
      return "RANK";
    case probability:
      return "PROBABILITY";
    case positive:
      return "NUMBER";
  }
  return "";
}

}  // namespace

std::span<const NamedArrival> named_arrivals() {
  // Random ones draw in units of their time, so that a time of 0 needs no care.
  static const std::vector<NamedArrival> table{
      {"none", {}, "0", [](const ArrivalDraw&) { return 0.0; }},
      {"delayed",
       {{"rank", rank, last_rank}, {"delay", time}},
       "delay on that rank (default: the last), else 0",
       [](const ArrivalDraw& draw) {
         const double late = draw.numbers[0] == last_rank ? draw.ranks - 1 : draw.numbers[0];
         return draw.rank == late ? draw.us[0] : 0;
       }},
      {"alternating",
       {{"even", time}, {"odd", time}},
       "by whether i is even or odd",
       [](const ArrivalDraw& draw) { return draw.us[draw.rank % 2 == 0 ? 0 : 1]; }},
      {"uniform",
       {{"max", time}},
       "uniform between 0 and max",
       [](const ArrivalDraw& draw) {
         return draw.us[0] * std::uniform_real_distribution<double>()(draw.random);
       }},
      {"normal", {{"mean", time}, {"stddev", time}}, "normal, negative values drawn again", normal},
      {"gamma",
       {{"shape", positive}, {"scale", time}},
       "gamma, mean shape times scale",
       [](const ArrivalDraw& draw) {
         return draw.us[0] * std::gamma_distribution<double>(draw.numbers[0])(draw.random);
       }},
      {"exponential",
       {{"mean", time}},
       "exponential",
       [](const ArrivalDraw& draw) {
         return draw.us[0] * std::exponential_distribution<double>()(draw.random);
       }},
      {"bernoulli",
       {{"probability", probability}, {"delay", time}},
       "delay with that probability, else 0",
       [](const ArrivalDraw& draw) {
         return std::bernoulli_distribution(draw.numbers[0])(draw.random) ? draw.us[0] : 0;
       }},
  };
  return table;
}

std::string signature(const NamedArrival& arrival) {
  std::string text(arrival.name);
  char before = ':';
  for (const ArrivalParameter& parameter : arrival.parameters) {
    const std::string pair = fmt::format("{}={}", parameter.name, placeholder(parameter.kind));
    if (before != '\0') text += before;
    // One that may be left out is never the last, so the comma after it goes with it.
    text += parameter.otherwise ? fmt::format("[{},]", pair) : pair;
    before = parameter.otherwise ? '\0' : ',';
  }
  return text;
}

}  // namespace gatherbench::arrivals
