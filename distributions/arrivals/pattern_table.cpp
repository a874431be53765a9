// SPDX-License-Identifier: BSD-3-Clause
#include "distributions/arrivals/pattern_table.h"

#include <fmt/format.h>

namespace gatherbench::arrivals {
namespace {

using enum ArrivalValue;

constexpr double last_rank = -1;

/// Draws until the time is not negative. The mean is not negative, so on average at least every
/// second draw is taken.
double normal(const ArrivalDraw& draw) {
  // The draw is scaled here, since std::normal_distribution takes no deviation of 0.
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
  // Random patterns draw in units of their time, so that a time of 0 needs no care.
  static const std::vector<NamedArrival> table{
      {.name = "none",
       .parameters = {},
       .summary = "0",
       .steady = true,
       .size_meaning = "",
       .us = [](const ArrivalDraw&) { return 0.0; }},
      {.name = "delayed",
       .parameters = {{"rank", rank, last_rank}, {"delay", time}},
       .summary = "delay on that rank (default: the last), else 0",
       .steady = true,
       .size_meaning = "delay",
       .us =
           [](const ArrivalDraw& draw) {
             const double late = draw.numbers[0] == last_rank ? draw.ranks - 1 : draw.numbers[0];
             return draw.rank == late ? draw.us[0] : 0;
           }},
      {.name = "alternating",
       .parameters = {{"even", time}, {"odd", time}},
       .summary = "by whether i is even or odd",
       .steady = true,
       .size_meaning = "larger delay",
       .us = [](const ArrivalDraw& draw) { return draw.us[draw.rank % 2 == 0 ? 0 : 1]; }},
      {.name = "uniform",
       .parameters = {{"max", time}},
       .summary = "uniform between 0 and max",
       .size_meaning = "maximum delay",
       .us =
           [](const ArrivalDraw& draw) {
             return draw.us[0] * std::uniform_real_distribution<double>()(draw.random);
           }},
      {.name = "normal",
       .parameters = {{"mean", time}, {"stddev", time}},
       .summary = "normal, negative values drawn again",
       .size_meaning = "larger of mean and standard deviation of the delays",
       .us = normal},
      {.name = "gamma",
       .parameters = {{"shape", positive}, {"scale", time}},
       .summary = "gamma, mean shape times scale",
       .size_meaning = "scale of the delays",
       .us =
           [](const ArrivalDraw& draw) {
             return draw.us[0] * std::gamma_distribution<double>(draw.numbers[0])(draw.random);
           }},
      {.name = "exponential",
       .parameters = {{"mean", time}},
       .summary = "exponential",
       .size_meaning = "mean delay",
       .us =
           [](const ArrivalDraw& draw) {
             return draw.us[0] * std::exponential_distribution<double>()(draw.random);
           }},
      {.name = "bernoulli",
       .parameters = {{"probability", probability}, {"delay", time}},
       .summary = "delay with that probability, else 0",
       .size_meaning = "delay",
       .us =
           [](const ArrivalDraw& draw) {
             return std::bernoulli_distribution(draw.numbers[0])(draw.random) ? draw.us[0] : 0;
           }},
  };
  return table;
}

std::string_view kind_of(const ArrivalParameter& parameter) {
  switch (parameter.kind) {
    case time:
      return "time";
    case rank:
      return "rank";
    case probability:
      return "probability";
    case positive:
      return "positive";
  }
  return "";
}

std::string signature(const NamedArrival& arrival) {
  std::string text(arrival.name);
  char before = ':';
  for (const ArrivalParameter& parameter : arrival.parameters) {
    const std::string pair = fmt::format("{}={}", parameter.name, placeholder(parameter.kind));
    if (before != '\0') text += before;
    // A parameter that may be left out is never the last, so the comma after it goes with it.
    text += parameter.default_value ? fmt::format("[{},]", pair) : pair;
    before = parameter.default_value ? '\0' : ',';
  }
  return text;
}

}  // namespace gatherbench::arrivals
