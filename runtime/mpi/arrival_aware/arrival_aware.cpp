// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/arrival_aware/arrival_aware.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "runtime/mpi/arrival_aware/predicted_gather.h"
#include "runtime/mpi/arrival_aware/recent_errors.h"
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
  return std::max(
      0.0, measure_message_us((layout.total() + layout.blocks() - 1) / layout.blocks(), comm));
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

}  // namespace gatherbench::mpi
