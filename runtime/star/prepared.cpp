// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/prepared.h"

#include <algorithm>
#include <new>
#include <set>
#include <utility>

#include "algorithms/collectives/collective.h"
#include "runtime/mpi/plans/layout.h"
#include "runtime/selection/agreement.h"
#include "runtime/selection/candidates.h"

namespace gatherbench::star {
namespace {

mpi::LoweredSchedule lower(const algorithms::Choice& choice, const DuplicateComm& duplicate,
                           std::span<const std::int64_t> block_bytes) {
  const int ranks = duplicate.ranks();
  algorithms::Problem problem = duplicate.placement().place(algorithms::problem_for(choice, ranks));
  problem.rank = duplicate.rank();
  problem.block_bytes = block_bytes;
  return {algorithms::make_schedule(*choice.algorithm, problem), mpi::Layout(block_bytes),
          collectives::part_of(collectives::allgather, problem.rank, ranks), true,
          algorithms::form_of(choice, algorithms::Noncontiguous::pipelined)};
}

bool goes_by_window(const algorithms::Choice& choice) {
  return choice.via == algorithms::Via::window;
}

}  // namespace

Prepared::Prepared(const algorithms::Choice& choice, const DuplicateComm& duplicate,
                   std::span<const std::int64_t> block_bytes, std::byte* data)
    : block_bytes_(block_bytes.begin(), block_bytes.end()),
      lowered_(lower(choice, duplicate, block_bytes_)),
      bound_(data),
      plan_(lowered_, nullptr, data, duplicate.get(), mpi::Memory::own, {},
            goes_by_window(choice) ? duplicate.window() : nullptr) {}

void Prepared::run(std::byte* data) {
  if (data != bound_) plan_.bind(lowered_, nullptr, data);
  bound_ = data;
  plan_.run();
}

void Repertoire::begin(std::vector<algorithms::Choice> choices) {
  choices_ = std::move(choices);
  prepared_.clear();
  prepared_.resize(choices_.size());
}

std::vector<std::string> Repertoire::labels() const {
  std::vector<std::string> found;
  for (const algorithms::Choice& choice : choices_) found.push_back(choice.label());
  return found;
}

bool Repertoire::has_windows() const { return std::ranges::any_of(choices_, goes_by_window); }

bool Repertoire::lacks_window(const policies::CallPlan& call_plan) {
  const bool needs_one = std::ranges::any_of(call_plan, [&](const policies::Phase& phase) {
    return goes_by_window(choices_[phase.candidate]);
  });
  return needs_one && duplicate_.make() && !duplicate_.make_window();
}

bool Repertoire::prepare(const policies::CallPlan& call_plan,
                         std::span<const std::int64_t> block_bytes, std::byte* data) {
  std::set<std::size_t> missing;
  for (const policies::Phase& phase : call_plan) {
    if (phase.candidate == 0 || prepared_[phase.candidate] != nullptr) continue;
    missing.insert(phase.candidate);
  }
  if (missing.empty()) return true;
  if (!duplicate_.make()) return false;
  bool failed = has_device_memory();
  try {
    for (const std::size_t each : missing) {
      if (!selection::can_run(choices_[each], duplicate_.placement(), block_bytes)) continue;
      prepared_[each] = std::make_unique<Prepared>(choices_[each], duplicate_, block_bytes, data);
    }
  } catch (const std::bad_alloc&) {
    failed = true;
  } catch (const mpi::MpiError&) {
    failed = true;
  }
  return !selection::agree_on_trouble(duplicate_.of(), failed, duplicate_.id()).any;
}

bool Repertoire::run(std::size_t number, std::span<const std::int64_t> block_bytes,
                     std::byte* data) {
  std::unique_ptr<Prepared>& prepared = prepared_[number];
  // A key can stand for several vectors of block sizes, so the last call's may be others.
  if (prepared == nullptr || !std::ranges::equal(prepared->block_bytes(), block_bytes)) {
    if (!selection::can_run(choices_[number], duplicate_.placement(), block_bytes)) return false;
    prepared = std::make_unique<Prepared>(choices_[number], duplicate_, block_bytes, data);
  }
  prepared->run(data);
  return true;
}

}  // namespace gatherbench::star
