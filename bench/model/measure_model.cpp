// SPDX-License-Identifier: BSD-3-Clause
#include "bench/model/measure_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/cost/models.h"
#include "bench/host/rank_zero.h"
#include "bench/host/watchdog.h"
#include "bench/measure/statistics.h"
#include "bench/plan/memory.h"
#include "bench/results/result_file.h"
#include "runtime/mpi/buffers.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/mpi/window/node_window.h"
#include "runtime/mpi/window/wait.h"

namespace gatherbench::bench {
namespace {

/// Fits alpha and beta; those of a line that is no model are not positive.
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

/// Returns what each further message adds to an exchange, in seconds, by size.
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
  // The condition is written so that it also holds of what is no number.
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
  // The condition is written so that it also holds of what is no number.
  if (!(alpha > 0 && beta > 0 && std::isfinite(alpha + beta))) {
    return {.remark = fmt::format("none: {} bytes took {:.3g} s, and {} bytes {:.3g} s; measure on "
                                  "a machine with less to do",
                                  small.bytes, small.seconds, large.bytes, large.seconds)};
  }
  return {.window = cost::HostWindow{alpha, 1 / beta}, .remark = {}};
}

namespace {

constexpr std::int64_t min_bytes = 16;
constexpr std::int64_t max_bytes = model_memory / 2;
constexpr int growth = 4;
constexpr int several = 16;  // messages, to tell tau

constexpr int min_rounds = 5;
constexpr int max_rounds = 51;
constexpr int memory_rounds = 11;
constexpr std::int64_t enough_ns = 1'000'000'000;
// Exchanges follow back to back, lest the barrier before them count; of large ones one is enough.
constexpr std::int64_t max_exchanges = 16;
constexpr std::int64_t max_copied_exchanges = 256;  // which are shorter
constexpr std::int64_t bytes_at_once = 256 << 10;

constexpr int tag = 0;

/// The exchanges of this rank with its neighbours.
class Exchanges {
 public:
  /// Exchanges are copies instead of messages if there is a window, which reaches all ranks and
  /// outlives this.
  explicit Exchanges(MPI_Comm comm, mpi::NodeWindow* window = nullptr)
      : comm_(comm),
        window_(window),
        next_((mpi::rank_of(comm) + 1) % mpi::size_of(comm)),
        previous_((mpi::rank_of(comm) + mpi::size_of(comm) - 1) % mpi::size_of(comm)),
        buffer_(model_memory,
                mpi::rank_model().one_process ? mpi::Memory::folded : mpi::Memory::own) {
    if (mpi::rank_model().one_process) return;                // nobody looks at those bytes
    std::fill_n(buffer_.data(), model_memory, std::byte{1});  // so that the pages are there
  }

  /// Returns the seconds of one exchange on the slowest rank. Collective.
  [[nodiscard]] double time(std::int64_t bytes, int messages) {
    const std::int64_t most = window_ == nullptr ? max_exchanges : max_copied_exchanges;
    const std::int64_t count = std::clamp<std::int64_t>(bytes_at_once / bytes, 1, most);
    mpi::require(MPI_Barrier(comm_), "MPI_Barrier");
    const std::int64_t start_ns = mpi::steady_ns();
    for (std::int64_t i = 0; i < count; ++i) run(static_cast<int>(bytes / messages), messages);
    const std::int64_t ns = mpi::steady_ns() - start_ns;
    double slowest = static_cast<double>(ns) / 1e9 / static_cast<double>(count);
    mpi::require(MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm_),
                 "MPI_Allreduce");
    Watchdog::beat();
    return slowest;
  }

 private:
  /// Makes the calls that a plan makes in a step. It sends what it received the time before, as in
  /// a ring: the receiver's cache would keep a copy of a block that never changes.
  void run(int bytes, int messages) {
    std::byte* const in = buffer_.data() + (is_odd_ ? max_bytes : 0);
    std::byte* const out = buffer_.data() + (is_odd_ ? 0 : max_bytes);
    is_odd_ = !is_odd_;
    if (window_ != nullptr) {
      copy(out, in, static_cast<std::size_t>(bytes));
      return;
    }
    if (messages == 1) {
      mpi::require(MPI_Sendrecv(out, bytes, MPI_CHAR, next_, tag, in, bytes, MPI_CHAR, previous_,
                                tag, comm_, MPI_STATUS_IGNORE),
                   "MPI_Sendrecv");
      return;
    }
    std::array<MPI_Request, std::size_t{2} * several> requests{};
    MPI_Request* request = requests.data();
    for (int i = 0; i < messages; ++i) {
      mpi::require(MPI_Irecv(in + std::ptrdiff_t{i} * bytes, bytes, MPI_CHAR, previous_, tag, comm_,
                             request++),
                   "MPI_Irecv");
    }
    for (int i = 0; i < messages; ++i) {
      mpi::require(
          MPI_Isend(out + std::ptrdiff_t{i} * bytes, bytes, MPI_CHAR, next_, tag, comm_, request++),
          "MPI_Isend");
    }
    mpi::wait_all(requests);
  }

  void copy(std::byte* out, std::byte* in, std::size_t bytes) {
    const std::array outgoing{mpi::Strided{out, bytes}};
    const std::array incoming{mpi::Strided{in, bytes}};
    mpi::Copies copies;
    mpi::PutEnd* const to = &window_->to(next_);
    copies.put({&to, 1}, outgoing, window_->stage());
    copies.take(window_->from(previous_), incoming);
    mpi::wait_for(copies, {}, comm_);
  }

  MPI_Comm comm_;
  mpi::NodeWindow* window_;
  int next_;
  int previous_;
  mpi::Buffer buffer_;
  bool is_odd_ = false;
};

/// Returns whether another round is measured; rank 0 decides for all. Collective.
bool goes_on(int rounds, std::int64_t start_ns, MPI_Comm comm) {
  // All rounds of a simulation are the same.
  const int most = mpi::rank_model().one_process ? 1 : max_rounds;
  int more = rounds < most && (rounds < min_rounds || mpi::steady_ns() - start_ns < enough_ns);
  mpi::require(MPI_Bcast(&more, 1, MPI_INT, 0, comm), "MPI_Bcast");
  return more != 0;
}

int most_ranks_of_a_node(std::span<const int> node_of_rank) {
  std::vector<int> ranks_on(node_of_rank.size());
  for (const int node : node_of_rank) ++ranks_on[static_cast<std::size_t>(node)];
  return std::ranges::max(ranks_on);
}

/// Up to `most` ranks of each node, in parts of up to `ranks_of_part`. Ranks that would be alone in
/// their part are idle.
class NodeParts {
 public:
  NodeParts(MPI_Comm all, std::span<const int> node_of_rank, int most, int ranks_of_part)
      : all_(all) {
    const int rank = mpi::rank_of(all);
    std::vector<int> here;  // ranks of the node
    for (int other = 0; other < std::ssize(node_of_rank); ++other) {
      const auto node_of = [&](int of) { return node_of_rank[static_cast<std::size_t>(of)]; };
      if (node_of(other) == node_of(rank)) here.push_back(other);
    }
    const auto place = static_cast<int>(std::ranges::find(here, rank) - here.begin());
    const int first = place / ranks_of_part * ranks_of_part;
    const int last = std::min({first + ranks_of_part, most, static_cast<int>(here.size())});
    takes_part_ = place < last && last - first > 1;
    is_first_ = takes_part_ && first == 0;
    const int colour = takes_part_ ? here[static_cast<std::size_t>(first)] : rank;
    MPI_Comm handle = MPI_COMM_NULL;
    mpi::require(MPI_Comm_split(all, colour, rank, &handle), "MPI_Comm_split");
    part_ = mpi::Communicator(handle);
  }

  /// Returns the part of this rank, which is alone in it where it is idle.
  [[nodiscard]] MPI_Comm comm() const { return part_.get(); }
  [[nodiscard]] bool takes_part() const { return takes_part_; }

  enum class Who { first_of_node, all };
  /// Returns the median seconds of an exchange on the slowest of these parts, which exchange at
  /// once. Collective over all ranks.
  [[nodiscard]] double seconds(Exchanges& exchanges, std::int64_t bytes, Who who) const {
    const bool exchange = who == Who::all ? takes_part_ : is_first_;
    std::vector<double> seconds;
    for (int round = 0; round <= (mpi::rank_model().one_process ? 1 : memory_rounds); ++round) {
      mpi::require(MPI_Barrier(all_), "MPI_Barrier");
      const double found = exchange ? exchanges.time(bytes, 1) : 0;
      if (round > 0) seconds.push_back(found);
    }
    double slowest = percentile(seconds, 50);
    mpi::require(MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, all_),
                 "MPI_Allreduce");
    return slowest;
  }

 private:
  MPI_Comm all_;
  mpi::Communicator part_;
  bool takes_part_;
  bool is_first_;
};
using Who = NodeParts::Who;

double seconds_of_messages(MPI_Comm comm, std::span<const int> node_of_rank, int most) {
  const NodeParts parts(comm, node_of_rank, most, most);
  Exchanges exchanges(parts.comm());
  return parts.seconds(exchanges, max_bytes, Who::all);
}

std::optional<cost::HostMemory> measure_memory(MPI_Comm comm, std::span<const int> node_of_rank) {
  const int most = most_ranks_of_a_node(node_of_rank);
  if (most < 2) return std::nullopt;
  const double two = seconds_of_messages(comm, node_of_rank, 2);
  const double all = most == 2 ? two : seconds_of_messages(comm, node_of_rank, most);
  constexpr auto bytes = static_cast<double>(max_bytes);
  return cost::HostMemory{bytes / two, most * bytes / all};
}

/// Makes a window for each part, of two ranks. Returns null on all ranks if one of them cannot copy
/// to the other of its part. Collective over `comm`.
std::unique_ptr<mpi::NodeWindow> make_window(const NodeParts& parts, MPI_Comm comm) {
  std::unique_ptr<mpi::NodeWindow> window;
  try {
    window = std::make_unique<mpi::NodeWindow>(parts.comm(), std::span<const int>());
  } catch (const mpi::MpiError&) {
    window = nullptr;  // as on the other rank of the part
  }
  const int other = 1 - mpi::rank_of(parts.comm());
  int all_have = window != nullptr && (!parts.takes_part() || window->reaches(other)) ? 1 : 0;
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, &all_have, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return all_have != 0 ? std::move(window) : nullptr;
}

WindowFit measure_window(MPI_Comm comm, std::span<const int> node_of_rank) {
  if (const std::string_view why = mpi::NodeWindow::why_none(); !why.empty()) {
    return {.remark = fmt::format("none: it {}", why)};
  }
  const int most = most_ranks_of_a_node(node_of_rank);
  if (most < 2) return {.remark = "none: no node has two ranks"};
  int has_room = mpi::NodeWindow::has_room(most * mpi::NodeWindow::bytes_of_rank(2)) ? 1 : 0;
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, &has_room, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (has_room == 0) return {.remark = "none: /dev/shm has too little room for channels"};
  const NodeParts pairs(comm, node_of_rank, most, 2);
  const std::unique_ptr<mpi::NodeWindow> window = make_window(pairs, comm);
  if (window == nullptr) return {.remark = "none: ranks of a node got no memory to share"};
  Exchanges exchanges(pairs.comm(), window.get());
  // All ranks exchange at once, as for the model's alpha: where they share processors, none is
  // idle.
  const double small = pairs.seconds(exchanges, min_bytes, Who::all);
  const double large = pairs.seconds(exchanges, max_bytes, Who::first_of_node);
  const double at_once = most < 4 ? large : pairs.seconds(exchanges, max_bytes, Who::all);
  WindowFit fit = fit_window({min_bytes, 1, small}, {max_bytes, 1, large});
  const int in_pairs = most - most % 2;
  if (fit.window) {
    fit.window->memory_bandwidth = in_pairs * static_cast<double>(max_bytes) / at_once;
  }
  return fit;
}

}  // namespace

MeasuredModel measure_model(MPI_Comm comm, std::span<const int> node_of_rank) {
  const std::optional<cost::HostMemory> memory = measure_memory(comm, node_of_rank);
  const WindowFit window = measure_window(comm, node_of_rank);
  struct Point {
    std::int64_t bytes;
    int messages;
    std::vector<double> seconds = {};
  };
  std::vector<Point> points;
  for (std::int64_t bytes = min_bytes; bytes <= max_bytes; bytes *= growth) {
    for (const int messages : {1, several}) points.push_back({bytes, messages});
  }
  Exchanges exchanges(comm);
  for (const Point& point : points) static_cast<void>(exchanges.time(point.bytes, point.messages));
  // Sizes are measured in rounds, so that a disturbance for a while does not hit one size alone.
  const std::int64_t start_ns = mpi::steady_ns();
  for (int rounds = 0; goes_on(rounds, start_ns, comm); ++rounds) {
    for (Point& point : points) {
      point.seconds.push_back(exchanges.time(point.bytes, point.messages));
    }
  }
  std::vector<ExchangeTime> times;
  std::string text;
  for (const Point& point : points) {
    times.push_back({point.bytes, point.messages, percentile(point.seconds, 50)});
    text += fmt::format("{}{}x{}={:.4g}", text.empty() ? "" : " ", point.bytes, point.messages,
                        times.back().seconds * 1e6);
  }
  return {fit_model(times), text, memory, window};
}

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
