// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "algorithms/cost/models.h"
#include "bench/plan/setup.h"
#include "formats/metadata.h"

// Hockney's parameters: from times of exchanges, by pure functions, and measured.
namespace gatherbench::bench {

/// The time of a step in which each rank sends so many bytes to one peer and receives as many from
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

/// Fits alpha and beta by least squares of the relative errors, over the exchanges of one message:
/// absolute errors would be those of the largest alone. tau is the median over the sizes of what a
/// further message adds; it is 0 where that is less than nothing, and the remark says so. Each size
/// with several messages has to be among those with one.
ModelFit fit_model(std::span<const ExchangeTime> times);

struct WindowFit {
  std::optional<cost::HostWindow> window = {};  ///< none: the times have none
  std::string remark;                           ///< why there is none: "none: ..."
};

/// Returns the alpha and the bandwidth of copies within a node that give both times, if both are
/// more than 0 and finite.
WindowFit fit_window(const ExchangeTime& small, const ExchangeTime& large);

struct MeasuredModel {
  ModelFit fit;
  std::string times;  ///< "16x1=1.25 ...": bytes, messages, and the time in microseconds
  std::optional<cost::HostMemory> memory = {};  ///< none: no node has two ranks
  WindowFit window = {};                        ///< of copies within a node
};

/// Measures the parameters of Hockney's model in what a step of a schedule does: each rank sends to
/// the next and receives from the one before, all at the same time, in the order of `comm`, which
/// has 2 ranks or more. The memory is measured by large messages: of two ranks of each node, and of
/// all ranks of each node at the same time; `node_of_rank` numbers the nodes, and the slowest one
/// counts. The window is that of pairs of ranks of a node that exchange blocks by copies: so each
/// rank copies what it sends and what it receives, as in a step. Returns the same on every rank.
/// Takes a second, on slow networks longer. Collective.
MeasuredModel measure_model(MPI_Comm comm, std::span<const int> node_of_rank);

/// Measures and prints the model of --measure-model. Returns what the result file says of it:
/// nothing without the option, or with no case left to run. Collective.
formats::Metadata measure_launch_model(const Setup& setup, const formats::Metadata& metadata,
                                       MPI_Comm world);

}  // namespace gatherbench::bench
