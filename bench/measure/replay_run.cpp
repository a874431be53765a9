// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/replay_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/cost/models.h"
#include "bench/measure/checked_buffers.h"
#include "bench/measure/prepare.h"
#include "bench/measure/sequence.h"
#include "bench/native/native_choice.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

/// Communicators of the program, by group; those that the rank is not in are MPI_COMM_NULL.
using Communicators = std::vector<mpi::Communicator>;

/// Makes a communicator of each of the program's groups. Collective over `world`.
Communicators make_program_communicators(const Replay& replay, MPI_Comm world) {
  Communicators made;
  MPI_Group all = MPI_GROUP_NULL;
  mpi::require(MPI_Comm_group(world, &all), "MPI_Comm_group");
  for (const Group& group : replay.groups) {
    MPI_Group some = MPI_GROUP_NULL;
    mpi::require(MPI_Group_incl(all, group.size(), group.ranks.data(), &some), "MPI_Group_incl");
    MPI_Comm comm = MPI_COMM_NULL;
    mpi::require(MPI_Comm_create(world, some, &comm), "MPI_Comm_create");
    mpi::require(MPI_Group_free(&some), "MPI_Group_free");
    if (comm == MPI_COMM_NULL) {
      made.emplace_back();
    } else {
      made.emplace_back(comm);
    }
  }
  mpi::require(MPI_Group_free(&all), "MPI_Group_free");
  return made;
}

/// A shape that this rank has calls of.
struct OwnShape {
  const SequenceShape* shape;
  mpi::Layout layout;
  CheckedBuffers bytes;
  std::string name;
};

/// The calls of a traced program, one rank's part in them, whichever algorithm makes the calls.
class Replaying final : public CaseKind {
 public:
  Replaying(const Setup& setup, const Case& the_case, LaunchResources& resources, MPI_Comm world)
      : setup_(&setup),
        replay_(&*setup.replay),
        the_case_(&the_case),
        resources_(&resources),
        world_(world),
        send_(setup.options.in_place ? nullptr : resources.buffers(mpi::Memory::own).send.data()),
        receive_(resources.buffers(mpi::Memory::own).receive.data()),
        program_(make_program_communicators(*replay_, world)) {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> numbers(replay_->shapes.size(), none);
    for (std::size_t i = 0; i < replay_->shapes.size(); ++i) {
      const SequenceShape& shape = replay_->shapes[i];
      const mpi::Communicator& comm = program_[shape.members];
      if (comm.get() == MPI_COMM_NULL) continue;
      mpi::Layout layout(shape.block_bytes);
      CheckedBuffers bytes(*setup.options.collective, comm.rank(), comm.size(), layout, send_,
                           receive_);
      numbers[i] = shapes_.size();
      shapes_.push_back({&shape, std::move(layout), std::move(bytes),
                         fmt::format("among ranks {}", replay_->groups[shape.members].name)});
    }
    for (const RankCall& call : replay_->own_calls) {
      calls_.push_back({numbers[call.shape], call.gap_ns});
    }
    const Group& all = setup.parts.front().groups.front();
    for (const Load& load : setup.loads) {
      series_.push_back({.beside = load.beside,
                         .ranks = all.ranks,
                         .nodes = all.nodes,
                         .total_bytes = the_case.key.total_bytes});
    }
  }

  [[nodiscard]] const std::vector<Series>& series() const override { return series_; }

  [[nodiscard]] std::optional<std::string> why_not(const Contender& contender) const override {
    for (const SequenceShape& shape : replay_->shapes) {
      const Group& group = replay_->groups[shape.members];
      auto why = bench::why_not(contender, case_of(*replay_, shape, *the_case_),
                                mpi::Layout(shape.block_bytes), group.placement);
      if (why) return why;
    }
    return std::nullopt;
  }

  std::unique_ptr<PreparedCall> prepare(const Contender& contender) override {
    const Communicators& comms = communicators_of(contender);
    // All ranks of the launch measure it, also those that make no calls.
    const std::optional<cost::ContentionModel>& model =
        resources_->contention_model(contender, setup_->parts.front().placement, world_);
    std::vector<SequenceCall> calls;
    for (OwnShape& own : shapes_) {
      const Group& group = replay_->groups[own.shape->members];
      calls.push_back({bench::prepare(contender.choice,
                                      {.launch = *setup_,
                                       .layout = own.layout,
                                       .placement = group.placement,
                                       .buffers = {send_, receive_, mpi::Memory::own,
                                                   resources_->node_memory()},
                                       .clock = &resources_->clock,
                                       .model = model},
                                      comms[own.shape->members].get()),
                       &own.bytes, own.name});
    }
    return std::make_unique<Sequence>(
        std::move(calls), calls_,
        BetweenCalls{.wait = setup_->wait,
                     .writes = setup_->buffers.use == BufferUse::fresh,
                     .checks = setup_->options.validation});
  }

  std::optional<std::string> check(PreparedCall& call) override {
    const mpi::ScopedSettings armed = call.arm();
    return call.self_checking()->try_once();
  }

 private:
  /// Makes a contender's own communicators, and returns them. Collective over each.
  const Communicators& communicators_of(const Contender& contender) {
    Communicators& made = communicators_.emplace_back();
    for (const mpi::Communicator& comm : program_) {
      if (comm.get() == MPI_COMM_NULL) {
        made.emplace_back();
      } else {
        made.push_back(
            make_native_communicator(*setup_->options.collective, contender.choice, comm.get()));
      }
    }
    return made;
  }

  const Setup* setup_;
  const Replay* replay_;
  const Case* the_case_;
  LaunchResources* resources_;
  MPI_Comm world_;
  std::byte* send_;  // null in place
  std::byte* receive_;
  std::vector<Series> series_;
  Communicators program_;
  std::deque<OwnShape> shapes_;              // whose elements do not move
  std::vector<RankCall> calls_;              // with the numbers that shapes have in shapes_
  std::deque<Communicators> communicators_;  // of contenders
};

}  // namespace

CaseResult run_replay(const Setup& setup, const Case& the_case, std::uint32_t number,
                      LaunchResources& resources, const GroupComms& comms) {
  Replaying kind(setup, the_case, resources, comms.all());
  return run_contenders(setup, kind, the_case, number, resources, comms);
}

}  // namespace gatherbench::bench
