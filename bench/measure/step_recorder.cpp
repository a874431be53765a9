// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/step_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

using Numbers = std::vector<std::int64_t>;

/// Returns each rank's numbers on rank 0, in rank order; elsewhere nothing. Collective.
std::vector<Numbers> gather_numbers(const Numbers& own, MPI_Comm comm) {
  const bool is_root = mpi::rank_of(comm) == 0;
  const auto ranks = static_cast<std::size_t>(is_root ? mpi::size_of(comm) : 0);
  const auto count = static_cast<int>(own.size());
  std::vector<int> counts(ranks);
  mpi::require(MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm), "MPI_Gather");
  std::vector<int> starts(ranks);
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  Numbers all(is_root ? static_cast<std::size_t>(starts.back() + counts.back()) : 0);
  mpi::require(MPI_Gatherv(own.data(), count, MPI_INT64_T, all.data(), counts.data(), starts.data(),
                           MPI_INT64_T, 0, comm),
               "MPI_Gatherv");
  std::vector<Numbers> of_rank;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto first = all.begin() + starts[rank];
    of_rank.emplace_back(first, first + counts[rank]);
  }
  return of_rank;
}

/// Returns the messages of all steps, as numbers that `parts_of` reads.
Numbers describe(const mpi::Plan& plan) {
  Numbers numbers;
  const auto add = [&](const std::vector<int>& peers, std::int64_t bytes) {
    numbers.push_back(bytes);
    numbers.push_back(std::ssize(peers));
    numbers.insert(numbers.end(), peers.begin(), peers.end());
  };
  for (std::size_t step = 0; step < plan.steps(); ++step) {
    const mpi::StepMessages messages = plan.messages(step);
    numbers.push_back(messages.barrier ? 1 : 0);
    add(messages.to, messages.sent_bytes);
    add(messages.from, messages.received_bytes);
  }
  return numbers;
}

/// Returns rising numbers as text, runs of neighbours in short: "0-2;5".
std::string runs_text(std::span<const std::int64_t> numbers) {
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ';';
    text += fmt::to_string(numbers[first]);
    if (last > first) text += fmt::format("-{}", numbers[last]);
    first = last + 1;
  }
  return text;
}

std::vector<formats::PlanPart> parts_of(std::span<const std::int64_t> numbers) {
  const auto take = [&](std::int64_t& bytes, std::string& peers) {
    bytes = numbers[0];
    const auto count = static_cast<std::size_t>(numbers[1]);
    peers = runs_text(numbers.subspan(2, count));
    numbers = numbers.subspan(2 + count);
  };
  std::vector<formats::PlanPart> parts{{formats::part_before, -1}};
  while (!numbers.empty()) {
    formats::PlanPart part{formats::part_step, std::ssize(parts) - 1};
    part.barrier = numbers[0];
    numbers = numbers.subspan(1);
    take(part.sent_bytes, part.to);
    take(part.received_bytes, part.from);
    parts.push_back(std::move(part));
  }
  parts.push_back({formats::part_after, std::ssize(parts) - 1});
  return parts;
}

}  // namespace

std::span<std::int64_t> StepRecorder::next_call() {
  marks_.resize(marks_.size() + plan_->marks());
  return std::span(marks_).last(plan_->marks());
}

RecordedSteps StepRecorder::gather(const mpi::GlobalClock& clock, MPI_Comm comm) const {
  RecordedSteps found;
  for (const Numbers& rank : gather_numbers(describe(*plan_), comm)) {
    found.parts.push_back(parts_of(rank));
  }
  constexpr double ns_a_us = 1000;
  for (std::size_t first = 0; first < marks_.size(); first += plan_->marks()) {
    // The arrival by the common clock, then all since then by the own one.
    Numbers own{clock.global_ns(marks_[first])};
    for (std::size_t i = 0; i < plan_->marks(); ++i) {
      own.push_back(marks_[first + i] - marks_[first]);
    }
    const std::vector<Numbers> all = gather_numbers(own, comm);
    if (all.empty()) continue;
    const std::int64_t first_arrival =
        (*std::ranges::min_element(all, {}, [](const Numbers& rank) { return rank[0]; }))[0];
    for (const Numbers& rank : all) {
      RecordedSteps::Call call{static_cast<double>(rank[0] - first_arrival) / ns_a_us, {}};
      for (std::size_t i = 1; i < rank.size(); ++i) {
        call.marks_us.push_back(static_cast<double>(rank[i]) / ns_a_us);
      }
      found.calls.push_back(std::move(call));
    }
  }
  return found;
}

}  // namespace gatherbench::bench
