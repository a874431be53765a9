// SPDX-License-Identifier: BSD-3-Clause
//
// Every algorithm moves every distribution, each byte checked, on the world and on a communicator
// with the ranks reversed, in place and not, in all three ways of sending what is not contiguous.
#include <gtest/gtest.h>

#include "bench/buffers.h"
#include "bench/contenders.h"
#include "bench/nodes.h"
#include "bench/validate.h"
#include "distributions/block_sizes.h"

namespace gatherbench {
namespace {

struct World {
  Communicator comm;
  std::string name;
};

std::vector<World> worlds() {
  std::vector<World> all;
  all.push_back({Communicator::duplicate(MPI_COMM_WORLD), "world"});
  std::vector<int> backwards;
  for (int rank = all[0].comm.size() - 1; rank >= 0; --rank) backwards.push_back(rank);
  all.push_back({reordered(MPI_COMM_WORLD, backwards), "reversed"});
  return all;
}

/// One all-gather of this layout; the fault of the lowest rank that has one.
std::string fault_of(const Contender& contender, Collective collective, const Options& options,
                     const Layout& layout) {
  const int rank = contender.comm.rank();
  const Buffer send(layout.bytes(rank));
  const Buffer receive(layout.total() + CheckedBuffers::guard_bytes);
  // An empty block has no bytes to point at, but it is not "in place" either.
  std::byte none{};
  std::byte* const own = send.data() != nullptr ? send.data() : &none;
  std::byte* const send_pointer = options.in_place ? nullptr : own;
  CheckedBuffers checked(layout, rank, send_pointer, receive.data());
  Runner runner = prepare(contender, collective, options, layout, send_pointer, receive.data());
  std::string fault;
  for (int repeat = 0; repeat < 2; ++repeat) {  // a plan is used again and again
    checked.spoil();
    const HeldSettings armed = runner.arm();
    runner.run();
    if (fault.empty()) fault = checked.fault();
  }
  return first_text(fault, contender.comm.get());
}

void test_all(Collective collective, const char* distributions) {
  for (const World& world : worlds()) {
    const int ranks = world.comm.size();
    std::vector<Contender> contenders =
        find_contenders(collective, parse_algorithms("--algorithms", "all"), ranks);
    make_communicators(collective, contenders, world.comm.get());
    for (const Distribution& distribution : parse_distributions("-d", distributions, {})) {
      for (const std::int64_t bytes : {1, 13, 20000}) {
        const Layout layout(block_sizes(distribution, ranks, bytes));
        for (const Contender& contender : contenders) {
          if (!contender.why_not.empty()) continue;
          for (const bool in_place : {false, true}) {
            for (const auto noncontiguous :
                 {Noncontiguous::pipelined, Noncontiguous::packed, Noncontiguous::datatype}) {
              Options options;
              options.in_place = in_place;
              options.noncontiguous = noncontiguous;
              EXPECT_EQ(fault_of(contender, collective, options, layout), "")
                  << contender.label << ", " << distribution.label << ", " << bytes << " bytes, "
                  << world.name << ", in_place=" << in_place
                  << ", noncontiguous=" << static_cast<int>(noncontiguous);
            }
          }
        }
      }
    }
  }
}

TEST(Contenders, Allgather) { test_all(Collective::allgather, "regular"); }
TEST(Contenders, Allgatherv) { test_all(Collective::allgatherv, "all"); }

// Blocks and totals that int cannot count are tested as a whole program, once: they take minutes
// and gigabytes. Here: the datatype that describes them, in small, is what MPI makes of it.

}  // namespace
}  // namespace gatherbench
