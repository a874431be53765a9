// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/arrival_aware/arrival_aware.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>
#include <utility>

#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/helper_thread.h"
#include "runtime/mpi/plans/message_time.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::mpi {
namespace {

double us_between(std::int64_t start_ns, std::int64_t end_ns) {
  return static_cast<double>(end_ns - start_ns) / 1000;
}

/// Returns the time of a message: the one of the choice, else the given one, else one that is
/// measured with a block of mean size. Collective.
double message_time(const algorithms::Choice& choice, const Layout& layout, double given_us,
                    MPI_Comm comm) {
  const double chosen_us = algorithms::problem_for(choice, layout.blocks()).message_us;
  if (!algorithms::needs_message_time(choice)) return chosen_us;
  if (given_us > 0) return given_us;
  return std::max(0.0, measure_message_us(layout.mean_bytes(), comm));
}

/// Returns the time to start a message: the one of the choice, else one that is measured with a
/// message of one byte. Collective.
double start_time(const algorithms::Choice& choice, const Layout& layout, MPI_Comm comm) {
  if (!algorithms::needs_start_time(choice)) {
    return algorithms::problem_for(choice, layout.blocks()).start_us;
  }
  return std::max(0.0, measure_message_us(1, comm));
}

std::string_view name_of(int thread_level) {
  switch (thread_level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    default:
      return "MPI_THREAD_SERIALIZED";
  }
}

Communicator copy_for_two_threads(const algorithms::Choice& choice, MPI_Comm comm) {
  if (choice.via != algorithms::Via::messages) {
    throw std::invalid_argument(fmt::format(
        "ArrivalAware({}): a helper thread sends messages; legal: via=messages", choice.label()));
  }
  if (const std::string reason = why_no_helper_thread(); !reason.empty()) {
    throw std::runtime_error(fmt::format("ArrivalAware {}", reason));
  }
  return Communicator::duplicate(comm);
}

}  // namespace

std::string why_no_helper_thread() {
  if (!rank_model().why_no_threads.empty()) return std::string(rank_model().why_no_threads);
  int level = MPI_THREAD_SINGLE;
  require(MPI_Query_thread(&level), "MPI_Query_thread");
  if (level >= MPI_THREAD_MULTIPLE) return {};
  return fmt::format("needs MPI_THREAD_MULTIPLE; this MPI library gives {}", name_of(level));
}

/// The state of one all-gather, with the helper thread that takes it on.
class ArrivalAware::Call {
 public:
  Call(const algorithms::Choice& choice, const Layout& layout, const std::byte* send,
       std::byte* receive, MPI_Comm comm, const ArrivalAwareSettings& settings)
      : comm_(copy_for_two_threads(choice, comm)),
        clock_(settings.clock),
        message_us_(message_time(choice, layout, settings.message_us, comm_.get())),
        gather_({choice, layout, send, receive, message_us_, settings.form,
                 start_time(choice, layout, comm_.get()), settings.exits_us, settings.root,
                 settings.reduction},
                Communicator::duplicate(comm_.get())) {
    if (clock_ == nullptr) {
      if (Communicator::of_node(comm_.get()).size() < comm_.size()) {
        own_clock_ = GlobalClock(comm_.get());
      }
      clock_ = &own_clock_;
    }
    start_ns_ = steady_ns();
  }

  void processing_start() {
    helper_.check();
    start_ns_ = steady_ns();
  }

  void edge(double fraction) {
    if (!(fraction > 0 && fraction <= 1)) {
      throw std::invalid_argument(
          fmt::format("ArrivalAware::edge({}): a fraction is more than 0 and at most 1", fraction));
    }
    helper_.check();
    constexpr double max_ns = 1e15;  // eleven days
    const std::int64_t now_ns = steady_ns();
    const double all_ns = static_cast<double>(now_ns - start_ns_) / fraction;
    predict(now_ns, start_ns_ + std::llround(std::clamp(all_ns, 0.0, max_ns)),
            errors_.typical_ns());
  }

  void predict(std::int64_t arrival_ns, bool certain) {
    helper_.check();
    predict(steady_ns(), arrival_ns, certain ? 0 : errors_.typical_ns());
  }

  void processing_end() {
    helper_.check();
    end_ns_ = steady_ns();
  }

  void run() {
    const std::int64_t now_ns = steady_ns();
    if (end_ns_ == 0) end_ns_ = now_ns;
    if (is_predicted_) {
      helper_.stop();
    } else {
      edge_ns_ = predicted_ns_ = end_ns_;
      gather_.start({clock_->global_ns(now_ns), clock_->global_ns(now_ns), errors_.typical_ns()});
    }
    const std::size_t done_steps = is_predicted_ ? gather_.done_steps() : 0;
    gather_.run();
    const PredictedGather::Figures& figures = gather_.figures();
    last_ = {is_predicted_,
             us_between(end_ns_, predicted_ns_),
             us_between(edge_ns_, figures.exchanged_ns),
             figures.schedule_us,
             is_predicted_ ? helper_.busy_us() : 0,
             figures.background_steps,
             done_steps,
             figures.background_bytes,
             figures.resolution_us};
    if (is_predicted_) errors_.add(predicted_ns_ - end_ns_);
    is_predicted_ = false;
    end_ns_ = 0;
    start_ns_ = steady_ns();
  }

  void use_buffers(const std::byte* send, std::byte* receive) {
    gather_.use_buffers(send, receive);
  }
  void synchronise() { own_clock_.synchronise(); }
  [[nodiscard]] double message_us() const { return message_us_; }
  [[nodiscard]] const ArrivalStatistics& last() const { return last_; }

 private:
  void predict(std::int64_t now_ns, std::int64_t arrival_ns, std::int64_t error_ns) {
    if (is_predicted_) return;
    is_predicted_ = true;
    edge_ns_ = now_ns;
    predicted_ns_ = std::max(arrival_ns, now_ns);
    gather_.start({clock_->global_ns(edge_ns_), clock_->global_ns(predicted_ns_), error_ns});
    helper_.start([this] { return gather_.advance(); });
  }

  Communicator comm_;
  GlobalClock own_clock_;
  const GlobalClock* clock_;
  double message_us_;
  bool is_predicted_ = false;
  std::int64_t start_ns_ = 0;
  std::int64_t edge_ns_ = 0;
  std::int64_t predicted_ns_ = 0;
  std::int64_t end_ns_ = 0;  // 0: not yet
  RecentErrors errors_;
  ArrivalStatistics last_;
  PredictedGather gather_;
  HelperThread helper_;  // the last member: its task uses the others
};

ArrivalAware::ArrivalAware(const algorithms::Choice& choice, const Layout& layout,
                           const std::byte* send, std::byte* receive, MPI_Comm comm,
                           const ArrivalAwareSettings& settings)
    : call_(std::make_unique<Call>(choice, layout, send, receive, comm, settings)) {}

ArrivalAware::ArrivalAware(ArrivalAware&& other) noexcept = default;
ArrivalAware& ArrivalAware::operator=(ArrivalAware&& other) noexcept = default;
ArrivalAware::~ArrivalAware() = default;

void ArrivalAware::processing_start() { call_->processing_start(); }
void ArrivalAware::edge(double fraction) { call_->edge(fraction); }
void ArrivalAware::predict(std::int64_t arrival_ns, bool certain) {
  call_->predict(arrival_ns, certain);
}
void ArrivalAware::processing_end() { call_->processing_end(); }
void ArrivalAware::run() { call_->run(); }
void ArrivalAware::use_buffers(const std::byte* send, std::byte* receive) {
  call_->use_buffers(send, receive);
}
void ArrivalAware::synchronise() { call_->synchronise(); }
double ArrivalAware::message_us() const { return call_->message_us(); }
const ArrivalStatistics& ArrivalAware::last() const { return call_->last(); }

namespace {

std::int64_t background_bytes(const LoweredSchedule& lowered) {
  std::int64_t bytes = 0;
  for (std::size_t s = 0; s < lowered.background_steps(); ++s) {
    for (const Message& message : lowered.step(s).receives) {
      for (const Piece& piece : message.pieces) bytes += piece.bytes;
    }
  }
  return bytes;
}

}  // namespace

PredictedGather::PredictedGather(GatherTask task, Communicator comm)
    : task_(std::move(task)),
      comm_(std::move(comm)),
      rank_(comm_.rank()),
      block_bytes_(task_.layout.block_bytes()) {
  estimates_ = std::make_unique<std::vector<Estimate>>(static_cast<std::size_t>(comm_.size()));
}

PredictedGather::~PredictedGather() {
  if (stage_ == Stage::idle) return;
  // Others may have sent what nobody takes any more. Were the communicator freed, the library could
  // give its number to another one, which would then get these messages.
  comm_.release();
  if (stage_ == Stage::planned) plan_->abandon();
  if (stage_ != Stage::exchanging) return;
  constexpr std::int64_t patience_ns = 1'000'000'000;
  const std::int64_t start = steady_ns();
  int done = 0;
  while (MPI_Test(&exchange_, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0 &&
         steady_ns() - start < patience_ns) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (done != 0) return;
  // MPI has no way to cancel the exchange, so the memory that it may still write to is never freed.
  static_cast<void>(estimates_.release());
}

void PredictedGather::start(const Estimate& estimate) {
  (*estimates_)[static_cast<std::size_t>(rank_)] = estimate;
  stage_ = Stage::to_exchange;
}

void PredictedGather::exchange() {
  constexpr int numbers = 3;
  static_assert(sizeof(Estimate) == numbers * sizeof(std::int64_t));
  require(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, estimates_->data(), numbers,
                         MPI_INT64_T, comm_.get(), &exchange_),
          "MPI_Iallgather");
  stage_ = Stage::exchanging;
}

/// Returns how close two arrivals have to be to count as one. In less than half a message nothing
/// can be moved ahead, and ranks that arrive together are not predicted to do so more precisely
/// than the worst of them is predicted.
std::int64_t PredictedGather::resolution_ns() const {
  const auto half_message = static_cast<std::int64_t>(task_.message_us * 1000 / 2);
  return std::max(half_message, std::ranges::max(*estimates_, {}, &Estimate::error_ns).error_ns);
}

/// Returns each rank's arrival after the first one's; the numbers are the same on every rank.
std::vector<double> PredictedGather::arrivals_us() const {
  // Nobody can begin before all ranks have told their arrivals, even a rank that is there.
  const std::int64_t told_ns = std::ranges::max(*estimates_, {}, &Estimate::now_ns).now_ns;
  std::vector<std::int64_t> arrivals_ns;
  for (const Estimate& one : *estimates_) arrivals_ns.push_back(std::max(one.arrival_ns, told_ns));
  const auto [first, last] = std::ranges::minmax(arrivals_ns);
  std::vector<double> arrivals_us(arrivals_ns.size(), 0);
  if (last - first < resolution_ns()) return arrivals_us;
  std::ranges::transform(arrivals_ns, arrivals_us.begin(), [earliest = first](std::int64_t ns) {
    return static_cast<double>(ns - earliest) / 1000;
  });
  return arrivals_us;
}

void PredictedGather::make_plan() {
  figures_.exchanged_ns = steady_ns();
  const std::vector<double> arrival_us = arrivals_us();
  algorithms::Problem problem = algorithms::problem_for(task_.choice, comm_.size());
  problem.rank = rank_;
  problem.root = task_.root;
  problem.element_bytes = std::max(task_.reduction.element_bytes, task_.layout.element().bytes);
  problem.block_bytes = block_bytes_;
  problem.arrival_us = arrival_us;
  problem.message_us = task_.message_us;  // as chosen, given or measured
  problem.start_us = task_.start_us;
  if (task_.exits_us) problem.exits_us = &task_.exits_us;
  const LoweredSchedule lowered(
      algorithms::make_schedule(*task_.choice.algorithm, problem), task_.layout,
      part_of(*task_.choice.algorithm->kind, rank_, problem.ranks, task_.root),
      task_.send == nullptr, task_.form);
  plan_.emplace(lowered, task_.send, task_.receive, comm_.get(), Memory::own, task_.reduction);
  figures_.background_steps = plan_->background_steps();
  figures_.background_bytes = background_bytes(lowered);
  figures_.resolution_us = static_cast<double>(resolution_ns()) / 1000;
  figures_.schedule_us = static_cast<double>(steady_ns() - figures_.exchanged_ns) / 1000;
  stage_ = Stage::planned;
}

Advance PredictedGather::advance() {
  switch (stage_) {
    case Stage::idle:
      return Advance::done;
    case Stage::to_exchange:
      exchange();
      return Advance::moved;
    case Stage::exchanging: {
      int done = 0;
      require(MPI_Test(&exchange_, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done == 0) return Advance::idle;
      make_plan();
      return Advance::moved;
    }
    case Stage::planned:
      return plan_->advance();
  }
  return Advance::done;
}

void PredictedGather::run() {
  if (stage_ == Stage::to_exchange) exchange();
  if (stage_ == Stage::exchanging) {
    require(MPI_Wait(&exchange_, MPI_STATUS_IGNORE), "MPI_Wait");
    make_plan();
  }
  plan_->run();
  stage_ = Stage::idle;
}

}  // namespace gatherbench::mpi
