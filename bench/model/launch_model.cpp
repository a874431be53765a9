// SPDX-License-Identifier: BSD-3-Clause
#include "bench/model/launch_model.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "algorithms/cost/hockney.h"
#include "bench/host/rank_zero.h"
#include "bench/model/measure_model.h"
#include "bench/results/result_file.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {

formats::Metadata measure_launch_model(const Setup& setup, const formats::Metadata& metadata,
                                       MPI_Comm world) {
  const Options& options = setup.options;
  if (!options.measure_model) return {};
  std::size_t cases = 0;
  for (const MappedCases& part : setup.parts) cases += part.cases.size();
  int is_done = 0;
  run_on_rank_zero(world, [&] {  // before it takes time
    if (options.output.empty()) return;
    is_done = ResultFile::look(options.output, metadata, options.resume).cases == cases ? 1 : 0;
  });
  mpi::require(MPI_Bcast(&is_done, 1, MPI_INT, 0, world), "MPI_Bcast");
  if (is_done != 0) return {};
  const MeasuredModel measured = measure_model(world, setup.nodes.of_rank);
  formats::Metadata found{{"model_fit", measured.fit.remark}, {"model_times", measured.times}};
  std::string text = measured.fit.remark;
  if (measured.fit.model) {
    found.emplace_back("model", cost::text_of(*measured.fit.model));
    text = fmt::format("{} ({})", found.back().second, measured.fit.remark);
  }
  const std::string memory =
      measured.memory ? cost::text_of(*measured.memory) : "none: no node has two ranks";
  found.emplace_back("host_memory", memory);
  const std::string window =
      measured.window.window ? cost::text_of(*measured.window.window) : measured.window.remark;
  found.emplace_back("host_window", window);
  if (mpi::rank_of(world) == 0) {
    fmt::print("# Model: {}\n# Memory: {}\n# Window: {}\n", text, memory, window);
  }
  return found;
}

}  // namespace gatherbench::bench
