// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "algorithms/choice/parse_algorithms.h"
#include "bench/plan/same_messages.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

std::string same(const char* algorithms) {
  const int ranks = mpi::size_of(MPI_COMM_WORLD);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) all[static_cast<std::size_t>(rank)] = rank;
  algorithms::Placement placement;
  placement.node.assign(all.size(), 0);
  const std::vector<Group> groups{{.name = "", .ranks = all, .placement = placement}};
  const auto choices = algorithms::parse_algorithms("--algorithms", algorithms);
  const auto contenders = find_contenders(collectives::allgather, choices, groups);
  return find_same_messages(contenders, {{placement}}, algorithms::Noncontiguous::pipelined,
                            MPI_COMM_WORLD);
}

TEST(SameMessages, AreOneAlgorithm) {
  const int ranks = mpi::size_of(MPI_COMM_WORLD);
  // One further on is one back.
  const bool is_pair = ranks == 2;
  EXPECT_EQ(same("native,ring,neighbor_exchange,sparbit,ring_bidirectional"),
            is_pair      ? "ring = neighbor_exchange = sparbit = ring_bidirectional"
            : ranks == 1 ? "ring = sparbit = ring_bidirectional"
                         : "");
  EXPECT_EQ(same("bruck,bruck:k=2,ring,ring:noncontiguous=packed"),
            ranks == 1 ? "bruck = bruck:k=2 = ring" : "bruck = bruck:k=2");
}

TEST(SameMessages, AreNotOfAlgorithmsThatDependOnSizes) {
  const int ranks = mpi::size_of(MPI_COMM_WORLD);
  // Equal blocks leave the ranks in their order, and unequal ones do not.
  EXPECT_EQ(same("ring,ring@paired,ring@cyclic"), "ring = ring@cyclic");
  // One segment goes down a chain of two as it goes down a tree; several do not.
  EXPECT_EQ(same("gather_bcast,gather_bcast:bcast=linear_pipeline,gather_bcast:bcast=flat"),
            ranks <= 2 ? "gather_bcast = gather_bcast:bcast=flat" : "");
}

}  // namespace
}  // namespace gatherbench::bench
