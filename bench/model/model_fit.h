// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "algorithms/cost/hockney.h"
#include "algorithms/cost/host_memory.h"

// From times of exchanges to the parameters of Hockney's model. Pure functions.
namespace gatherbench::bench {

/// What a step takes in which each rank sends so many bytes to one peer and receives as many of
/// another, in so many messages of equal size.
struct ExchangeTime {
  std::int64_t bytes;
  int messages;
  double seconds;
};

struct ModelFit {
  std::optional<cost::Hockney> model = {};  ///< none: the times have none
  std::string remark;  ///< how well the model fits the times, or why there is none
};

/// alpha and beta by least squares of the relative errors, over the exchanges of one message:
/// absolute errors would be those of the largest alone. tau is the median over the sizes of what a
/// further message adds; it is 0 where that is less than nothing, and the remark says so. Each size
/// with several messages is among those with one.
ModelFit fit_model(std::span<const ExchangeTime> times);

struct WindowFit {
  std::optional<cost::HostWindow> window = {};  ///< none: the times have none
  std::string remark;                           ///< why there is none: "none: ..."
};

/// Of exchanges by copies within a node: the alpha and the bandwidth that give both times, if both
/// are more than 0 and finite.
WindowFit fit_window(const ExchangeTime& small, const ExchangeTime& large);

}  // namespace gatherbench::bench
