// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "algorithms/placement.h"
#include "algorithms/topology/switch_tree.h"
#include "bench/conditions/user_buffer.h"
#include "bench/measure/checked_buffers.h"
#include "bench/measure/prepare.h"
#include "bench/plan/contenders.h"
#include "runtime/mpi/buffers.h"
#include "runtime/mpi/window/node_memory.h"
#include "tests/bench/test_launch.h"

// A case of one contender, every byte checked.
namespace gatherbench::bench {

/// Nodes of three ranks, the last one smaller; two hosts on each switch of a chain.
inline algorithms::Placement pretended(int ranks) {
  const int nodes = (ranks + 2) / 3;
  std::string text;
  for (int i = 0; 2 * i < nodes; ++i) {
    text += fmt::format("SwitchName=s{} Nodes=h[{}-{}]", i, 2 * i, 2 * i + 1);
    text += 2 * i + 2 < nodes ? fmt::format(" Switches=s{}\n", i + 1) : "\n";
  }
  return algorithms::pretended_placement(
      ranks, 3,
      std::make_shared<const topology::SwitchTree>(topology::SwitchTree::parse("pretended", text)));
}

/// Of a case on one rank: memory of its own, or, if there is any, at the begin of `shared`.
struct CaseBuffers {
  CaseBuffers(std::int64_t sent, std::int64_t received, const mpi::NodeMemory* shared)
      : CaseBuffers(sent, received, shared != nullptr ? shared->bytes() : std::span<std::byte>()) {}
  /// What `shared` has to have.
  static std::int64_t room_for(std::int64_t sent, std::int64_t received) {
    constexpr BufferPlace place{.in = BuffersIn::window};
    return place.set_aside(sent) + place.set_aside(received);
  }

  UserBuffer send;
  UserBuffer receive;

 private:
  CaseBuffers(std::int64_t sent, std::int64_t received, std::span<std::byte> room)
      : send(room.empty() ? UserBuffer(sent) : UserBuffer(sent, {.in = BuffersIn::window}, room)),
        receive(room.empty() ? UserBuffer(received)
                             : UserBuffer(received, {.in = BuffersIn::window}, room)) {}
};

/// The collective once: as a call, or in parts with so many tests between them.
inline void run_once(PreparedCall& call, bool in_parts, int tests) {
  const mpi::ScopedSettings armed = call.arm();
  if (!in_parts) return call.run();
  Splittable& parts = *call.splittable();
  parts.begin();
  for (int test = 0; test < tests; ++test) (void)parts.test();
  parts.finish();
}

/// As a caller may do with its send buffer at once when a call has ended: whoever still reads from
/// it gets wrong bytes. Null: there is none.
inline void write_again(std::byte* send, std::int64_t bytes, CheckedBuffers& checked) {
  if (send == nullptr) return;
  std::fill_n(send, bytes, std::byte{255});
  checked.rewrite();
}

/// The options' collective once, of this layout; the fault of the lowest rank that has one.
inline std::string fault_of(const Contender& contender, const Options& options,
                            const mpi::Layout& layout, const algorithms::Placement& placement,
                            const mpi::NodeMemory* shared = nullptr) {
  const Setup launch = launch_of(options);
  const collectives::Collective& collective = *options.collective;
  const int rank = contender.comm.rank();
  const int ranks = contender.comm.size();
  const collectives::Part part = part_of(collective, rank, ranks, placement.root);
  const auto& [send, receive] =
      CaseBuffers(layout.bytes(part.initial), layout.bytes(part.goal) + guard_bytes, shared);
  // An empty block has no bytes to point at, but it is not "in place" either.
  std::byte none{};
  std::byte* const own = send.data() != nullptr ? send.data() : &none;
  std::byte* const send_pointer = part.in_place_if(options.in_place) ? nullptr : own;
  CheckedBuffers checked(collective, rank, ranks, layout, send_pointer, receive.data(),
                         placement.root, options.combined_by);
  std::optional<MpiOperator> by;
  if (options.combines()) by.emplace(options.combined_by);
  const std::unique_ptr<PreparedCall> call =
      prepare(contender, {.launch = launch,
                          .layout = layout,
                          .placement = placement,
                          .buffers = {send_pointer, receive.data(), mpi::Memory::own, shared},
                          .reduction = by ? by->reduction() : mpi::Reduction{}});
  std::string fault;
  // A plan is used again and again, as a call and in parts.
  const bool splits = call->splittable() != nullptr;
  for (int repeat = 0; repeat < (splits ? 3 : 2); ++repeat) {
    checked.renew();
    run_once(*call, repeat == 1 && splits, rank);
    if (repeat == 0) write_again(send_pointer, layout.bytes(part.initial), checked);
    if (fault.empty()) fault = checked.fault();
  }
  return first_text(fault, contender.comm.get());
}

}  // namespace gatherbench::bench
