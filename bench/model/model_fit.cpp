// SPDX-License-Identifier: BSD-3-Clause
#include "bench/model/model_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/measure/statistics.h"

namespace gatherbench::bench {
namespace {

/// alpha and beta; those of a line that is no model are not positive.
cost::Hockney fit_line(std::span<const ExchangeTime> times) {
  double weights = 0;
  double mean_bytes = 0;
  double mean_seconds = 0;
  const auto weight = [](const ExchangeTime& time) { return 1 / (time.seconds * time.seconds); };
  for (const ExchangeTime& time : times) {
    weights += weight(time);
    mean_bytes += weight(time) * static_cast<double>(time.bytes);
    mean_seconds += weight(time) * time.seconds;
  }
  mean_bytes /= weights;
  mean_seconds /= weights;
  double squares = 0;
  double products = 0;
  for (const ExchangeTime& time : times) {
    const double bytes = static_cast<double>(time.bytes) - mean_bytes;
    squares += weight(time) * bytes * bytes;
    products += weight(time) * bytes * (time.seconds - mean_seconds);
  }
  const double beta = products / squares;
  return {mean_seconds - beta * mean_bytes, beta};
}

/// What each further message adds to an exchange, by size.
std::vector<double> further_seconds(std::span<const ExchangeTime> times) {
  std::vector<double> found;
  for (const ExchangeTime& several : times) {
    if (several.messages == 1) continue;
    const auto one = std::ranges::find_if(times, [&](const ExchangeTime& time) {
      return time.messages == 1 && time.bytes == several.bytes;
    });
    found.push_back((several.seconds - one->seconds) / (several.messages - 1));
  }
  return found;
}

std::string worst_error(const cost::Hockney& model, std::span<const ExchangeTime> times) {
  double worst = -1;
  std::int64_t at = 0;
  for (const ExchangeTime& time : times) {
    const double modelled = model.alpha + static_cast<double>(time.bytes) * model.beta;
    const double error = std::abs(modelled / time.seconds - 1);
    if (error <= worst) continue;
    worst = error;
    at = time.bytes;
  }
  return fmt::format("off by {:.0f} % at most, at {} bytes", 100 * worst, at);
}

}  // namespace

ModelFit fit_model(std::span<const ExchangeTime> times) {
  std::vector<ExchangeTime> single;
  std::ranges::copy_if(times, std::back_inserter(single),
                       [](const ExchangeTime& time) { return time.messages == 1; });
  cost::Hockney model = fit_line(single);
  // Written so that it also holds of what is no number.
  if (!(model.alpha > 0 && model.beta > 0 && std::isfinite(model.alpha + model.beta))) {
    return {.remark = fmt::format("none: the times do not fit one (alpha = {:.3g} s, beta = {:.3g} "
                                  "s a byte); measure on a machine with less to do",
                                  model.alpha, model.beta)};
  }
  std::string remark = worst_error(model, single);
  const double tau = percentile(further_seconds(times), 50);
  model.tau = std::max(tau, 0.0);
  if (tau < 0) remark += "; tau is 0: several messages took no longer than one";
  return {model, remark};
}

WindowFit fit_window(const ExchangeTime& small, const ExchangeTime& large) {
  const double beta =
      (large.seconds - small.seconds) / static_cast<double>(large.bytes - small.bytes);
  const double alpha = small.seconds - static_cast<double>(small.bytes) * beta;
  // Written so that it also holds of what is no number.
  if (!(alpha > 0 && beta > 0 && std::isfinite(alpha + beta))) {
    return {.remark = fmt::format("none: {} bytes took {:.3g} s, and {} bytes {:.3g} s; measure on "
                                  "a machine with less to do",
                                  small.bytes, small.seconds, large.bytes, large.seconds)};
  }
  return {.window = cost::HostWindow{alpha, 1 / beta}, .remark = {}};
}

}  // namespace gatherbench::bench
