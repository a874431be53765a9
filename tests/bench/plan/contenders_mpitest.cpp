// SPDX-License-Identifier: BSD-3-Clause
//
// Every algorithm moves every distribution, each byte checked, on the world and on a communicator
// with the ranks reversed, in place and not, in all three ways of sending what is not contiguous.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/registry.h"
#include "algorithms/shared/inner.h"
#include "bench/host/nodes.h"
#include "bench/plan/contenders.h"
#include "bench/plan/placement.h"
#include "distributions/block_sizes.h"
#include "tests/bench/checked_case.h"
#include "tests/bench/one_group.h"

namespace gatherbench::bench {
namespace {

struct World {
  mpi::Communicator comm;
  std::string name;
  algorithms::Placement placement;
};

std::vector<World> worlds() {
  std::vector<World> all;
  all.push_back({mpi::Communicator::duplicate(MPI_COMM_WORLD), "world", {}});
  const int ranks = all[0].comm.size();
  all[0].placement = pretended(ranks);
  std::vector<int> backwards;
  for (int rank = ranks - 1; rank >= 0; --rank) backwards.push_back(rank);
  all.push_back({renumber_ranks(MPI_COMM_WORLD, backwards), "reversed", {}});
  // Here the nodes lie interleaved, the odd ranks first.
  std::vector<int> shuffled;
  for (const int first : {1, 0}) {
    for (int rank = first; rank < ranks; rank += 2) shuffled.push_back(rank);
  }
  all[1].placement = renumber_placement(all[0].placement, shuffled);
  return all;
}

// On more, a message takes a library that spins until the scheduler comes round.
constexpr int max_ranks_for_all_ways = 8;

/// Sizes, and the ways of sending what is not contiguous. Every way once: what they do with sizes
/// is tested without MPI.
struct Way {
  std::int64_t bytes;
  algorithms::Noncontiguous noncontiguous;
};
constexpr Way ways[] = {{13, algorithms::Noncontiguous::pipelined},
                        {1, algorithms::Noncontiguous::pipelined},
                        {20000, algorithms::Noncontiguous::pipelined},
                        {13, algorithms::Noncontiguous::packed},
                        {13, algorithms::Noncontiguous::datatype}};

// MPI_Reduce of MPICH 4.0.2, in place at another root than 0: a segmentation fault for long
// vectors.
#ifdef MPICH_VERSION
constexpr bool library_dies_in_place = true;
#else
constexpr bool library_dies_in_place = false;
#endif

// MPI_Allgather_init of MPICH 4.0.2 and of Intel MPI 2021.18, on 2 and 4 ranks and of blocks up to
// 32 KiB: its calls send what the buffer held when the request was made. Right in MPICH 5.0.2.
bool library_sends_old_bytes() {
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 50000000
  return true;
#else
  return mpi::library_version().find("Intel(R) MPI") != std::string::npos;
#endif
}

bool is_broken(const Contender& contender, const collectives::Collective& collective) {
  return library_sends_old_bytes() && &collective == &collectives::allgather &&
         contender.choice.algorithm->calls(algorithms::LibraryCall::persistent);
}

void test_contender(const World& world, const Contender& contender,
                    const collectives::Collective& collective,
                    const distributions::Distribution& distribution, const Operator& with) {
  for (const Way& way : ways) {
    const bool first_only = world.name != "world" || world.comm.size() > max_ranks_for_all_ways;
    if (first_only && &way != ways) break;
    const mpi::Layout layout(
        distributions::block_sizes(distribution, collective.blocks(world.comm.size()), way.bytes));
    for (const bool in_place : {false, true}) {
      if (collective.one_buffer && !in_place) continue;
      const bool elsewhere = collective.combines && world.placement.root != 0;
      if (library_dies_in_place && in_place && elsewhere &&
          contender.choice.algorithm->is<algorithms::LibraryCall>()) {
        continue;
      }
      Options options;
      options.collective = &collective;
      options.in_place = in_place;
      options.noncontiguous = way.noncontiguous;
      options.combined_by = with;
      EXPECT_EQ(fault_of(contender, options, layout, world.placement), "")
          << contender.label << ", " << distribution.label << ", " << way.bytes << " bytes, "
          << world.name << ", in_place=" << in_place
          << ", noncontiguous=" << static_cast<int>(way.noncontiguous);
    }
  }
}

void test_all(const collectives::Collective& collective, const char* algorithms,
              const char* distributions, int root = 0, const Operator& with = {}) {
  std::vector<World> all = worlds();
  for (World& world : all) {
    world.placement.root = root;
    if (with.operation != nullptr) {
      world.placement.element_bytes = with.type->bytes;
      world.placement.commutes = with.operation->commutes;
    }
    const std::vector<algorithms::Choice> choices =
        algorithms::parse_algorithms("--algorithms", algorithms, collective);
    std::vector<Contender> contenders =
        find_contenders(collective, choices, one_group(world.comm.size(), world.placement));
    make_communicators(collective, contenders, world.comm.get());
    for (const distributions::Distribution& distribution :
         distributions::parse_distributions("-d", distributions, {})) {
      for (const Contender& contender : contenders) {
        if (!contender.why_not.has_value() && !is_broken(contender, collective)) {
          test_contender(world, contender, collective, distribution, with);
        }
      }
    }
  }
}

constexpr const char* all_gathers =
    "regular,bruck:k=3,bruck_in_place:k=4,recursive_exchange:k=3,pipelined_ring:segment=1K,"
    "leader:inner=sparbit,lane:inner=ring,library-calls";

TEST(Contenders, Allgather) { test_all(collectives::allgather, all_gathers, "regular"); }
TEST(Contenders, Allgatherv) { test_all(collectives::allgatherv, all_gathers, "all"); }
TEST(Contenders, Bcast) {
  const int ranks = mpi::Communicator::duplicate(MPI_COMM_WORLD).size();
  for (const int root : std::set<int>{0, ranks / 2, ranks - 1}) {
    test_all(collectives::bcast, "regular,library-calls,binary:segment=1K,k_ary:k=4:segment=999",
             "regular", root);
  }
}
// With each of the broadcasts at the end.
TEST(Contenders, AllgatherWithABroadcast) {
  const algorithms::Parameter& broadcast =
      algorithms::find_algorithm("linear_gather_bcast")->parameters[0];
  for (const algorithms::Algorithm* const one : algorithms::algorithms_of(&collectives::bcast)) {
    if (!is_legal_inner(broadcast, *one)) continue;
    const std::string name = fmt::format("linear_gather_bcast:bcast={}", one->name);
    test_all(collectives::allgather, name.c_str(), "regular");
  }
}
// Elements of a byte, so that every size is legal; those of others are tested with every operator.
TEST(Contenders, Reduce) {
  const int ranks = mpi::Communicator::duplicate(MPI_COMM_WORLD).size();
  const NamedType& type = find_type("--type", "char");
  constexpr const char* reductions =
      "all,library-calls,linear_pipeline:segments=3,clairvoyant:segments=1";
  for (const int root : std::set<int>{0, ranks / 2, ranks - 1}) {
    test_all(collectives::reduce, reductions, "regular", root,
             {&find_operation("--op", "sum"), &type});
  }
  test_all(collectives::reduce, reductions, "regular", 0,
           {&find_operation("--op", "compose"), &type});
}
TEST(Contenders, Allreduce) {
  const NamedType& type = find_type("--type", "char");
  for (const char* const operation : {"sum", "compose"}) {
    test_all(collectives::allreduce,
             "all,library-calls,rabenseifner:inner=ring,rabenseifner:inner=shift_mpi_barrier,"
             "alltoall_allgather:scatter=linear:inner=shift_light_barrier,"
             "allgather_reduce:inner=linear,clairvoyant:segments=1",
             "regular", 0, {&find_operation("--op", operation), &type});
  }
}
TEST(Contenders, Alltoall) {
  test_all(collectives::alltoall, "regular,library-calls,bruck:k=3", "regular");
}

// Blocks and totals that int cannot count are tested as a whole program, once: they take minutes
// and gigabytes. Here: the datatype that describes them, in small, is what MPI makes of it.

}  // namespace
}  // namespace gatherbench::bench
