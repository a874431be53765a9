// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks' lowered schedules run on real bytes without MPI: messages are matched in order by pair
// of ranks, as MPI does, and must have the same length on both sides.
#include "runtime/mpi/plans/lowering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <tuple>

#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/proof/proof.h"
#include "algorithms/proof/trials.h"
#include "bench/conditions/block_places.h"
#include "bench/conditions/test_bytes.h"
#include "bench/options/elements.h"
#include "distributions/block_sizes.h"
#include "tests/pairwise_alltoall.h"
#include "tests/schedule_of.h"

namespace gatherbench::mpi {
namespace {

using algorithms::MessageForm;
using algorithms::Noncontiguous;
using Bytes = std::vector<std::byte>;

constexpr MessageForm pipelined{};
constexpr MessageForm packed{Noncontiguous::packed};
constexpr MessageForm datatype{Noncontiguous::datatype};
constexpr MessageForm forms[] = {pipelined,
                                 packed,
                                 datatype,
                                 {Noncontiguous::packed, 1},
                                 {Noncontiguous::packed, 3},
                                 {Noncontiguous::datatype, 2}};

/// An operator on bytes, the first one before the second.
using ByteOperator = std::byte(std::byte first, std::byte second);

std::byte sum(std::byte first, std::byte second) {
  return std::byte(std::to_integer<unsigned>(first) + std::to_integer<unsigned>(second));
}

/// Commutes, and depends on what is combined first, as rounding does.
std::byte rounded(std::byte first, std::byte second) {
  return std::byte(3 * std::to_integer<unsigned>(sum(first, second)));
}

/// Composes maps x -> a x + b modulo 16, which does not commute.
std::byte composed(std::byte first, std::byte second) {
  return std::byte(static_cast<unsigned char>(
      bench::composed(static_cast<signed char>(first), static_cast<signed char>(second))));
}

struct RankState {
  LoweredSchedule lowered;
  std::map<Area, Bytes> areas;
  std::size_t next_step = 0;
  bool sent = false;  // the messages of next_step
  int barriers = 0;   // that it came to
  bool in_barrier = false;
  ByteOperator* by = nullptr;  // of a reduction
};

Bytes gathered(const RankState& state, const Message& message) {
  Bytes bytes;
  for (const Piece& piece : message.pieces) {
    const Bytes& area = state.areas.at(piece.area);
    const auto first = area.begin() + piece.offset;
    bytes.insert(bytes.end(), first, first + piece.bytes);
  }
  return bytes;
}

void scatter(RankState& state, const Message& message, const Bytes& bytes) {
  auto from = bytes.begin();
  for (const Piece& piece : message.pieces) {
    std::copy(from, from + piece.bytes, state.areas.at(piece.area).begin() + piece.offset);
    from += piece.bytes;
  }
}

void copy(RankState& state, std::span<const Copy> copies) {
  for (const Copy& one : copies) {
    const Bytes& from = state.areas.at(one.from);
    const auto first = from.begin() + one.from_offset;
    const auto to = state.areas.at(one.to).begin() + one.to_offset;
    switch (one.incoming) {
      case algorithms::Incoming::store:
        std::copy(first, first + one.bytes, to);
        break;
      case algorithms::Incoming::combine_before:
        std::transform(first, first + one.bytes, to, to, state.by);
        break;
      case algorithms::Incoming::combine_behind:
        std::transform(to, to + one.bytes, first, to, state.by);
        break;
    }
  }
}

std::int64_t length(const Message& message) {
  std::int64_t bytes = 0;
  for (const Piece& piece : message.pieces) bytes += piece.bytes;
  return bytes;
}

collectives::Part all_gather(int rank, int ranks) {
  return part_of(collectives::allgather, rank, ranks);
}

/// Returns what a buffer with these blocks holds, once all of them are there.
Bytes filled(const collectives::Blocks& blocks, const Layout& layout) {
  Bytes bytes;
  for (const collectives::BlockRange& range : blocks) {
    for (int number = range.first; number < range.first + range.count; ++number) {
      Bytes block(static_cast<std::size_t>(layout.bytes(number)));
      bench::fill_block(block, number);
      bytes.insert(bytes.end(), block.begin(), block.end());
    }
  }
  return bytes;
}

constexpr std::byte untouched{0xa5};

/// The same of a receive buffer, where `layout` has each block. Between blocks nobody writes.
Bytes filled_apart(const collectives::Blocks& blocks, const Layout& layout) {
  if (layout.is_dense()) return filled(blocks, layout);
  Bytes bytes(static_cast<std::size_t>(layout.extent(blocks)), untouched);
  for (const collectives::BlockRange& range : blocks) {
    for (int number = range.first; number < range.first + range.count; ++number) {
      std::ranges::copy(filled({{number, 1}}, layout), bytes.begin() + layout.displacement(number));
    }
  }
  return bytes;
}

Bytes contribution(std::size_t size, int rank) {
  Bytes bytes(size);
  bench::fill_block(bytes, rank);
  return bytes;
}

/// Returns what the operator makes of the contributions of all ranks, in their order.
Bytes combined(std::size_t size, int ranks, ByteOperator* by) {
  Bytes all = contribution(size, 0);
  for (int rank = 1; rank < ranks; ++rank) {
    const Bytes next = contribution(size, rank);
    std::ranges::transform(all, next, all.begin(), by);
  }
  return all;
}

/// Returns where the own blocks lie in a receive buffer that has the places of these.
std::int64_t place_in(const collectives::Blocks& places, const collectives::Blocks& own,
                      const Layout& layout) {
  if (!layout.is_dense()) return layout.displacement(own.front().first);
  std::int64_t offset = 0;
  for (const auto& [first, count] : places) {
    for (int block = first; block < first + count; ++block) {
      if (!own.empty() && block == own.front().first) return offset;
      offset += layout.bytes(block);
    }
  }
  return 0;
}

class Machine {
 public:
  Machine(const collectives::Collective& collective,
          std::span<const algorithms::Schedule> schedules, const Layout& layout, bool asks_in_place,
          const MessageForm& form, int root = 0, ByteOperator* by = nullptr,
          bool in_order = false) {
    const auto ranks = static_cast<int>(schedules.size());
    for (int rank = 0; rank < ranks; ++rank) {
      collectives::Part part = part_of(collective, rank, ranks, root);
      part.in_order = in_order;
      const bool in_place = part.in_place_if(asks_in_place);
      LoweredSchedule lowered(schedules[static_cast<std::size_t>(rank)], layout, part, in_place,
                              form);
      RankState state{std::move(lowered), {}};
      state.by = by;
      goals_.push_back(filled_apart(part.goal, layout));
      if (by != nullptr) goals_.back() = combined(goals_.back().size(), ranks, by);
      Bytes own = by == nullptr ? filled(part.initial, layout)
                                : contribution(static_cast<std::size_t>(layout.total()), rank);
      Bytes receive(goals_.back().size(), untouched);
      if (in_place) {
        std::ranges::copy(own, receive.begin() + place_in(part.in_place, part.initial, layout));
        own.clear();
      }
      state.areas[Area::send] = own;
      state.areas[Area::receive] = receive;
      state.areas[Area::scratch] = Bytes(static_cast<std::size_t>(state.lowered.scratch_bytes()));
      state.areas[Area::packed] = Bytes(static_cast<std::size_t>(state.lowered.packed_bytes()));
      ranks_.push_back(std::move(state));
    }
  }

  void run() {
    run_steps();
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      ASSERT_EQ(ranks_[r].areas[Area::receive], goals_[r]) << "rank " << r;
    }
    for (const auto& [pair, queue] : wires_) ASSERT_TRUE(queue.empty());
  }

  /// Runs, and looks only whether all ranks have the same result.
  void run_alike() {
    run_steps();
    for (RankState& rank : ranks_) {
      ASSERT_EQ(rank.areas[Area::receive], ranks_.front().areas[Area::receive]);
    }
  }

 private:
  void run_steps() {
    for (RankState& rank : ranks_) copy(rank, rank.lowered.prologue());
    for (bool progress = true; progress;) {
      progress = false;
      for (std::size_t r = 0; r < ranks_.size(); ++r) progress |= advance(r);
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      RankState& rank = ranks_[r];
      ASSERT_EQ(rank.next_step, rank.lowered.steps());
      copy(rank, rank.lowered.epilogue());
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      RankState& rank = ranks_[r];
      const auto root = static_cast<std::size_t>(rank.lowered.broadcast_root());
      const Message sent{0, {}, ranks_[root].lowered.broadcast()};
      scatter(rank, {0, {}, rank.lowered.broadcast()}, gathered(ranks_[root], sent));
    }
  }

  using Wire = std::tuple<std::size_t, std::size_t, bool>;  // from, to, of tokens
  static Wire wire_to(std::size_t r, const Message& message) {
    return {static_cast<std::size_t>(message.peer), r, message.pieces.empty()};
  }
  bool advance(std::size_t r) {
    RankState& rank = ranks_[r];
    if (rank.next_step == rank.lowered.steps()) return false;
    const LoweredSchedule::Step step = rank.lowered.step(rank.next_step);
    if (step.barrier && !rank.sent) {
      if (!rank.in_barrier) ++rank.barriers;
      rank.in_barrier = true;
      const auto is_here = [&](const RankState& other) { return other.barriers >= rank.barriers; };
      if (!std::ranges::all_of(ranks_, is_here)) return false;
      rank.in_barrier = false;
    }
    const bool sends_now = !rank.sent;
    if (sends_now) {
      for (const Message& message : step.sends) {
        copy(rank, message.packing);
        wires_[{r, static_cast<std::size_t>(message.peer), message.pieces.empty()}].push_back(
            gathered(rank, message));
      }
      rank.sent = true;
    }
    std::map<Wire, std::size_t> wanted;
    for (const Message& message : step.receives) ++wanted[wire_to(r, message)];
    for (const auto& [wire, count] : wanted) {
      if (wires_[wire].size() < count) return sends_now;
    }
    for (const Message& message : step.receives) {
      auto& wire = wires_[wire_to(r, message)];
      EXPECT_EQ(std::ssize(wire.front()), length(message));
      if (std::ssize(wire.front()) != length(message)) return false;
      scatter(rank, message, wire.front());
      wire.pop_front();
    }
    copy(rank, step.unpacking);
    rank.sent = false;
    ++rank.next_step;
    return true;
  }

  std::vector<Bytes> goals_;  // what belongs into the receive buffers
  std::vector<RankState> ranks_;
  std::map<Wire, std::deque<Bytes>> wires_;
};

Layout make_layout(const distributions::Distribution& distribution, int blocks,
                   const bench::Displacements& displacements = {}) {
  return bench::place_blocks(distributions::block_sizes(distribution, blocks, 5), displacements);
}

void move_everything(const proof::Trial& trial, int p, const MessageForm& form, bool in_place,
                     const bench::Displacements& displacements = {}) {
  const algorithms::Problem problem = trial.problem(p);
  if (algorithms::why_not(*trial.choice.algorithm, problem)) return;
  for (const distributions::Distribution& distribution :
       distributions::parse_distributions("-d", "all", {})) {
    SCOPED_TRACE(testing::Message()
                 << trial.choice.algorithm->name << " " << trial.text << " p=" << p << " "
                 << distribution.label << " form=" << static_cast<int>(form.noncontiguous) << ","
                 << form.batch << " in_place=" << in_place << " " << displacements.text());
    const collectives::Collective& collective = *trial.choice.algorithm->kind;
    const Layout layout = make_layout(distribution, collective.blocks(p), displacements);
    const std::vector<std::int64_t> sizes = layout.block_bytes();
    algorithms::Problem sized = problem;
    sized.block_bytes = sizes;
    Machine(collective, algorithms::make_schedules(*trial.choice.algorithm, sized), layout,
            in_place, form, trial.placement.root)
        .run();
    if (testing::Test::HasFatalFailure()) return;
  }
}

// A sanitizer makes it forty times as slow; what it looks for shows at few ranks.
#ifdef __SANITIZE_ADDRESS__
constexpr int max_ranks = 20;
constexpr int max_ranks_in_every_way = 12;
#else
constexpr int max_ranks = 64;
constexpr int max_ranks_in_every_way = 33;
#endif

// Every algorithm, as it is proven, with every distribution, empty blocks included.
TEST(Lowering, MovesEveryByteOfEveryDistribution) {
  for (const algorithms::Choice& choice : algorithms::parse_algorithms("--algorithms", "all")) {
    if (choice.algorithm->schedules() == nullptr) continue;
    for (int p = 1; p <= max_ranks; ++p) {
      for (const proof::Trial& trial : proof::trials(choice, p, nullptr)) {
        move_everything(trial, p, pipelined, false);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Lowering, MovesEveryByteInEveryWay) {
  for (const algorithms::Choice& choice : algorithms::parse_algorithms("--algorithms", "all")) {
    if (choice.algorithm->schedules() == nullptr) continue;
    for (const int p : {1, 2, 3, 4, 5, 8, 12, 15, 16, 17, 32, 33}) {
      if (p > max_ranks_in_every_way) break;
      for (const proof::Trial& trial : proof::trials(choice, p, nullptr)) {
        for (const MessageForm& form : forms) {
          move_everything(trial, p, form, true);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Every algorithm of the all-gather; what it must not write stays as it is.
TEST(Lowering, MovesEveryByteToWhereTheBlocksLie) {
  for (const algorithms::Choice& choice : algorithms::parse_algorithms("--algorithms", "all")) {
    if (choice.algorithm->schedules() == nullptr) continue;
    if (choice.algorithm->kind != &collectives::allgather) continue;
    for (int p = 1; p <= 8; ++p) {
      for (const proof::Trial& trial : proof::trials(choice, p, nullptr)) {
        move_everything(trial, p, pipelined, false, {.permuted = true, .gap = 1});
        move_everything(trial, p, packed, true, {.permuted = true, .gap = 1});
        move_everything(trial, p, datatype, false, {.permuted = true});
        move_everything(trial, p, pipelined, true, {.gap = 3});
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// The first piece or copy that begins or ends within an element.
bool cuts_an_element(const LoweredSchedule& lowered, std::int64_t element) {
  const auto is_whole = [element](std::int64_t offset, std::int64_t bytes) {
    return offset % element == 0 && bytes % element == 0;
  };
  const auto copies_cut = [&](std::span<const Copy> copies) {
    return std::ranges::any_of(copies, [&](const Copy& one) {
      return !is_whole(one.from_offset, one.bytes) || one.to_offset % element != 0;
    });
  };
  const auto messages_cut = [&](std::span<const Message> messages) {
    return std::ranges::any_of(messages, [&](const Message& message) {
      return copies_cut(message.packing) ||
             std::ranges::any_of(message.pieces, [&](const Piece& piece) {
               return !is_whole(piece.offset, piece.bytes);
             });
    });
  };
  for (std::size_t s = 0; s < lowered.steps(); ++s) {
    const LoweredSchedule::Step step = lowered.step(s);
    if (messages_cut(step.sends) || messages_cut(step.receives)) return true;
    if (copies_cut(step.unpacking)) return true;
  }
  return copies_cut(lowered.prologue()) || copies_cut(lowered.epilogue());
}

// In data alone, which is what a plan takes for whole elements wherever they have gaps.
TEST(Lowering, CutsNoElementApart) {
  constexpr std::int64_t element = 12;
  const char* const names =
      "all,pipelined_ring:segment=20,pipelined_ring@paired:segment=1,bslb:head=50,"
      "clairvoyant:segments=5";
  for (const algorithms::Choice& choice : algorithms::parse_algorithms("--algorithms", names)) {
    if (choice.algorithm->schedules() == nullptr) continue;
    if (choice.algorithm->kind != &collectives::allgather) continue;
    for (int p = 1; p <= 8; ++p) {
      std::vector<std::int64_t> sizes;
      for (int block = 0; block < p; ++block) sizes.push_back(block * 7 % 4 * element * 3);
      for (const proof::Trial& trial : proof::trials(choice, p, nullptr)) {
        algorithms::Problem problem = trial.problem(p);
        if (algorithms::why_not(*trial.choice.algorithm, problem)) continue;
        problem.block_bytes = sizes;
        problem.element_bytes = element;
        Layout layout =
            bench::place_blocks(sizes, {.permuted = true, .gap = 32},
                                {.of = Element::Of::bytes, .bytes = element, .extent = 16});
        SCOPED_TRACE(testing::Message() << trial.choice.label() << " " << trial.text << " p=" << p);
        const auto schedules = algorithms::make_schedules(*trial.choice.algorithm, problem);
        Machine(collectives::allgather, schedules, layout, false, pipelined, trial.placement.root)
            .run();
        if (HasFatalFailure()) return;
        for (int rank = 0; rank < p; ++rank) {
          const LoweredSchedule lowered(schedules[static_cast<std::size_t>(rank)], layout,
                                        all_gather(rank, p), false, packed);
          ASSERT_FALSE(cuts_an_element(lowered, element)) << "rank " << rank;
        }
      }
    }
  }
}

/// Returns the bytes of each message that a rank sends.
std::vector<std::int64_t> lengths_sent(const LoweredSchedule& lowered) {
  std::vector<std::int64_t> lengths;
  for (std::size_t s = 0; s < lowered.steps(); ++s) {
    for (const Message& message : lowered.step(s).sends) lengths.push_back(length(message));
  }
  return lengths;
}

TEST(Lowering, CutsMessagesByTheOrderOfBlocksWhereverTheyLie) {
  constexpr int p = 8;
  const std::vector<std::int64_t> sizes{4, 0, 6, 1, 9, 3, 0, 5};
  for (const algorithms::Choice& choice :
       algorithms::parse_algorithms("--algorithms", "loch2021")) {
    algorithms::Problem problem = algorithms::problem_for(choice, p);
    problem.block_bytes = sizes;
    const auto schedules = algorithms::make_schedules(*choice.algorithm, problem);
    for (int rank = 0; rank < p; ++rank) {
      const auto sent = [&](const Layout& layout) {
        return lengths_sent({schedules[static_cast<std::size_t>(rank)], layout, all_gather(rank, p),
                             false, pipelined});
      };
      const bench::Displacements apart{.permuted = true, .gap = 3};
      EXPECT_EQ(sent(Layout(sizes)), sent(bench::place_blocks(sizes, apart)));
    }
  }
}

/// Returns the areas that the pieces of a step's messages lie in, one a piece.
std::vector<Area> areas_sent(const LoweredSchedule& lowered, std::size_t step) {
  std::vector<Area> areas;
  for (const Message& message : lowered.step(step).sends) {
    for (const Piece& piece : message.pieces) areas.push_back(piece.area);
  }
  return areas;
}

TEST(Lowering, SendsWhatIsItsOwnAloneFromTheSendBuffer) {
  const auto areas = [&](std::string_view name, int p, bool in_place) {
    const Layout layout(std::vector<std::int64_t>(static_cast<std::size_t>(p), 8));
    const auto choices = algorithms::parse_algorithms("--algorithms", name);
    const algorithms::Problem problem = algorithms::problem_for(choices.front(), p);
    const auto schedules = algorithms::make_schedules(*choices.front().algorithm, problem);
    const LoweredSchedule lowered(schedules[1], layout, all_gather(1, p), in_place, pipelined);
    std::vector<Area> all;
    for (std::size_t step = 0; step < lowered.steps(); ++step) {
      const std::vector<Area> of_step = areas_sent(lowered, step);
      all.insert(all.end(), of_step.begin(), of_step.end());
    }
    return all;
  };
  using enum Area;
  EXPECT_EQ(areas("ring", 4, false), (std::vector{send, receive, receive}));
  EXPECT_EQ(areas("linear", 4, false), (std::vector{send, send, send}));
  EXPECT_EQ(areas("recursive_doubling", 2, false), (std::vector{send}));
  // The second step sends its own block and the one beside it, which are one piece.
  EXPECT_EQ(areas("recursive_doubling", 4, false), (std::vector{receive, receive}));
  EXPECT_EQ(areas("ring", 4, true), (std::vector{receive, receive, receive}));
}

TEST(Lowering, CanSeeABlockInAWrongPlace) {
  constexpr int p = 4;
  const std::vector<std::int64_t> sizes{4, 2, 6, 1};
  const Layout layout = bench::place_blocks(sizes, {.gap = 2});
  const Bytes right = filled_apart({{0, p}}, layout);
  EXPECT_EQ(right.size(), 21);
  EXPECT_EQ(std::ranges::count(right, untouched), 8);
  EXPECT_NE(right,
            filled_apart({{0, p}}, bench::place_blocks(sizes, {.permuted = true, .gap = 2})));
}

/// All to rank 0, which sends each rank what it has to get: others' blocks only pass through there.
std::vector<algorithms::Schedule> alltoall_by_way_of_rank_0(int ranks) {
  std::vector<algorithms::Schedule> schedules(static_cast<std::size_t>(ranks));
  for (algorithms::Schedule& schedule : schedules) schedule.begin_step();
  for (int rank = 1; rank < ranks; ++rank) {
    schedules[static_cast<std::size_t>(rank)].send(0, {rank * ranks, ranks});
    schedules[0].receive(rank, {rank * ranks, ranks});
  }
  for (algorithms::Schedule& schedule : schedules) schedule.begin_step();
  for (int rank = 1; rank < ranks; ++rank) {
    for (int from = 0; from < ranks; ++from) {
      if (from == rank) continue;
      schedules[0].send(rank, {from * ranks + rank, 1});
      schedules[static_cast<std::size_t>(rank)].receive(0, {from * ranks + rank, 1});
    }
  }
  return schedules;
}

/// Four ranks: all to rank 0, which sends rank 1 some blocks in one transfer, in this order, and
/// all else block by block. The steps of ranks 0 and 1 work in scratch from these blocks on.
std::vector<algorithms::Schedule> allgather_by_way_of_rank_0(std::span<const int> in_one,
                                                             int first_of_0, int first_of_1) {
  std::vector<algorithms::Schedule> schedules(4);
  schedules[0].scratch_first_block = first_of_0;
  schedules[1].scratch_first_block = first_of_1;
  for (algorithms::Schedule& schedule : schedules) schedule.begin_step();
  for (int rank = 1; rank < 4; ++rank) {
    schedules[static_cast<std::size_t>(rank)].send(0, {rank, 1});
    schedules[0].receive(rank, {rank, 1});
  }
  const auto send_on = [&](int rank, std::span<const int> blocks) {
    algorithms::Schedule& receiver = schedules[static_cast<std::size_t>(rank)];
    schedules[0].begin_step();
    receiver.begin_step();
    for (const int block : blocks) {
      schedules[0].send(rank, {block, 1});
      receiver.receive(0, {block, 1});
    }
  };
  send_on(1, in_one);
  for (int rank = 1; rank < 4; ++rank) {
    for (const int block : {0, 1, 2, 3}) {
      const bool was_sent = rank == 1 && std::ranges::find(in_one, block) != in_one.end();
      if (block != rank && !was_sent) send_on(rank, std::span(&block, 1));
    }
  }
  return schedules;
}

/// Moves blocks of unequal sizes, of which each may be empty.
void move_with_empty_blocks(std::span<const algorithms::Schedule> schedules) {
  for (unsigned empty = 0; empty < 16; ++empty) {
    std::vector<std::int64_t> sizes{1, 2, 4, 8};
    for (std::size_t block = 0; block < sizes.size(); ++block) {
      if ((empty >> block & 1U) != 0) sizes[block] = 0;
    }
    SCOPED_TRACE(testing::Message() << "empty blocks " << empty);
    for (const MessageForm& form : {pipelined, packed}) {
      Machine(collectives::allgather, schedules, Layout(sizes), false, form).run();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// A schedule that the proof lets through moves every byte.
TEST(Lowering, MovesWhatIsProvenOfScratchBuffers) {
  int proven = 0;
  int refused = 0;
  std::vector<int> order{0, 2, 3};
  do {
    for (const std::size_t size : {2U, 3U}) {
      for (int first = 0; first < 16; ++first) {
        const auto schedules =
            allgather_by_way_of_rank_0(std::span(order).first(size), first / 4, first % 4);
        const bool is_proven = proof::prove(schedules).fault.empty();
        ++(is_proven ? proven : refused);
        SCOPED_TRACE(testing::Message() << testing::PrintToString(order) << " " << size << " "
                                        << first / 4 << " " << first % 4);
        if (is_proven) move_with_empty_blocks(schedules);
        if (HasFatalFailure()) return;
      }
    }
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(proven, 92);
  EXPECT_EQ(refused, 100);
}

// The costs count the messages that the plans send.
TEST(Lowering, SendsTheMessagesThatTheProofCounts) {
  int counted = 0;
  for (const algorithms::Choice& chosen : algorithms::parse_algorithms("--algorithms", "all")) {
    for (int p = 1; p <= 24; ++p) {
      const std::vector<std::int64_t> sizes(static_cast<std::size_t>(p), 4000);
      algorithms::Problem problem = algorithms::problem_for(chosen, p);
      problem.block_bytes = sizes;
      if (chosen.algorithm->schedules() == nullptr ||
          algorithms::why_not(*chosen.algorithm, problem).has_value() ||
          algorithms::parameter_out_of_range(chosen, p) != nullptr) {
        continue;
      }
      const auto schedules = algorithms::make_schedules(*chosen.algorithm, problem);
      std::int64_t messages = 0;
      for (int rank = 0; rank < p; ++rank) {
        messages +=
            std::ssize(lengths_sent({schedules[static_cast<std::size_t>(rank)], Layout(sizes),
                                     all_gather(rank, p), false, pipelined}));
      }
      EXPECT_EQ(proof::prove(*chosen.algorithm, problem).messages, messages)
          << chosen.label() << " " << p;
      ++counted;
    }
  }
  EXPECT_GT(counted, 500);
}

TEST(Lowering, MovesWhatAnotherCollectiveSays) {
  for (const int p : {1, 2, 3, 4, 7}) {
    std::vector<std::int64_t> sizes;
    for (int block = 0; block < p * p; ++block) sizes.push_back(block * 5 % 4);  // some are empty
    for (const MessageForm& form : forms) {
      SCOPED_TRACE(testing::Message()
                   << p << " ranks, " << static_cast<int>(form.noncontiguous) << "," << form.batch);
      Machine(alltoall, pairwise_alltoall(p), Layout(sizes), false, form).run();
      Machine(alltoall, alltoall_by_way_of_rank_0(p), Layout(sizes), false, form).run();
      const Layout equal(std::vector<std::int64_t>(sizes.size(), 5));
      Machine(alltoall, pairwise_alltoall(p), equal, true, form).run();
      Machine(alltoall, alltoall_by_way_of_rank_0(p), equal, true, form).run();
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Lowering, MovesEveryByteOfEveryAlltoall) {
  for (const algorithms::Choice& choice :
       algorithms::parse_algorithms("--algorithms", "all", alltoall)) {
    if (choice.algorithm->schedules() == nullptr) continue;
    for (const int p : {1, 2, 3, 4, 5, 7, 8, 12, 16, 18}) {
      const Layout layout(std::vector<std::int64_t>(static_cast<std::size_t>(p * p), 3));
      const std::vector<std::int64_t> sizes = layout.block_bytes();
      for (const proof::Trial& trial : proof::trials(choice, p, nullptr)) {
        algorithms::Problem problem = trial.problem(p);
        problem.block_bytes = sizes;
        if (algorithms::why_not(*choice.algorithm, problem)) continue;
        const auto schedules = algorithms::make_schedules(*choice.algorithm, problem);
        for (const MessageForm& form : forms) {
          for (const bool in_place : {false, true}) {
            SCOPED_TRACE(testing::Message() << choice.algorithm->name << " " << trial.text << " p="
                                            << p << " form=" << static_cast<int>(form.noncontiguous)
                                            << "," << form.batch << " in_place=" << in_place);
            Machine(alltoall, schedules, layout, in_place, form).run();
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

/// Combines by all algorithms of the reduction or the all-reduce.
void combine_everything(const collectives::Collective& collective) {
  for (const algorithms::Choice& choice :
       algorithms::parse_algorithms("--algorithms", "all", collective)) {
    if (choice.algorithm->schedules() == nullptr) continue;
    for (const int p : {1, 2, 3, 4, 5, 7, 8, 12, 16, 18}) {
      const std::vector<std::int64_t> sizes{53};
      for (const proof::Trial& trial : proof::trials(choice, p, nullptr)) {
        for (const bool in_order : {false, true}) {
          algorithms::Problem problem = trial.problem(p);
          problem.block_bytes = sizes;
          problem.commutes = !in_order;
          if (algorithms::why_not(*choice.algorithm, problem)) continue;
          const auto schedules = algorithms::make_schedules(*choice.algorithm, problem);
          for (const MessageForm& form : forms) {
            for (const bool in_place : {false, true}) {
              SCOPED_TRACE(testing::Message()
                           << choice.algorithm->name << " " << trial.text << " p=" << p
                           << " in_order=" << in_order << " in_place=" << in_place);
              Machine(collective, schedules, Layout(sizes), in_place, form, trial.placement.root,
                      in_order ? composed : sum, in_order)
                  .run();
              if (testing::Test::HasFatalFailure()) return;
            }
          }
        }
      }
    }
  }
}

TEST(Lowering, CombinesEveryByteOfEveryReduction) { combine_everything(collectives::reduce); }

TEST(Lowering, CombinesEveryByteOfEveryAllreduce) { combine_everything(collectives::allreduce); }

TEST(Lowering, AllRanksOfAnAllreduceGetTheSameBits) {
  const std::vector<std::int64_t> sizes{53};
  for (const algorithms::Choice& choice :
       algorithms::parse_algorithms("--algorithms", "all", collectives::allreduce)) {
    if (choice.algorithm->schedules() == nullptr) continue;
    for (const int p : {1, 2, 3, 4, 5, 7, 8, 12}) {
      for (const proof::Trial& trial : proof::trials(choice, p, nullptr)) {
        algorithms::Problem problem = trial.problem(p);
        problem.block_bytes = sizes;
        if (algorithms::why_not(*choice.algorithm, problem)) continue;
        const auto schedules = algorithms::make_schedules(*choice.algorithm, problem);
        for (const bool in_place : {false, true}) {
          SCOPED_TRACE(testing::Message() << choice.algorithm->name << " " << trial.text
                                          << " p=" << p << " in_place=" << in_place);
          Machine(collectives::allreduce, schedules, Layout(sizes), in_place, pipelined, 0, rounded)
              .run_alike();
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// A vector that was not touched goes out from where it is, and comes in where it stays.
TEST(Lowering, AReductionCopiesNothing) {
  for (const int root : {0, 1}) {
    const algorithms::Choice chosen =
        algorithms::parse_algorithms("--algorithms", "binomial", collectives::reduce).front();
    algorithms::Problem problem = algorithms::problem_for(chosen, 4);
    const std::vector<std::int64_t> sizes{64};
    problem.block_bytes = sizes;
    problem.root = root;
    const auto schedules = algorithms::make_schedules(*chosen.algorithm, problem);
    for (int rank = 0; rank < 4; ++rank) {
      const LoweredSchedule lowered(schedules[static_cast<std::size_t>(rank)], Layout(sizes),
                                    part_of(collectives::reduce, rank, 4, root), false, pipelined);
      EXPECT_TRUE(lowered.prologue().empty() && lowered.epilogue().empty()) << rank;
      EXPECT_EQ(lowered.background_steps(), 0U) << rank;
      const bool passes_on = (rank - root + 4) % 4 == 2;
      EXPECT_EQ(lowered.scratch_bytes(), passes_on ? 64 : 0) << rank;
      EXPECT_EQ(lowered.packed_bytes(), rank == root ? 64 : 0) << rank;  // the second to come in
      for (std::size_t s = 0; s < lowered.steps(); ++s) {
        for (const Copy& one : lowered.step(s).unpacking) {
          EXPECT_NE(one.incoming, algorithms::Incoming::store) << rank;
        }
      }
    }
  }
}

TEST(Lowering, OnlyWhatPassesThroughTakesScratch) {
  const int p = 4;
  const Layout layout(std::vector<std::int64_t>(p * p, 8));
  const std::vector<algorithms::Schedule> schedules = alltoall_by_way_of_rank_0(p);
  const auto scratch_bytes = [&](int rank) {
    return LoweredSchedule(schedules[static_cast<std::size_t>(rank)], layout,
                           part_of(alltoall, rank, p), false, pipelined)
        .scratch_bytes();
  };
  EXPECT_EQ(scratch_bytes(0), 8 * (p - 1) * (p - 1));
  EXPECT_EQ(scratch_bytes(1), 0);
  // Blocks that are sent in place make room for what comes in there.
  const std::vector<algorithms::Schedule> pairwise = pairwise_alltoall(p);
  const LoweredSchedule in_place(pairwise[1], layout, part_of(alltoall, 1, p), true, pipelined);
  EXPECT_EQ(in_place.scratch_bytes(), 8 * (p - 1));
}

std::size_t messages_sent(std::string_view name, int ranks, int rank, const Layout& layout,
                          const MessageForm& form) {
  const LoweredSchedule lowered(schedule_of(name, rank, ranks), layout, all_gather(rank, ranks),
                                false, form);
  std::size_t count = 0;
  for (std::size_t s = 0; s < lowered.steps(); ++s) count += lowered.step(s).sends.size();
  return count;
}

// Sparbit's last step sends 4 blocks of 8 to one peer. No more is packed than the message that is
// about to leave, so that the others are on their way meanwhile.
TEST(Lowering, EachMessageIsPackedByItself) {
  const Layout layout(std::vector<std::int64_t>(8, 4));
  const LoweredSchedule lowered(schedule_of("sparbit", 0, 8), layout, all_gather(0, 8), false,
                                {.noncontiguous = Noncontiguous::packed, .batch = 2});
  const LoweredSchedule::Step last = lowered.step(2);
  ASSERT_EQ(last.sends.size(), 2U);
  for (const Message& sent : last.sends) EXPECT_EQ(sent.packing.size(), 2U);
  EXPECT_EQ(last.unpacking.size(), 4U);
}

TEST(Lowering, NoMessageForAnEmptyBlock) {
  const Layout broadcast(std::vector<std::int64_t>{8, 0, 0, 0, 0, 0, 0, 0});
  // A binomial tree of one block: 7 messages among all ranks, 3 from the root.
  std::size_t all = 0;
  for (int rank = 0; rank < 8; ++rank) {
    all += messages_sent("sparbit", 8, rank, broadcast, pipelined);
  }
  EXPECT_EQ(all, 7U);
  EXPECT_EQ(messages_sent("sparbit", 8, 0, broadcast, pipelined), 3U);
}

TEST(Lowering, NoMessageForAnEmptySegment) {
  const std::vector<std::int64_t> sizes{8, 0, 5, 0};
  const Layout layout(sizes);
  const algorithms::Choice chosen = choice("pipelined_ring:segment=4");
  std::size_t all = 0;
  for (int rank = 0; rank < 4; ++rank) {
    algorithms::Problem problem = algorithms::problem_for(chosen, 4);
    problem.rank = rank;
    problem.block_bytes = sizes;
    const LoweredSchedule lowered(algorithms::make_schedule(*chosen.algorithm, problem), layout,
                                  all_gather(rank, 4), false, pipelined);
    for (std::size_t s = 0; s < lowered.steps(); ++s) all += lowered.step(s).sends.size();
  }
  EXPECT_EQ(all, 3U * (2 + 2));  // four segments with bytes, each passed on three times
}

TEST(Lowering, TokensAndBarriersStay) {
  const Layout empty(std::vector<std::int64_t>(4, 0));
  const LoweredSchedule tokens(schedule_of("shift_light_barrier", 1, 4), empty, all_gather(1, 4),
                               false, pipelined);
  ASSERT_EQ(tokens.steps(), 2U);  // the steps of the blocks are gone
  EXPECT_EQ(tokens.step(0).sends.size(), 1U);
  EXPECT_TRUE(tokens.step(0).sends[0].pieces.empty());
  const LoweredSchedule barriers(schedule_of("shift_mpi_barrier", 1, 4), empty, all_gather(1, 4),
                                 false, pipelined);
  ASSERT_EQ(barriers.steps(), 2U);
  EXPECT_TRUE(barriers.step(0).barrier && barriers.step(1).barrier);
}

TEST(Lowering, OneMessageAPieceOrOneAPeer) {
  const Layout layout(std::vector<std::int64_t>(8, 4));
  EXPECT_EQ(messages_sent("sparbit", 8, 0, layout, pipelined), 7U);
  EXPECT_EQ(messages_sent("sparbit", 8, 0, layout, packed), 3U);
  EXPECT_EQ(messages_sent("sparbit", 8, 0, layout, datatype), 3U);
  // The batches are of 1, 2 and 4 blocks a step (Loch 2021, 4.3).
  EXPECT_EQ(messages_sent("sparbit", 8, 0, layout, {Noncontiguous::packed, 2}), 4U);
  EXPECT_EQ(messages_sent("sparbit", 8, 0, layout, {Noncontiguous::datatype, 3}), 4U);
  EXPECT_EQ(messages_sent("sparbit", 8, 0, layout, {Noncontiguous::packed, 1}), 7U);
  EXPECT_EQ(messages_sent("bruck", 8, 6, layout, pipelined), 3U);
  EXPECT_EQ(messages_sent("bruck_in_place", 8, 6, layout, pipelined), 4U);
}

TEST(Lowering, BlocksThatTouchTravelTogether) {
  // Odd blocks are empty, so the even ones touch: sparbit's last step is one message.
  const Layout half_full(std::vector<std::int64_t>{4, 0, 4, 0, 4, 0, 4, 0});
  const LoweredSchedule lowered(schedule_of("sparbit", 6, 8), half_full, all_gather(6, 8), false,
                                pipelined);
  const auto last = lowered.step(lowered.steps() - 1);
  ASSERT_EQ(last.sends.size(), 1U);
  EXPECT_EQ(last.sends[0].pieces[0].offset, 0);
  EXPECT_EQ(last.sends[0].pieces[0].bytes, 16);
}

TEST(Lowering, ScratchAndCopiesAreWhereTheRowSaysSo) {
  for (const algorithms::Algorithm& algorithm : algorithms::all_algorithms()) {
    // Blocks that pass through take scratch, and so do those that are combined.
    if (algorithm.kind == nullptr || algorithm.kind->combines) continue;
    if (algorithm.kind == &collectives::alltoall) continue;
    algorithms::Problem problem = algorithms::problem_for(algorithms::choice_of(algorithm), 5);
    problem.rank = 3;
    if (algorithm.schedules() == nullptr || algorithms::why_not(algorithm, problem).has_value()) {
      continue;
    }
    const Layout layout(
        std::vector<std::int64_t>(static_cast<std::size_t>(algorithm.kind->blocks(5)), 4));
    const collectives::Part part = part_of(*algorithm.kind, 3, 5);
    const LoweredSchedule lowered(algorithms::make_schedule(algorithm, problem), layout, part,
                                  false, pipelined);
    const bool classic = algorithm.uses_scratch;
    EXPECT_EQ(lowered.prologue().size(), part.initial.size()) << algorithm.name;  // the own block
    EXPECT_EQ(lowered.epilogue().size(), classic ? 2U : 0U) << algorithm.name;
    EXPECT_EQ(lowered.scratch_bytes(), classic ? 20 : 0) << algorithm.name;
    EXPECT_EQ(lowered.packed_bytes(), 0) << algorithm.name;
    for (std::size_t s = 0; s < lowered.steps(); ++s) {
      const LoweredSchedule::Step step = lowered.step(s);
      EXPECT_TRUE(step.unpacking.empty());
      for (const Message& sent : step.sends) EXPECT_TRUE(sent.packing.empty());
    }
  }
}

// A rank may send, before its own block is there, what came in from others, and nothing else.
TEST(Lowering, BackgroundIsThatOfTheSchedule) {
  const std::vector<double> arrivals{0, 0, 9, 0, 0, 4, 0};
  const std::vector<std::int64_t> bytes{8, 8, 8, 8, 8, 8, 0};
  const algorithms::Choice chosen = choice("clairvoyant");
  algorithms::Problem problem = algorithms::problem_for(chosen, 7);
  problem.arrival_us = arrivals;
  problem.block_bytes = bytes;
  problem.message_us = 1;
  const auto schedules = algorithms::make_schedules(*chosen.algorithm, problem);
  for (int rank = 0; rank < 7; ++rank) {
    for (const bool in_place : {false, true}) {
      const LoweredSchedule lowered(schedules[static_cast<std::size_t>(rank)], Layout(bytes),
                                    all_gather(rank, 7), in_place, pipelined);
      std::size_t expected = schedules[static_cast<std::size_t>(rank)].background_steps();
      // The step of empty blocks has no messages; the last rank has no bytes to wait for.
      if (rank == 6) expected = lowered.steps();
      EXPECT_EQ(lowered.background_steps(), expected) << rank;
      if (rank == 6) continue;
      std::size_t sends = 0;
      for (std::size_t s = 0; s < expected; ++s) sends += lowered.step(s).sends.size();
      EXPECT_EQ(sends > 0, rank == 2 || rank == 5) << rank;
    }
  }
}

}  // namespace
}  // namespace gatherbench::mpi
