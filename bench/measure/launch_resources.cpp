// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/launch_resources.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bench/plan/memory.h"
#include "runtime/mpi/plans/message_time.h"
#include "runtime/selection/candidates.h"

namespace gatherbench::bench {
namespace {

/// Makes the memory for the buffers of all cases; null unless --buffers-in window. Collective.
std::unique_ptr<const mpi::NodeMemory> make_node_memory(const Setup& setup, MPI_Comm world) {
  const BufferPlaces& places = setup.options.places;
  if (places.in != BuffersIn::window) return nullptr;
  return std::make_unique<const mpi::NodeMemory>(bytes_in_window(setup.memory.most, places),
                                                 mpi::Communicator::of_node(world));
}

LaunchResources::Buffers make_buffers(const Setup& setup, const mpi::NodeMemory* shared) {
  const BufferPlaces& places = setup.options.places;
  std::span<std::byte> room = shared == nullptr ? std::span<std::byte>() : shared->bytes();
  const auto make = [&](std::int64_t bytes, const BufferPlace& place) {
    return shared == nullptr ? UserBuffer(bytes, place) : UserBuffer(bytes, place, room);
  };
  const MemoryNeed& most = setup.memory.most;
  return {make(most.send, places.send()), make(most.receive, places.receive()),
          make(most.ring, places.send())};
}

}  // namespace

LaunchResources::LaunchResources(const Setup& setup, Turns turns_with_partner,
                                 Congestion& ranks_beside)
    : turns(std::move(turns_with_partner)),
      congestion(ranks_beside),
      other(setup.memory.most.other),
      combined_by(setup.options.combines()
                      ? std::make_unique<const MpiOperator>(setup.options.combined_by,
                                                            setup.options.gamma.value_or(0))
                      : nullptr),
      cache_line(congestion.measured(), setup.nodes.oversubscribed, {}),
      node_memory_(make_node_memory(setup, congestion.measured())),
      own_(make_buffers(setup, node_memory_.get())),
      folded_{UserBuffer::folded(setup.memory.most_folded.send),
              UserBuffer::folded(setup.memory.most_folded.receive),
              {}} {
  if (setup.nodes.one_clock) return;
  clock_comm_ = mpi::Communicator::duplicate(congestion.measured());
  clock = mpi::GlobalClock(clock_comm_.get());
}

double LaunchResources::message_us(std::int64_t bytes, MPI_Comm comm) {
  const auto known = message_us_.find(bytes);
  if (known != message_us_.end()) return known->second;
  return message_us_.emplace(bytes, mpi::measure_message_us(bytes, comm)).first->second;
}

const std::optional<cost::ContentionModel>& LaunchResources::contention_model(
    const Contender& contender, const algorithms::Placement& placement, MPI_Comm comm) {
  const bool asks =
      contender.choice.algorithm->is<algorithms::Selects>() && placement.network != nullptr;
  if (asks && !contention_model_) contention_model_ = selection::measure_model(comm);
  return contention_model_;
}

}  // namespace gatherbench::bench
