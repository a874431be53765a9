// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/choice/message_form.h"
#include "algorithms/collectives/collective.h"
#include "bench/options/address.h"
#include "bench/options/operators.h"
#include "bench/options/values/buffer_choice.h"
#include "bench/options/values/call_order.h"
#include "bench/options/values/datatype.h"
#include "bench/options/values/displacements.h"
#include "bench/options/values/grouping.h"
#include "bench/options/values/lists.h"
#include "bench/options/values/replay_choice.h"
#include "bench/options/values/words.h"
#include "distributions/arrivals/prediction.h"

namespace gatherbench::bench {

/// Calls of each algorithm and case in which steps are recorded, at most: each has a row for every
/// step of every rank.
inline constexpr std::int64_t most_recorded_calls = 20;

/// The task of one launch. Sizes in bytes, times in seconds.
struct Options {
  const collectives::Collective* collective = &collectives::allgather;  ///< that is measured
  std::string message_size = {};  ///< --message-size, which `sizes` is made of later
  std::vector<std::int64_t> sizes = {};
  std::string sizes_option = "--message-size";  ///< the one that gave them
  std::vector<algorithms::Choice> algorithms = {};
  std::string distributions = "regular";  ///< a list; files in it are read later, by rank 0
  std::string arrivals = "none";          ///< a list; traces in it are read later, by rank 0
  arrivals::Prediction prediction = {};
  std::optional<double> compute = {};  ///< before the arrival pattern's delay; none: by need
  std::optional<Wait> wait = {};       ///< none: busy if ranks have a processor each
  std::optional<Sync> sync = {};       ///< none: by need
  std::vector<Mapping> mappings = {Mapping::as_launched};
  /// The mapping that the launcher was asked for; as_launched: nobody said. Ranks stay as they are.
  Mapping launched_mapping = Mapping::as_launched;
  std::optional<std::int64_t> ranks_per_node = {};  ///< none: the nodes that there are
  std::string topology = {};                        ///< file of the switch tree; empty: none
  ReplayChoice replay = {};                         ///< the calls of a traced program
  Grouping groups = {};                             ///< which ranks run a collective together
  std::string beside = {};                   ///< the traffic of --beside, read later; empty: none
  std::string congest = {};                  ///< --congest, read later; empty: nobody does
  std::optional<std::int64_t> overlap = {};  ///< calls of MPI_Test in a computation; none: no such
  bool in_place = false;
  std::optional<int> root = {};      ///< none: the collective has none
  Operator combined_by = {};         ///< null: the collective combines nothing
  std::optional<double> gamma = {};  ///< of a simulation: to combine a byte; none: no time
  bool charge_schedule = false;  ///< schedules that depend on arrivals are made in the timed call
  algorithms::Noncontiguous noncontiguous = algorithms::Noncontiguous::pipelined;
  std::optional<BufferChoice> buffers = {};  ///< none: by need
  std::optional<std::int64_t> cycles = {};   ///< behind each turn of calls; none: by need
  bool read = false;                         ///< the result is read, timed, after each call
  BufferPlaces places = {};                  ///< of the send and the receive buffer
  std::optional<BufferType> datatype = {};   ///< none: the collective has another option, or none
  /// Displacements of the blocks in the receive buffer; none: the collective has no such argument.
  std::optional<Displacements> displacements = {};

  std::optional<std::int64_t> iterations = {};  ///< none: OSU's, by size
  std::optional<std::int64_t> warmup = {};      ///< none: OSU's, by size
  CallOrder order = {};
  std::optional<std::uint64_t> seed = {};  ///< none: it is settled when the launch begins
  SizeOrder size_order = SizeOrder::given;
  std::optional<double> precision = {};
  std::optional<double> max_time = {};
  double timeout = 300;
  std::optional<std::int64_t> mem_limit = {};

  bool measure_model = false;  ///< Hockney's, on the ranks of the launch

  std::optional<TableForm> table = {};  ///< none: by need
  bool full = false;
  bool validation = false;
  std::optional<std::int64_t> check_up_to = {};  ///< bytes of a block; none: all are checked
  std::vector<double> percentiles = {};
  bool std_dev = false;
  bool progress = false;     ///< for each case, even if standard error is no terminal
  bool no_progress = false;  ///< none, even if it is one

  std::string output = {};
  bool resume = false;
  std::vector<formats::File> recorded = {};  ///< files beside the results
  std::vector<Note> notes = {};
  std::optional<DuetAddress> duet = {};  ///< none: this job is alone
  bool list = false;
  bool dry_run = false;

  std::string config = {};  ///< the file of --config; empty: none
  std::string given = {};   ///< lines "--option=value", those of the file too: to compare ranks

  [[nodiscard]] std::int64_t iterations_at(std::int64_t bytes) const;
  [[nodiscard]] std::int64_t warmup_at(std::int64_t bytes) const;
  /// Returns whether results with blocks of this size are checked.
  [[nodiscard]] bool checks(std::int64_t bytes) const {
    return !check_up_to || bytes <= *check_up_to;
  }
  [[nodiscard]] bool records(formats::File file) const {
    return std::ranges::find(recorded, file) != recorded.end();
  }
  /// Returns the element in which the buffers of an all-gather are counted.
  [[nodiscard]] mpi::Element element() const {
    return datatype ? datatype->element : mpi::Element{};
  }
  [[nodiscard]] bool combines() const { return combined_by.operation != nullptr; }
  /// Returns the form of --table; without one, side by side if there are several algorithms, unless
  /// columns of OSU's table are asked for.
  [[nodiscard]] TableForm table_form() const;
  [[nodiscard]] bool has_osu_columns() const {
    return full || validation || std_dev || !percentiles.empty();
  }
  /// Returns the mapping that a row names: the one that was asked of us, or of the launcher.
  [[nodiscard]] Mapping asked(Mapping mapping) const {
    return mapping == Mapping::as_launched ? launched_mapping : mapping;
  }
};

}  // namespace gatherbench::bench
