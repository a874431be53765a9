// SPDX-License-Identifier: BSD-3-Clause
//
// Run by test_agstar_collectives.py under libagstar.so: `combining_program SCENARIO [NUMBER]`.
// Calls MPI_Alltoall, MPI_Bcast, MPI_Reduce and MPI_Allreduce in the ways that MPI allows, looks at
// every byte, and says "all right" on rank 0.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "communicators.h"
#include "forms.h"

namespace {

struct Group {
  MPI_Comm comm;
  int rank = 0;
  int ranks = 0;

  explicit Group(MPI_Comm of) : comm(of) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
  }
};

/// The k-th int that a rank sends to another one.
int sent(int seed, int from, int to, int k) { return value(seed + 13 * to, from, k); }

/// Only plain ints can be none.
Form form_of(int kind, int n) { return make_form(n == 0 ? 0 : kind, n); }

/// MPI_Alltoall of n ints for each pair; how they lie is another matter on each rank.
void exchange(const Group& of, int n, int seed, bool in_place) {
  Form from = form_of(in_place ? 0 : seed + of.rank, n);
  Form to = form_of(in_place ? 0 : seed / forms + 5 * of.rank, n);
  std::vector<int> send(index(from.extent * of.ranks), guard);
  std::vector<int> expected(index(to.extent * of.ranks + 4), guard);
  for (int other = 0; other < of.ranks; ++other) {
    for (int k = 0; k < n; ++k) {
      send[index(other * from.extent + from.place(k))] = sent(seed, of.rank, other, k);
      expected[index(other * to.extent + to.place(k))] = sent(seed, other, of.rank, k);
    }
  }
  std::vector<int> receive(expected.size(), guard);
  if (in_place) std::ranges::copy(send, receive.begin());
  const int code = MPI_Alltoall(in_place ? MPI_IN_PLACE : send.data(), from.count, from.type,
                                receive.data(), to.count, to.type, of.comm);
  require(code == MPI_SUCCESS, "MPI_Alltoall failed", seed);
  require(receive == expected, "MPI_Alltoall brought something else", seed);
  from.free();
  to.free();
}

void broadcast(const Group& of, int n, int seed) {
  const int root = seed % of.ranks;
  Form form = form_of(seed + of.rank, n);
  std::vector<int> expected(index(form.extent + 4), guard);
  for (int k = 0; k < n; ++k) expected[index(form.place(k))] = value(seed, root, k);
  std::vector<int> buffer(expected.size(), guard);
  if (of.rank == root) buffer = expected;
  const int code = MPI_Bcast(buffer.data(), form.count, form.type, root, of.comm);
  require(code == MPI_SUCCESS, "MPI_Bcast failed", seed);
  require(buffer == expected, "MPI_Bcast brought something else", seed);
  form.free();
}

/// Returns true if the elements have the same bits: 0 and -0 differ.
template <class Elements>
bool same_bits(const Elements& one, const Elements& other) {
  return std::ranges::equal(std::as_bytes(std::span(one)), std::as_bytes(std::span(other)));
}

/// Says how a reduction is called: with a root it is an MPI_Reduce, else an MPI_Allreduce.
struct Way {
  bool has_root;
  int root;
  bool in_place;
};

/// Combines n elements of a rank, the k-th of which is `element(rank, k)`.
template <class Element, class Make, class Combine>
void combine(const Group& of, int n, int seed, const Way& way, MPI_Datatype type, MPI_Op op,
             Make element, Combine both) {
  std::vector<Element> send(index(n));
  std::vector<Element> expected(index(n));
  for (int k = 0; k < n; ++k) {
    send[index(k)] = element(of.rank, k);
    Element result = element(0, k);
    for (int rank = 1; rank < of.ranks; ++rank) result = both(result, element(rank, k));
    expected[index(k)] = result;
  }
  const bool receives = !way.has_root || way.root == of.rank;
  const bool in_place = way.in_place && receives;
  std::vector<Element> receive = send;
  if (!in_place) std::memset(receive.data(), 0x5a, index(n) * sizeof(Element));
  const std::vector<Element> before = receive;
  const void* const from = in_place ? MPI_IN_PLACE : static_cast<const void*>(send.data());
  const int code = way.has_root ? MPI_Reduce(from, receive.data(), n, type, op, way.root, of.comm)
                                : MPI_Allreduce(from, receive.data(), n, type, op, of.comm);
  require(code == MPI_SUCCESS, way.has_root ? "MPI_Reduce failed" : "MPI_Allreduce failed", seed);
  const std::vector<Element>& right = receives ? expected : before;
  require(same_bits(receive, right),
          way.has_root ? "MPI_Reduce made something else" : "MPI_Allreduce made something else",
          seed);
}

struct Pair {
  int number;
  int place;
};

/// 2x2 matrices modulo 2^32: their product depends on the order.
struct Matrix {
  std::array<std::uint32_t, 4> cells;
};

Matrix product(const Matrix& a, const Matrix& b) {
  const auto& x = a.cells;
  const auto& y = b.cells;
  return {{x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2],
           x[2] * y[1] + x[3] * y[3]}};
}

void multiply(void* first, void* result, int* count, MPI_Datatype* /*type*/) {
  auto* const left = static_cast<Matrix*>(first);
  auto* const right = static_cast<Matrix*>(result);
  for (int i = 0; i < *count; ++i) right[i] = product(left[i], right[i]);
}

void multiply_matrices(const Group& of, int n, int seed, const Way& way) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(4, MPI_UINT32_T, &type);
  MPI_Type_commit(&type);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(multiply, 0, &op);
  const auto element = [seed](int rank, int k) {
    const auto at = static_cast<std::uint32_t>(value(seed, rank, k));
    return Matrix{{at, at / 3 + 1, at / 5, at / 7 + 2}};
  };
  combine<Matrix>(of, n, seed, way, type, op, element, product);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

/// Reductions that are exact whatever the order; doubles are small integers here, so that also
/// their sums are.
void reduce(const Group& of, int n, int seed, const Way& way) {
  const auto number = [seed](int rank, int k) { return value(seed, rank, k); };
  const auto small = [seed](int rank, int k) { return double(value(seed, rank, k) % 1000); };
  switch (seed / 3 % 7) {
    case 0:
      combine<int>(
          of, n, seed, way, MPI_INT, MPI_SUM, [&](int r, int k) { return number(r, k) / 64; },
          [](int a, int b) { return a + b; });
      break;
    case 1:
      combine<int>(of, n, seed, way, MPI_INT, MPI_BXOR, number, [](int a, int b) { return a ^ b; });
      break;
    case 2:
      combine<double>(of, n, seed, way, MPI_DOUBLE, MPI_MAX, small,
                      [](double a, double b) { return std::max(a, b); });
      break;
    case 3:
      combine<double>(of, n, seed, way, MPI_DOUBLE, MPI_SUM, small,
                      [](double a, double b) { return a + b; });
      break;
    case 4:
      combine<Pair>(
          of, n, seed, way, MPI_2INT, MPI_MINLOC,
          [&](int r, int k) {
            return Pair{number(r, k) % 3, r};
          },
          [](Pair a, Pair b) {
            if (a.number == b.number) return a.place < b.place ? a : b;
            return a.number < b.number ? a : b;
          });
      break;
    case 5:
      combine<unsigned char>(
          of, n, seed, way, MPI_BYTE, MPI_BOR,
          [&](int r, int k) { return static_cast<unsigned char>(1 << (number(r, k) % 8)); },
          [](unsigned char a, unsigned char b) { return static_cast<unsigned char>(a | b); });
      break;
    default:
      multiply_matrices(of, n, seed, way);
  }
}

constexpr std::array<int, 5> sizes{1, 17, 0, 1000, 20000};

void mix(MPI_Comm comm, int calls) {
  const Group of(comm);
  for (int i = 0; i < calls; ++i) {
    const int n = sizes[index(i / 4) % sizes.size()];
    const bool in_place = i % 5 == 1;
    switch (i % 4) {
      case 0:
        exchange(of, n, i, in_place);
        break;
      case 1:
        broadcast(of, n, i);
        break;
      case 2:
        // Each root is a kind of call; one of them has enough calls for an agreement.
        reduce(of, n, i, {true, i % 3 == 0 ? i % of.ranks : 0, in_place});
        break;
      default:
        reduce(of, n, i, {false, 0, in_place});
    }
  }
}

/// One kind of call, as programs that are worth it have.
void same(const std::string& name, int calls, int n) {
  const Group of(MPI_COMM_WORLD);
  for (int i = 0; i < calls; ++i) {
    if (name == "alltoall") exchange(of, n, 0, false);
    if (name == "bcast") broadcast(of, n, 0);
    if (name == "reduce") reduce(of, n, 0, {true, 0, false});
    if (name == "allreduce") reduce(of, n, 0, {false, 0, false});
  }
}

/// Two types of elements in turns, whose calls are of one kind: 64 bytes to be added.
void types(int calls) {
  const Group of(MPI_COMM_WORLD);
  const Way way{false, 0, false};
  for (int i = 0; i < calls; ++i) {
    const auto number = [i](int rank, int k) { return value(i, rank, k) / 64; };
    if (i % 2 == 0) {
      combine<int>(of, 16, i, way, MPI_INT, MPI_SUM, number, [](int a, int b) { return a + b; });
    } else {
      const auto wide = [&](int rank, int k) { return std::int64_t{number(rank, k)} << 20; };
      combine<std::int64_t>(of, 8, i, way, MPI_INT64_T, MPI_SUM, wide,
                            [](std::int64_t a, std::int64_t b) { return a + b; });
    }
  }
}

/// Sums that round: all ranks have the same bits.
void bits(int calls) {
  const Group of(MPI_COMM_WORLD);
  for (int i = 0; i < calls; ++i) {
    std::array<double, 37> own{};
    for (int k = 0; k < 37; ++k) own[index(k)] = 1.0 / (1 + value(i, of.rank, k));
    std::array<double, 37> sum{};
    MPI_Allreduce(own.data(), sum.data(), 37, MPI_DOUBLE, MPI_SUM, of.comm);
    std::array<double, 37> of_root = sum;
    PMPI_Bcast(of_root.data(), 37, MPI_DOUBLE, 0, of.comm);
    require(same_bits(sum, of_root), "ranks differ", i);
  }
}

/// Arguments that MPI does not allow have the class of error, and as many calls of the error
/// handler, that the MPI library's own functions give them.
void refused(int calls) {
  const CountsErrors counts;
  const MPI_Comm comm = counts.comm;
  const Group of(comm);
  std::array<double, 64> from{};
  std::array<double, 64> to{};
  const auto call = [&](int number, bool preloaded) {
    switch (number) {
      case 0:
        return (preloaded ? MPI_Allreduce : PMPI_Allreduce)(from.data(), to.data(), 1, MPI_DOUBLE,
                                                            MPI_BAND, comm);
      case 1:
        return (preloaded ? MPI_Bcast : PMPI_Bcast)(to.data(), 1, MPI_INT, of.ranks, comm);
      case 2:
        return (preloaded ? MPI_Reduce : PMPI_Reduce)(from.data(), to.data(), 1, MPI_INT, MPI_SUM,
                                                      -7, comm);
      case 3:
        return (preloaded ? MPI_Alltoall : PMPI_Alltoall)(from.data(), 1, MPI_INT, to.data(), 1,
                                                          MPI_DATATYPE_NULL, comm);
      default:
        return (preloaded ? MPI_Allreduce : PMPI_Allreduce)(from.data(), to.data(), 1, MPI_INT,
                                                            MPI_OP_NULL, comm);
    }
  };
  const std::array whats{"an operator of other elements", "a root that is no rank",
                         "a negative root", "no datatype", "no operator"};
  for (int i = 0; i < calls; ++i) {
    const int number = i % static_cast<int>(whats.size());
    CountsErrors::require_alike([&](bool preloaded) { return call(number, preloaded); },
                                whats[index(number)]);
    broadcast(of, 8, i);
    reduce(of, 8, i, {false, 0, false});
  }
}

/// An intercommunicator's calls move what the other group has.
void between_groups(int calls) {
  const TwoGroups groups;
  const Group of(groups.own);
  for (int i = 0; i < calls; ++i) {
    int sum = 0;
    MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, groups.bridge);
    int expected = 0;
    for (int r = 0; r < groups.others; ++r) expected += TwoGroups::other(r);
    require(sum == expected, "MPI_Allreduce between groups", i);
    const bool sends = world_rank % 2 == 0;
    int token = sends ? i : -1;
    const int root_of_senders = of.rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(&token, 1, MPI_INT, sends ? root_of_senders : 0, groups.bridge);
    require(token == i, "MPI_Bcast between groups", i);
    reduce(of, 3, i, {false, 0, false});
  }
}

/// Others on the same communicator are under way meanwhile.
void nonblocking(int calls) {
  const Group of(MPI_COMM_WORLD);
  for (int i = 0; i < calls; ++i) {
    int most = -1;
    int token = -1;
    std::array<MPI_Request, 3> requests{};
    const int next = (of.rank + 1) % of.ranks;
    MPI_Irecv(&token, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, of.comm, requests.data());
    MPI_Iallreduce(&of.rank, &most, 1, MPI_INT, MPI_MAX, of.comm, &requests[1]);
    exchange(of, 40, i, false);
    MPI_Isend(&i, 1, MPI_INT, next, i, of.comm, &requests[2]);
    broadcast(of, 40, i);
    reduce(of, 40, i, {true, i % of.ranks, false});
    MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
    require(token == i, "a message went astray", i);
    require(most == of.ranks - 1, "MPI_Iallreduce", i);
  }
}

/// Groups that overlap, some with one rank, whose communicators come and go.
void groups(int calls) {
  for (int parts = 1; parts <= 3; ++parts) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % parts, -world_rank, &part);
    mix(part, calls);
    reduce(Group(MPI_COMM_WORLD), 2, parts, {false, 0, false});
    MPI_Comm_free(&part);
  }
}

#if MPI_VERSION >= 4
void large_counts(int calls) {
  const Group of(MPI_COMM_WORLD);
  std::vector<int> own(index(of.ranks));
  std::vector<int> all(index(of.ranks));
  for (int i = 0; i < calls; ++i) {
    for (int r = 0; r < of.ranks; ++r) own[index(r)] = sent(i, of.rank, r, 0);
    MPI_Alltoall_c(own.data(), 1, MPI_INT, all.data(), 1, MPI_INT, of.comm);
    for (int r = 0; r < of.ranks; ++r) {
      require(all[index(r)] == sent(i, r, of.rank, 0), "MPI_Alltoall_c", i);
    }
    int token = of.rank == 0 ? i : -1;
    MPI_Bcast_c(&token, 1, MPI_INT, 0, of.comm);
    require(token == i, "MPI_Bcast_c", i);
    int sum = 0;
    MPI_Allreduce_c(&of.rank, &sum, 1, MPI_INT, MPI_SUM, of.comm);
    require(sum == of.ranks * (of.ranks - 1) / 2, "MPI_Allreduce_c", i);
    int most = -1;
    MPI_Reduce_c(&of.rank, &most, 1, MPI_INT, MPI_MAX, 0, of.comm);
    require(most == (of.rank == 0 ? of.ranks - 1 : -1), "MPI_Reduce_c", i);
  }
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const std::string scenario = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 40;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  if (scenario == "mix") mix(MPI_COMM_WORLD, number);
  if (scenario == "same") same(argv[3], number, std::atoi(argv[4]));
  if (scenario == "types") types(number);
  if (scenario == "bits") bits(number);
  if (scenario == "refused") refused(number);
  if (scenario == "between_groups") between_groups(number);
  if (scenario == "nonblocking") nonblocking(number);
  if (scenario == "groups") groups(number);
#if MPI_VERSION >= 4
  if (scenario == "large_counts") large_counts(number);
#endif
  MPI_Finalize();
  if (world_rank == 0) std::printf("all right\n");
  return 0;
}
