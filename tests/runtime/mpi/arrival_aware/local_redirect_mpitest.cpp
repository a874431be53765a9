// SPDX-License-Identifier: BSD-3-Clause
//
// Who takes whose vector, and who leaves before a late rank is there. The order in which ranks come
// is forced by messages, so nothing here depends on how fast the machine is. That all operators,
// types and roots give the right bytes is tested with those of the other reductions.
#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "runtime/mpi/arrival_aware/local_redirect.h"

namespace gatherbench::mpi {
namespace {

constexpr int from_left = 0;  // tag

/// The tree of ranks, whose places count from the root on.
struct Tree {
  int root;
  int ranks;
  [[nodiscard]] int place(int rank) const { return (rank - root + ranks) % ranks; }
  [[nodiscard]] int parent(int rank) const {
    const int place_of = place(rank);
    return (place_of - (place_of & -place_of) + root) % ranks;
  }
  [[nodiscard]] bool is_above(int rank, int other) const {
    for (int at = other; at != root;) {
      at = parent(at);
      if (at == rank) return true;
    }
    return false;
  }
  /// Returns whether the rank can leave while `late` is not there: its parent is, and awaits nobody
  /// for it.
  [[nodiscard]] bool leaves_before(int rank, int late) const {
    return rank != late && rank != root && !is_above(rank, late) && parent(rank) != late;
  }
};

/// The ranks' contributions in a call, and the sum that the root has to get.
long contribution(int rank, int call) { return (rank + 1) * 1000L + call; }
long sum_of(int ranks, int call) {
  return ranks * (ranks + 1L) / 2 * 1000 + static_cast<long>(ranks) * call;
}

Reduction of_longs() { return {MPI_SUM, MPI_LONG, sizeof(long)}; }

const std::byte* bytes_of(const std::vector<long>& of) {
  return reinterpret_cast<const std::byte*>(of.data());
}
std::byte* bytes_of(std::vector<long>& of) { return reinterpret_cast<std::byte*>(of.data()); }
std::int64_t size_of(const std::vector<long>& of) { return std::ssize(of) * std::int64_t{8}; }

int combined = 0;  // calls of the operator on this rank

void count_and_add(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  ++combined;
  for (int i = 0; i < *count; ++i) static_cast<long*>(inout)[i] += static_cast<long*>(in)[i];
}

TEST(LocalRedirect, RootTakesLessVectorsThanItHasChildrenIfTheyAreThereBefore) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const int rank = comm.rank();
  const int ranks = comm.size();
  MPI_Op counting = MPI_OP_NULL;
  MPI_Op_create(count_and_add, 1, &counting);
  const std::vector<long> own(3, contribution(rank, 0));
  std::vector<long> result(3, -1);
  LocalRedirect reduction({counting, MPI_LONG, sizeof(long)}, size_of(own), bytes_of(own),
                          bytes_of(result), comm.get(), 0);
  combined = 0;
  int children = 0;
  for (int child = 1; rank == 0 && child < ranks; child *= 2) {
    MPI_Probe(child, MPI_ANY_TAG, comm.get(), MPI_STATUS_IGNORE);  // it is ready, and waits
    ++children;
  }
  reduction.run();
  MPI_Op_free(&counting);
  int combined_by_all = 0;
  MPI_Allreduce(&combined, &combined_by_all, 1, MPI_INT, MPI_SUM, comm.get());
  EXPECT_EQ(combined_by_all, ranks - 1);
  if (rank != 0) return;
  EXPECT_EQ(result, std::vector<long>(3, sum_of(ranks, 0)));
  EXPECT_LE(combined, (children + 1) / 2);  // in pairs; and an odd one
}

/// One call with a rank that comes when all have left that do not need it. Would one of them wait
/// for it, they all would for ever.
void expect_others_leave(const Tree& tree, int late, std::size_t elements) {
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const Communicator aside = Communicator::duplicate(MPI_COMM_WORLD);
  const int rank = comm.rank();
  const std::vector<long> own(elements, contribution(rank, late));
  std::vector<long> result(rank == tree.root ? elements : 0, -1);
  LocalRedirect reduction(of_longs(), size_of(own), bytes_of(own), bytes_of(result), comm.get(),
                          tree.root);
  if (rank == late) {
    for (int other = 0; other < tree.ranks; ++other) {
      if (!tree.leaves_before(other, late)) continue;
      MPI_Recv(nullptr, 0, MPI_CHAR, other, from_left, aside.get(), MPI_STATUS_IGNORE);
    }
  }
  reduction.run();
  if (tree.leaves_before(rank, late)) {
    MPI_Send(nullptr, 0, MPI_CHAR, late, from_left, aside.get());
  }
  EXPECT_EQ(result, std::vector<long>(result.size(), sum_of(tree.ranks, late)))
      << "root " << tree.root << ", late " << late << ", elements " << elements;
}

TEST(LocalRedirect, RanksThatDoNotNeedALateOneLeaveBeforeItComes) {
  const int ranks = Communicator::duplicate(MPI_COMM_WORLD).size();
  for (const int root : std::set<int>{0, ranks - 1}) {
    const Tree tree{root, ranks};
    for (int late = 0; late < ranks; ++late) {
      // One that goes at once, and one that waits for its receiver.
      for (const std::size_t elements : {std::size_t{1}, std::size_t{40'000}}) {
        expect_others_leave(tree, late, elements);
      }
    }
  }
}

TEST(LocalRedirect, CallsFollowEachOtherWithNothingBetween) {
  constexpr int calls = 300;
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  const int rank = comm.rank();
  const int ranks = comm.size();
  const int root = ranks / 2;
  std::vector<std::vector<long>> own;
  for (int call = 0; call < calls; ++call) own.emplace_back(2, contribution(rank, call));
  std::vector<std::vector<long>> results(calls, std::vector<long>(2, -1));
  for (const bool in_place : {false, true}) {
    if (in_place && rank == root) results = own;
    const auto sent = [&](int call) {
      const auto i = static_cast<std::size_t>(call);
      return in_place && rank == root ? nullptr : bytes_of(own[i]);
    };
    LocalRedirect reduction(of_longs(), size_of(own[0]), sent(0), bytes_of(results[0]), comm.get(),
                            root);
    for (int call = 0; call < calls; ++call) {
      reduction.use_buffers(sent(call), bytes_of(results[static_cast<std::size_t>(call)]));
      // Ranks come in another order each time.
      for (int i = (rank * 7 + call * 3) % 5; i > 0; --i) std::this_thread::yield();
      reduction.run();
    }
    for (int call = 0; call < calls; ++call) {
      const std::vector<long> expected(2, rank == root ? sum_of(ranks, call) : -1);
      EXPECT_EQ(results[static_cast<std::size_t>(call)], expected) << "call " << call;
    }
  }
}

}  // namespace
}  // namespace gatherbench::mpi
