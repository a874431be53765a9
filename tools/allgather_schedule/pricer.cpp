// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/pricer.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "tools/allgather_schedule/common/common.h"

namespace gatherbench::allgather_schedule {
namespace {

bool are_equal(const std::vector<std::int64_t>& blocks) {
  return std::ranges::adjacent_find(blocks, std::ranges::not_equal_to()) == blocks.end();
}

bool has_barriers(const algorithms::Schedule& schedule) {
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    if (schedule.step(s).barrier) return true;
  }
  return false;
}

/// Runs of blocks in a message.
std::int64_t most_runs(const algorithms::Choice& choice) {
  const algorithms::MessageForm form =
      algorithms::form_of(choice, algorithms::Noncontiguous::pipelined);
  if (form.noncontiguous == algorithms::Noncontiguous::pipelined) return 1;
  return form.batch == 0 ? std::numeric_limits<std::int64_t>::max() : form.batch;
}

}  // namespace

algorithms::Problem Pricer::problem_of(const std::vector<std::int64_t>& blocks) const {
  algorithms::Problem problem =
      setting_.placement.place(algorithms::problem_for(choice_, setting_.ranks));
  problem.block_bytes = blocks;
  return problem;
}

std::optional<std::string> Pricer::why_not_priced(const std::vector<std::int64_t>& blocks) const {
  const algorithms::Problem problem = problem_of(blocks);
  if (auto reason = why_not(choice_, problem)) return reason;
  const algorithms::Schedule schedule = algorithms::make_schedule(*choice_.algorithm, problem);
  if (schedule.broadcast_at_end) {
    return "ends with the library's MPI_Bcast, which no model prices; bcast=NAME has one of ours";
  }
  // A barrier moves no bytes, but takes time.
  if (model_.is_time() && has_barriers(schedule)) {
    return "has the library's MPI_Barrier in its steps, which no model prices";
  }
  return {};
}

double Pricer::cost_of(const std::vector<std::int64_t>& blocks) {
  if (model_.hockney && copies()) {
    return 1e6 * cost::hockney_window_seconds(*choice_.algorithm, problem_of(blocks),
                                              *model_.hockney, *model_.window, most_runs(choice_));
  }
  const bool by_size = choice_.algorithm->cuts_blocks || !are_equal(blocks);
  if (by_size) sum(blocks);
  if (!by_size && !summed_) sum({});
  const double scale = by_size ? 1.0 : static_cast<double>(blocks.front());
  const cost::HostWindow window = model_.window.value_or(cost::HostWindow{});
  if (model_.hockney) return cost::hockney_seconds(uses_, *model_.hockney, scale) * 1e6;
  if (model_.contention) {
    return cost::contention_seconds(shared_, *model_.contention, scale, window) * 1e6;
  }
  return static_cast<double>(bytes_) * scale;
}

void Pricer::sum(const std::vector<std::int64_t>& blocks) {
  const algorithms::Problem problem = problem_of(blocks);
  summed_ = blocks.empty();
  if (model_.hockney) {
    uses_ =
        cost::port_uses(*choice_.algorithm, problem, model_.hockney->tau > 0, most_runs(choice_));
  } else if (model_.contention) {
    const cost::ContentionModel& model = *model_.contention;
    const std::optional<cost::HostWindow> window = copies() ? model_.window : std::nullopt;
    const cost::StartUpTimes times{model.alpha, window ? window->alpha : 0, model.further};
    shared_ = cost::shared_links(*choice_.algorithm, problem,
                                 cost::host_speeds(model.memory, model.bandwidth, window),
                                 choice_.via, times);
  } else if (model_.is_links) {
    bytes_ = cost::maximum_link_bytes(*choice_.algorithm, problem);
  } else {
    bytes_ = cost::hop_bytes(*choice_.algorithm, problem, setting_.placement.node);
  }
}

}  // namespace gatherbench::allgather_schedule
