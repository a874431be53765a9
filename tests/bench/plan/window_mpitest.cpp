// SPDX-License-Identifier: BSD-3-Clause
//
// Every algorithm through shared memory within a node, every distribution, each byte checked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/choice/parse_algorithms.h"
#include "bench/conditions/buffer_ring.h"
#include "bench/options/values/buffer_choice.h"
#include "bench/plan/contenders.h"
#include "bench/plan/memory.h"
#include "distributions/block_sizes.h"
#include "runtime/mpi/window/channel.h"
#include "runtime/mpi/window/node_memory.h"
#include "tests/bench/checked_case.h"
#include "tests/bench/one_group.h"

namespace gatherbench::bench {
namespace {

/// All of these that have a schedule, with copies through shared memory within a node.
std::vector<algorithms::Choice> by_window(const collectives::Collective& collective,
                                          const char* list) {
  std::vector<algorithms::Choice> choices =
      algorithms::parse_algorithms("--algorithms", list, collective);
  std::erase_if(choices, [](const algorithms::Choice& choice) {
    return choice.algorithm->schedules() == nullptr;
  });
  for (algorithms::Choice& choice : choices) {
    choice.via = algorithms::Via::window;
    choice.variant += choice.variant.empty() ? "via=window" : ":via=window";
  }
  return choices;
}

/// About the size from which on the buffers are referred to, and that of a slot, and more slots
/// and halves of a stage than there are; of the first one all distributions. Those after the second
/// differ in the channels alone, so a few algorithms do.
constexpr auto slot_bytes = static_cast<std::int64_t>(mpi::Channel::slot_bytes);
constexpr auto referred = static_cast<std::int64_t>(mpi::Channel::least_referred);
constexpr auto slots = static_cast<std::int64_t>(mpi::Channel::slots);
constexpr std::int64_t window_bytes[] = {referred + 1,
                                         (slots + 3) * slot_bytes,
                                         1,
                                         slot_bytes - 1,
                                         slot_bytes,
                                         slot_bytes + 1,
                                         static_cast<std::int64_t>(mpi::Stage::bytes) + 5};
constexpr std::size_t few = 4;

struct WindowCase {
  distributions::Distribution distribution;
  std::int64_t bytes;
  bool in_place;
  bool of_few = false;
};

/// Every distribution with one size, and the first one with all sizes; if not `all`, the last
/// distribution alone.
std::vector<WindowCase> cases_of(const char* list, const collectives::Collective& collective,
                                 bool all) {
  std::vector<WindowCase> cases;
  for (const distributions::Distribution& one :
       distributions::parse_distributions("-d", list, {})) {
    cases.push_back({one, window_bytes[0], collective.one_buffer || !cases.empty()});
  }
  if (!all) return {cases.back()};
  for (const std::int64_t bytes : std::span(window_bytes).subspan(1)) {
    cases.push_back(
        {cases.front().distribution, bytes, collective.one_buffer, bytes != window_bytes[1]});
  }
  return cases;
}

/// What the buffers of any rank take.
std::int64_t most_room(const collectives::Collective& collective, int ranks,
                       const mpi::Layout& layout) {
  return CaseBuffers::room_for(max_bytes_of(collective.initial, ranks, layout),
                               max_bytes_of(collective.goal, ranks, layout) + guard_bytes);
}

/// Whether the buffers lie in memory of the ranks' own, or in a window as well.
class Window : public testing::TestWithParam<BuffersIn> {};

/// On one node, and on pretended ones, between which there are messages.
void test_window(const collectives::Collective& collective, const char* algorithms,
                 const char* distributions, const Operator& with = {}) {
  const mpi::Communicator world = mpi::Communicator::duplicate(MPI_COMM_WORLD);
  const int ranks = world.size();
  algorithms::Placement one_node;
  one_node.node.assign(static_cast<std::size_t>(ranks), 0);
  for (const algorithms::Placement& placement : {one_node, pretended(ranks)}) {
    const bool is_one_node = placement.network == nullptr;
    if (!is_one_node && placement.node.back() == 0) break;  // so few ranks are the same again
    // Between nodes only some go through shared memory, and more ranks take turns for minutes.
    const bool all = is_one_node && ranks <= 8;
    std::vector<Contender> contenders =
        find_contenders(collective, by_window(collective, algorithms), one_group(ranks, placement));
    make_communicators(collective, contenders, world.get());
    for (const auto& [distribution, bytes, in_place, of_few] :
         cases_of(distributions, collective, all)) {
      const mpi::Layout layout(
          distributions::block_sizes(distribution, collective.blocks(ranks), bytes));
      Options options;
      options.collective = &collective;
      options.in_place = in_place;
      options.combined_by = with;
      const std::size_t count = of_few ? std::min(few, contenders.size()) : contenders.size();
      std::optional<mpi::NodeMemory> memory;
      if (testing::WithParamInterface<BuffersIn>::GetParam() == BuffersIn::window) {
        memory.emplace(most_room(collective, ranks, layout),
                       mpi::Communicator::of_node(world.get()));
      }
      for (const Contender& contender : std::span(contenders).first(count)) {
        if (contender.why_not) continue;
        EXPECT_EQ(fault_of(contender, options, layout, placement, memory ? &*memory : nullptr), "")
            << contender.label << ", " << distribution.label << ", " << bytes << " bytes, "
            << placement.node.back() + 1 << " nodes";
      }
    }
  }
}

TEST_P(Window, Allgatherv) {
  test_window(collectives::allgatherv,
              "regular,bruck:k=3,pipelined_ring:segment=1K,leader:inner=sparbit", "all");
}
// The other collectives' schedules run by the same code.
TEST_P(Window, OtherCollectives) {
  test_window(collectives::bcast, "regular,binary:segment=1K", "regular");
  test_window(collectives::alltoall, "regular", "regular");
  const Operator sum{&find_operation("--op", "sum"), &find_type("--type", "char")};
  test_window(collectives::reduce, "all", "regular", sum);
  test_window(collectives::allreduce, "all", "regular", sum);
}
TEST_P(Window, RunsOfBlocksApart) {
  constexpr const char* list =
      "sparbit:noncontiguous=packed,sparbit:noncontiguous=datatype,sparbit:batch=2,"
      "bruck_in_place:noncontiguous=packed";
  test_window(collectives::allgatherv, list, "regular,half_full");
}

INSTANTIATE_TEST_SUITE_P(BuffersIn, Window, testing::Values(BuffersIn::own, BuffersIn::window),
                         [](const auto& test) {
                           return std::string(name_in(buffers_in_names, test.param));
                         });

}  // namespace
}  // namespace gatherbench::bench
