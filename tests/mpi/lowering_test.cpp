// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks' lowered schedules run on real bytes without MPI: messages are matched in order by pair
// of ranks, as MPI does, and must have the same length on both sides.
#include "mpi/lowering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>

#include "analysis/trials.h"
#include "bench/measure/test_bytes.h"
#include "distributions/block_sizes.h"
#include "tests/schedule_of.h"

namespace gatherbench::mpi {
namespace {

using Bytes = std::vector<std::byte>;

struct RankState {
  LoweredSchedule lowered;
  std::map<Area, Bytes> areas;
  std::size_t next_step = 0;
  bool sent = false;  // the messages of next_step
  int barriers = 0;   // that it came to
  bool in_barrier = false;
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
    std::copy(from.begin() + one.from_offset, from.begin() + one.from_offset + one.bytes,
              state.areas.at(one.to).begin() + one.to_offset);
  }
}

std::int64_t length(const Message& message) {
  std::int64_t bytes = 0;
  for (const Piece& piece : message.pieces) bytes += piece.bytes;
  return bytes;
}

collectives::Blocks own_block(int rank) { return collectives::allgather.initial(rank, rank + 1); }

std::vector<std::int64_t> sizes_of(const Layout& layout) {
  std::vector<std::int64_t> sizes;
  for (int block = 0; block < layout.blocks(); ++block) sizes.push_back(layout.bytes(block));
  return sizes;
}

class Machine {
 public:
  Machine(const algorithms::Algorithm& algorithm, algorithms::Problem problem, const Layout& layout,
          bool in_place, Noncontiguous noncontiguous)
      : layout_(layout) {
    const auto sizes = sizes_of(layout);
    problem.block_bytes = sizes;
    const auto schedules = algorithms::make_schedules(algorithm, problem);
    for (int rank = 0; rank < layout.blocks(); ++rank) {
      LoweredSchedule lowered(schedules[static_cast<std::size_t>(rank)], layout, own_block(rank),
                              in_place, noncontiguous);
      RankState state{std::move(lowered), {}};
      Bytes own(static_cast<std::size_t>(layout.bytes(rank)));
      bench::fill_block(own, rank);
      Bytes receive(static_cast<std::size_t>(layout.total()));
      if (in_place) {
        std::ranges::copy(own, receive.begin() + layout.offset(rank));
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
    for (RankState& rank : ranks_) copy(rank, rank.lowered.prologue());
    for (bool progress = true; progress;) {
      progress = false;
      for (std::size_t r = 0; r < ranks_.size(); ++r) progress |= advance(r);
    }
    for (RankState& rank : ranks_) {
      ASSERT_EQ(rank.next_step, rank.lowered.steps());
      copy(rank, rank.lowered.epilogue());
      const std::int64_t everything = rank.lowered.broadcast_bytes();
      std::copy_n(ranks_[0].areas[Area::receive].begin(), everything,
                  rank.areas[Area::receive].begin());
      for (int block = 0; block < layout_.blocks(); ++block) {
        const auto bytes = std::span(rank.areas[Area::receive])
                               .subspan(static_cast<std::size_t>(layout_.offset(block)),
                                        static_cast<std::size_t>(layout_.bytes(block)));
        const auto wrong = bench::first_wrong_byte(bytes, block);
        ASSERT_FALSE(wrong.has_value()) << "block " << block << " byte " << wrong->position;
      }
    }
    for (const auto& [pair, queue] : wires_) ASSERT_TRUE(queue.empty());
  }

 private:
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
      copy(rank, step.before);
      for (const Message& message : step.sends) {
        wires_[{r, static_cast<std::size_t>(message.peer)}].push_back(gathered(rank, message));
      }
      rank.sent = true;
    }
    std::map<int, std::size_t> wanted;
    for (const Message& message : step.receives) ++wanted[message.peer];
    for (const auto& [peer, count] : wanted) {
      if (wires_[{static_cast<std::size_t>(peer), r}].size() < count) return sends_now;
    }
    for (const Message& message : step.receives) {
      auto& wire = wires_[{static_cast<std::size_t>(message.peer), r}];
      EXPECT_EQ(std::ssize(wire.front()), length(message));
      if (std::ssize(wire.front()) != length(message)) return false;
      scatter(rank, message, wire.front());
      wire.pop_front();
    }
    copy(rank, step.after);
    rank.sent = false;
    ++rank.next_step;
    return true;
  }

  Layout layout_;
  std::vector<RankState> ranks_;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<Bytes>> wires_;
};

Layout make_layout(const distributions::Distribution& distribution, int ranks) {
  return Layout(distributions::block_sizes(distribution, ranks, 5));
}

void move_everything(const analysis::Trial& trial, int p, Noncontiguous noncontiguous,
                     bool in_place) {
  const algorithms::Problem problem = trial.problem(p);
  if (!algorithms::reason_unusable(*trial.choice.algorithm, problem).empty()) return;
  for (const distributions::Distribution& distribution :
       distributions::parse_distributions("-d", "all", {})) {
    SCOPED_TRACE(testing::Message() << trial.choice.algorithm->name << " " << trial.text
                                    << " p=" << p << " " << distribution.label << " noncontiguous="
                                    << static_cast<int>(noncontiguous) << " in_place=" << in_place);
    Machine(*trial.choice.algorithm, problem, make_layout(distribution, p), in_place, noncontiguous)
        .run();
    if (testing::Test::HasFatalFailure()) return;
  }
}

// A sanitizer makes it forty times as slow; what it looks for shows at few ranks.
#ifdef __SANITIZE_ADDRESS__
constexpr int max_ranks = 20;
#else
constexpr int max_ranks = 64;
#endif

// Every algorithm, as it is proven, with every distribution, empty blocks included.
TEST(Lowering, MovesEveryByteOfEveryDistribution) {
  for (const algorithms::Choice& choice : algorithms::parse_algorithms("--algorithms", "all")) {
    if (choice.algorithm->schedule == nullptr) continue;
    for (int p = 1; p <= max_ranks; ++p) {
      for (const analysis::Trial& trial : analysis::trials(choice, p, nullptr)) {
        move_everything(trial, p, Noncontiguous::pipelined, false);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Lowering, MovesEveryByteInEveryWay) {
  for (const algorithms::Choice& choice : algorithms::parse_algorithms("--algorithms", "all")) {
    if (choice.algorithm->schedule == nullptr) continue;
    for (const int p : {1, 2, 3, 4, 5, 8, 12, 15, 16, 17, 32, 33}) {
      for (const analysis::Trial& trial : analysis::trials(choice, p, nullptr)) {
        for (const auto noncontiguous :
             {Noncontiguous::pipelined, Noncontiguous::packed, Noncontiguous::datatype}) {
          move_everything(trial, p, noncontiguous, true);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

std::size_t messages_sent(std::string_view name, int ranks, int rank, const Layout& layout,
                          Noncontiguous noncontiguous) {
  const LoweredSchedule lowered(schedule_of(name, rank, ranks), layout, own_block(rank), false,
                                noncontiguous);
  std::size_t count = 0;
  for (std::size_t s = 0; s < lowered.steps(); ++s) count += lowered.step(s).sends.size();
  return count;
}

TEST(Lowering, NoMessageForAnEmptyBlock) {
  const Layout broadcast(std::vector<std::int64_t>{8, 0, 0, 0, 0, 0, 0, 0});
  // A binomial tree of one block: 7 messages among all ranks, 3 from the root.
  std::size_t all = 0;
  for (int rank = 0; rank < 8; ++rank) {
    all += messages_sent("sparbit", 8, rank, broadcast, Noncontiguous::pipelined);
  }
  EXPECT_EQ(all, 7U);
  EXPECT_EQ(messages_sent("sparbit", 8, 0, broadcast, Noncontiguous::pipelined), 3U);
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
                                  own_block(rank), false, Noncontiguous::pipelined);
    for (std::size_t s = 0; s < lowered.steps(); ++s) all += lowered.step(s).sends.size();
  }
  EXPECT_EQ(all, 3U * (2 + 2));  // four segments with bytes, each passed on three times
}

TEST(Lowering, TokensAndBarriersStay) {
  const Layout empty(std::vector<std::int64_t>(4, 0));
  const LoweredSchedule tokens(schedule_of("shift_light_barrier", 1, 4), empty, own_block(1), false,
                               Noncontiguous::pipelined);
  ASSERT_EQ(tokens.steps(), 2U);  // the steps of the blocks are gone
  EXPECT_EQ(tokens.step(0).sends.size(), 1U);
  EXPECT_TRUE(tokens.step(0).sends[0].pieces.empty());
  const LoweredSchedule barriers(schedule_of("shift_mpi_barrier", 1, 4), empty, own_block(1), false,
                                 Noncontiguous::pipelined);
  ASSERT_EQ(barriers.steps(), 2U);
  EXPECT_TRUE(barriers.step(0).barrier && barriers.step(1).barrier);
}

TEST(Lowering, OneMessageAPieceOrOneAPeer) {
  const Layout layout(std::vector<std::int64_t>(8, 4));
  EXPECT_EQ(messages_sent("sparbit", 8, 0, layout, Noncontiguous::pipelined), 7U);
  EXPECT_EQ(messages_sent("sparbit", 8, 0, layout, Noncontiguous::packed), 3U);
  EXPECT_EQ(messages_sent("sparbit", 8, 0, layout, Noncontiguous::datatype), 3U);
  EXPECT_EQ(messages_sent("bruck", 8, 6, layout, Noncontiguous::pipelined), 3U);
  EXPECT_EQ(messages_sent("bruck_in_place", 8, 6, layout, Noncontiguous::pipelined), 4U);
}

TEST(Lowering, BlocksThatTouchTravelTogether) {
  // Odd blocks are empty, so the even ones touch: sparbit's last step is one message.
  const Layout half_full(std::vector<std::int64_t>{4, 0, 4, 0, 4, 0, 4, 0});
  const LoweredSchedule lowered(schedule_of("sparbit", 6, 8), half_full, own_block(6), false,
                                Noncontiguous::pipelined);
  const auto last = lowered.step(lowered.steps() - 1);
  ASSERT_EQ(last.sends.size(), 1U);
  EXPECT_EQ(last.sends[0].pieces[0].offset, 0);
  EXPECT_EQ(last.sends[0].pieces[0].bytes, 16);
}

TEST(Lowering, ScratchAndCopiesAreWhereTheRowSaysSo) {
  const Layout layout(std::vector<std::int64_t>(5, 4));
  for (const algorithms::Algorithm& algorithm : algorithms::all_algorithms()) {
    algorithms::Problem problem = algorithms::problem_for(algorithms::choice_of(algorithm), 5);
    problem.rank = 3;
    if (algorithm.schedule == nullptr || !algorithms::reason_unusable(algorithm, problem).empty()) {
      continue;
    }
    const LoweredSchedule lowered(algorithms::make_schedule(algorithm, problem), layout,
                                  own_block(3), false, Noncontiguous::pipelined);
    const bool classic = algorithm.uses_scratch;
    EXPECT_EQ(lowered.prologue().size(), 1U) << algorithm.name;  // the own block
    EXPECT_EQ(lowered.epilogue().size(), classic ? 2U : 0U) << algorithm.name;
    EXPECT_EQ(lowered.scratch_bytes(), classic ? 20 : 0) << algorithm.name;
    EXPECT_EQ(lowered.packed_bytes(), 0) << algorithm.name;
    for (std::size_t s = 0; s < lowered.steps(); ++s) {
      EXPECT_TRUE(lowered.step(s).before.empty() && lowered.step(s).after.empty());
    }
  }
}

}  // namespace
}  // namespace gatherbench::mpi
