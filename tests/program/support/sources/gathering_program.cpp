// SPDX-License-Identifier: BSD-3-Clause
//
// Run by test_agstar.py under libagstar.so: `gathering_program SCENARIO [NUMBER [PARTS]]`. Gathers
// in all the ways that MPI allows, looks at every byte, and says "all right" on rank 0.
#include <mpi.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "communicators.h"
#include "forms.h"

namespace {

/// MPI_Allgather of n ints a rank; how they lie is another matter on each rank.
void gather(MPI_Comm comm, int n, int seed, bool in_place = false) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  Form from = make_form(seed + rank, n);
  Form to = make_form(seed / forms + 5 * rank, n);
  std::vector<int> send(static_cast<std::size_t>(from.extent), guard);
  for (int i = 0; i < n; ++i) send[static_cast<std::size_t>(from.place(i))] = value(seed, rank, i);
  std::vector<int> expected(static_cast<std::size_t>(to.extent * ranks + 4), guard);
  std::vector<int> receive = expected;
  for (int block = 0; block < ranks; ++block) {
    for (int i = 0; i < n; ++i) {
      const auto at = index(block * to.extent + to.place(i));
      expected[at] = value(seed, block, i);
      if (in_place && block == rank) receive[at] = expected[at];
    }
  }
  const int code = MPI_Allgather(in_place ? MPI_IN_PLACE : send.data(), from.count, from.type,
                                 receive.data(), to.count, to.type, comm);
  require(code == MPI_SUCCESS, "MPI_Allgather failed", seed);
  require(receive == expected, "MPI_Allgather gathered something else", seed);
  from.free();
  to.free();
}

/// MPI_Allgatherv, some blocks empty, in an order and with gaps that are other ones on each rank.
void gather_v(MPI_Comm comm, int largest, int seed, bool in_place = false) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<int> counts(p);
  for (int i = 0; i < ranks; ++i) {
    const int drawn = value(seed, i, 3) / 64 % (largest + 1);
    counts[static_cast<std::size_t>(i)] = (seed + i) % 5 == 0 ? 0 : drawn;
  }
  const int layout = (seed + rank) % 4;
  std::vector<int> places(p);
  // MPICH 4.0 does not look at the only place that one rank has.
  int end = layout == 3 && ranks > 1 ? 2 : 0;
  for (int i = 0; i < ranks; ++i) {
    const auto block = static_cast<std::size_t>(layout == 1 ? ranks - 1 - i : i);
    places[block] = end;
    end += counts[block] + (layout == 2 ? 1 : 0);
  }
  const int width = seed / 4 % 3 == rank % 3 ? 3 : 1;  // extent of an element, in ints
  MPI_Datatype type = MPI_INT;
  if (width > 1) {
    MPI_Type_create_resized(MPI_INT, 0, 4 * MPI_Aint{width}, &type);
    MPI_Type_commit(&type);
  }
  std::vector<int> expected(static_cast<std::size_t>(width * (end + 2)), guard);
  std::vector<int> receive = expected;
  for (int block = 0; block < ranks; ++block) {
    const auto b = static_cast<std::size_t>(block);
    for (int i = 0; i < counts[b]; ++i) {
      const auto at = index((places[b] + i) * width);
      expected[at] = value(seed, block, i);
      if (in_place && block == rank) receive[at] = expected[at];
    }
  }
  const int own = counts[static_cast<std::size_t>(rank)];
  std::vector<int> send(static_cast<std::size_t>(own));
  for (int i = 0; i < own; ++i) send[static_cast<std::size_t>(i)] = value(seed, rank, i);
  const int code = MPI_Allgatherv(in_place ? MPI_IN_PLACE : send.data(), own, MPI_INT,
                                  receive.data(), counts.data(), places.data(), type, comm);
  require(code == MPI_SUCCESS, "MPI_Allgatherv failed", seed);
  require(receive == expected, "MPI_Allgatherv gathered something else", seed);
  if (width > 1) MPI_Type_free(&type);
}

/// MPI_Allgatherv. Two ranks exchange their counts now and then: nothing else changes for others.
void exchanged(int calls) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto p = static_cast<std::size_t>(ranks);
  for (int i = 0; i < calls; ++i) {
    std::vector<int> counts(p, 4);
    counts[i / 3 % 2 == 0 ? p - 1 : p - 2] = 9;
    std::vector<int> places(p);
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    const std::size_t all = index(places.back() + counts.back());
    std::vector<int> expected;
    for (int r = 0; r < ranks; ++r) {
      for (int k = 0; k < counts[index(r)]; ++k) expected.push_back(value(i, r, k));
    }
    std::vector<int> send;
    const int own = counts[index(world_rank)];
    for (int k = 0; k < own; ++k) send.push_back(value(i, world_rank, k));
    std::vector<int> receive(all, guard);
    MPI_Allgatherv(send.data(), own, MPI_INT, receive.data(), counts.data(), places.data(), MPI_INT,
                   MPI_COMM_WORLD);
    require(receive == expected, "MPI_Allgatherv after others exchanged their counts", i);
  }
}

constexpr std::array<int, 12> sizes{1, 3, 17, 64, 100, 1000, 5, 7, 9, 11, 4097, 20000};

/// A block of n ints from their absolute addresses on; elements follow each other as blocks do.
MPI_Datatype at_address(const int* first, int n) {
  MPI_Aint address = 0;
  MPI_Get_address(first, &address);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(1, &n, &address, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

/// Buffers that are MPI_BOTTOM, on some ranks to send from, on others to receive into, or both.
void absolute(int calls) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < calls; ++i) {
    const int n = sizes[static_cast<std::size_t>(i / 4) % sizes.size()];
    const bool to_bottom = (i + world_rank) % 2 == 0;
    const bool from_bottom = (i / 2 + world_rank) % 2 == 0;
    std::vector<int> send(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k) send[static_cast<std::size_t>(k)] = value(i, world_rank, k);
    std::vector<int> receive(static_cast<std::size_t>(n * ranks), guard);
    MPI_Datatype from = at_address(send.data(), n);
    MPI_Datatype to = at_address(receive.data(), n);
    const std::vector<int> counts(static_cast<std::size_t>(ranks), to_bottom ? 1 : n);
    std::vector<int> places(counts.size());
    for (int r = 0; r < ranks; ++r) {
      places[static_cast<std::size_t>(r)] = r * (to_bottom ? 1 : n);
    }
    const void* const send_at = from_bottom ? MPI_BOTTOM : send.data();
    void* const receive_at = to_bottom ? MPI_BOTTOM : receive.data();
    const int sent = from_bottom ? 1 : n;
    if (i % 3 == 0) {
      MPI_Allgatherv(send_at, sent, from_bottom ? from : MPI_INT, receive_at, counts.data(),
                     places.data(), to_bottom ? to : MPI_INT, MPI_COMM_WORLD);
    } else {
      MPI_Allgather(send_at, sent, from_bottom ? from : MPI_INT, receive_at, counts[0],
                    to_bottom ? to : MPI_INT, MPI_COMM_WORLD);
    }
    for (int r = 0; r < ranks; ++r) {
      for (int k = 0; k < n; ++k) {
        require(receive[index(r * n + k)] == value(i, r, k), "MPI_BOTTOM", i);
      }
    }
    MPI_Type_free(&from);
    MPI_Type_free(&to);
  }
}

void mix(MPI_Comm comm, int calls) {
  for (int i = 0; i < calls; ++i) {
    const int n = sizes[static_cast<std::size_t>(i) / 3 % sizes.size()];
    if (i % 3 == 2) {
      gather_v(comm, n, i, i % 4 == 1);
    } else {
      gather(comm, n, i, i % 5 == 1);
    }
  }
}

/// One size, as programs that are worth it have.
void same(int calls, int n) {
  for (int i = 0; i < calls; ++i) gather(MPI_COMM_WORLD, n, 0);
}

/// No file may grow any more: a preloaded library has files of its own. MPICH 5 has one, too, which
/// it makes in memory after some all-reduces, and ends the program if it cannot.
void no_file_grows(int calls) {
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
    MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 0;
  setrlimit(RLIMIT_FSIZE, &limit);
  same(calls, 20000);
}

/// Rank 0 comes half a second late to every call.
void late(int calls) {
  for (int i = 0; i < calls; ++i) {
    if (world_rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
    gather(MPI_COMM_WORLD, 20000, 0);
  }
}

/// Groups that overlap, some with one rank.
void groups(int calls) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int parts = 1; parts <= 3; ++parts) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % parts, -world_rank, &part);
    mix(part, calls);
    gather(MPI_COMM_WORLD, 2, parts);
    MPI_Comm_free(&part);
  }
}

/// Communicators that come and go.
void short_lived(int count) {
  for (int i = 0; i < count; ++i) {
    MPI_Comm made = MPI_COMM_NULL;
    if (i % 2 == 0) {
      MPI_Comm_dup(MPI_COMM_WORLD, &made);
    } else {
      MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &made);
    }
    gather(made, 3, i);
    if (i % 8 == 0) gather_v(made, 9, i);
    MPI_Comm_free(&made);
  }
}

/// Gathers on duplicates that are made one after the other: 30 times on the first one, and `later`
/// times on each of the others.
void duplicates(int count, int later) {
  for (int i = 0; i < count; ++i) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    for (int call = 0; call < (i == 0 ? 30 : later); ++call) gather(made, 20000, call);
    MPI_Comm_free(&made);
  }
}

/// More communicators at a time than there may be of the library's own, of each part of the ranks.
void long_lived(int count, int parts) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % parts, world_rank, &part);
  std::vector<MPI_Comm> comms(static_cast<std::size_t>(count));
  for (MPI_Comm& comm : comms) MPI_Comm_dup(part, &comm);
  MPI_Comm_free(&part);
  for (int round = 0; round < 3; ++round) {
    for (const MPI_Comm comm : comms) gather(comm, 5, round);
  }
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  gather(MPI_COMM_WORLD, 5, 1);
}

/// Others on the same communicator are under way meanwhile.
void nonblocking(int calls) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < calls; ++i) {
    std::array<int, 3> own{world_rank, i, 5};
    std::vector<int> all(static_cast<std::size_t>(3 * ranks));
    int token = -1;
    std::array<MPI_Request, 3> requests{};
    const int next = (world_rank + 1) % ranks;
    MPI_Irecv(&token, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests.data());
    MPI_Iallgather(own.data(), 3, MPI_INT, all.data(), 3, MPI_INT, MPI_COMM_WORLD, &requests[1]);
    gather(MPI_COMM_WORLD, 40, i);
    MPI_Isend(&i, 1, MPI_INT, next, i, MPI_COMM_WORLD, &requests[2]);
    gather_v(MPI_COMM_WORLD, 40, i);
    MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
    require(token == i, "a message went astray", i);
    for (int r = 0; r < ranks; ++r) {
      const auto at = index(3 * r);
      require(all[at] == r && all[at + 1] == i && all[at + 2] == 5, "MPI_Iallgather", i);
    }
  }
}

/// Each thread has communicators of its own, which come and go.
void threads(int calls) {
  std::array<MPI_Comm, 2> comms{};
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> workers;
  for (const MPI_Comm comm : comms) {
    workers.emplace_back([comm, calls] {
      mix(comm, calls);
      for (int i = 0; i < 3; ++i) {
        MPI_Comm made = MPI_COMM_NULL;
        MPI_Comm_dup(comm, &made);
        mix(made, calls / 8);
        MPI_Comm_free(&made);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

/// Calls that MPI refuses return, on all ranks alike, and those after them work.
void errors(int calls) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::array<int, 64> bytes{};
  for (int i = 0; i < calls; ++i) {
    gather(comm, 8, i);
    const int negative =
        MPI_Allgather(bytes.data(), -1, MPI_INT, bytes.data() + 32, -1, MPI_INT, comm);
    require(negative != MPI_SUCCESS, "a negative count was accepted", i);
    const int no_type =
        MPI_Allgather(bytes.data(), 1, MPI_INT, bytes.data() + 32, 1, MPI_DATATYPE_NULL, comm);
    require(no_type != MPI_SUCCESS, "MPI_DATATYPE_NULL was accepted", i);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comm, &handler);
    require(handler == MPI_ERRORS_RETURN, "the error handler is another one", i);
  }
  MPI_Comm_free(&comm);
}

/// Arguments that MPI does not allow have the class of error, and as many calls of the error
/// handler, that the MPI library's own function gives them, which no preloaded one stands before.
void refused(int calls) {
  const CountsErrors counts;
  std::array<int, 64> from{};
  std::array<int, 64> to{};
  int* const own = to.data() + world_rank;
  struct Case {
    const char* what;
    const void* send;
    int sends;
    MPI_Datatype send_type;
    void* receive;
    int receives;
    MPI_Datatype receive_type;
  };
  const std::vector<Case> cases{
      {"a negative count", from.data(), -1, MPI_INT, to.data(), 1, MPI_INT},
      {"no datatype", from.data(), 1, MPI_INT, to.data(), 1, MPI_DATATYPE_NULL},
      {"no datatype to send", from.data(), 1, MPI_DATATYPE_NULL, to.data(), 1, MPI_INT},
      {"in place on the wrong side", from.data(), 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT},
      {"the place of the own block", own, 1, MPI_INT, to.data(), 1, MPI_INT},
#ifdef MPICH_VERSION  // others move bytes from or to address 0
      {"no buffer", from.data(), 1, MPI_INT, nullptr, 1, MPI_INT},
      {"no buffer to send", nullptr, 1, MPI_INT, to.data(), 1, MPI_INT},
#endif
  };
  for (int i = 0; i < calls; ++i) {
    const Case& each = cases[static_cast<std::size_t>(i) % cases.size()];
    CountsErrors::require_alike(
        [&](bool preloaded) {
          return (preloaded ? MPI_Allgather : PMPI_Allgather)(each.send, each.sends, each.send_type,
                                                              each.receive, each.receives,
                                                              each.receive_type, counts.comm);
        },
        each.what);
    gather(counts.comm, 8, i);
  }
}

/// An intercommunicator's all-gather brings the other group's blocks.
void between_groups(int calls) {
  const TwoGroups groups;
  for (int i = 0; i < calls; ++i) {
    std::vector<int> all(static_cast<std::size_t>(groups.others));
    MPI_Allgather(&world_rank, 1, MPI_INT, all.data(), 1, MPI_INT, groups.bridge);
    for (int r = 0; r < groups.others; ++r) {
      require(all[index(r)] == TwoGroups::other(r), "an intercommunicator", i);
    }
    gather(groups.own, 3, i);
  }
}

/// Attributes of the program's are its own.
void attributes(int calls) {
  static int copies = 0;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(
      [](MPI_Comm, int, void*, void*, void*, int* flag) -> int {
        ++copies;
        *flag = 1;
        return MPI_SUCCESS;
      },
      MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_attr(comm, key, &copies);
  mix(comm, calls);
  require(copies == 0, "an attribute was copied");
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&key);
}

/// A call while MPI_Finalize has begun.
void at_the_end(int calls) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(
      MPI_COMM_NULL_COPY_FN,
      [](MPI_Comm comm, int, void*, void*) -> int {
        int own = 4;
        int all = 0;
        MPI_Allgather(&own, 1, MPI_INT, &all, 1, MPI_INT, comm);
        require(all == 4, "a call at the end");
        return MPI_SUCCESS;
      },
      &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
  mix(MPI_COMM_WORLD, calls);
}

/// More bytes than int counts, in blocks and altogether; and the own block from another type.
void large() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr int element = 1 << 20;
  constexpr int count = 2049;
  constexpr std::int64_t block = std::int64_t{element} * count;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(element, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  std::vector<char> all(static_cast<std::size_t>(block * ranks), 'x');
  for (int call = 0; call < 3; ++call) {
    std::fill_n(all.begin() + world_rank * block, block,
                static_cast<char>('a' + world_rank + call));
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, type, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r) {
      const auto first = all.begin() + r * block;
      require(std::count(first, first + block, static_cast<char>('a' + r + call)) == block,
              "more than 2^31 bytes", call);
    }
  }
  MPI_Type_free(&type);
}

#if MPI_VERSION >= 4
/// The functions with large counts, and a communicator of a session beside the world.
void large_counts(int calls) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < calls; ++i) {
    const std::array<int, 2> own{world_rank, i};
    std::vector<int> all(static_cast<std::size_t>(2 * ranks));
    MPI_Allgather_c(own.data(), 2, MPI_INT, all.data(), 2, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> again(all.size());
    const std::vector<MPI_Count> counts(static_cast<std::size_t>(ranks), 2);
    std::vector<MPI_Aint> places(static_cast<std::size_t>(ranks));
    for (int r = 0; r < ranks; ++r) places[static_cast<std::size_t>(r)] = 2 * (ranks - 1 - r);
    MPI_Allgatherv_c(own.data(), 2, MPI_INT, again.data(), counts.data(), places.data(), MPI_INT,
                     MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r) {
      const auto at = static_cast<std::size_t>(2 * r);
      const auto mirrored = static_cast<std::size_t>(2 * (ranks - 1 - r));
      require(all[at] == r && all[at + 1] == i, "MPI_Allgather_c", i);
      require(again[mirrored] == r && again[mirrored + 1] == i, "MPI_Allgatherv_c", i);
    }
  }
}

void session(int calls) {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create_from_group(group, "gathering", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  mix(comm, calls);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const std::string scenario = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 40;
#if MPI_VERSION >= 4
  if (scenario == "only_session") {
    session(number);
    std::printf("all right\n");
    return 0;
  }
#endif
  int provided = MPI_THREAD_SINGLE;
  const bool several = scenario == "threads";
  MPI_Init_thread(&argc, &argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  if (several && provided < MPI_THREAD_MULTIPLE) {
    if (world_rank == 0) std::printf("no threads\n");
    MPI_Finalize();
    return 0;
  }
  if (scenario == "mix") mix(MPI_COMM_WORLD, number);
  if (scenario == "exchanged") exchanged(number);
  if (scenario == "same") same(number, 20000);
  if (scenario == "short") same(number, 1);
  if (scenario == "slots") same(number, 250);
  if (scenario == "no_file_grows") no_file_grows(number);
  if (scenario == "late") late(number);
  if (scenario == "groups") groups(number);
  if (scenario == "short_lived") short_lived(number);
  if (scenario == "duplicates") duplicates(number, argc > 3 ? std::atoi(argv[3]) : 30);
  if (scenario == "long_lived") long_lived(number, argc > 3 ? std::atoi(argv[3]) : 1);
  if (scenario == "nonblocking") nonblocking(number);
  if (scenario == "threads") threads(number);
  if (scenario == "errors") errors(number);
  if (scenario == "refused") refused(number);
  if (scenario == "between_groups") between_groups(number);
  if (scenario == "attributes") attributes(number);
  if (scenario == "at_the_end") at_the_end(number);
  if (scenario == "large") large();
  if (scenario == "absolute") absolute(number);
#if MPI_VERSION >= 4
  if (scenario == "large_counts") large_counts(number);
  if (scenario == "session") session(number);
#endif
  if (scenario == "abort") {
    mix(MPI_COMM_WORLD, number);
    MPI_Abort(MPI_COMM_WORLD, 3);
    std::_Exit(3);  // MPICH 5's MPI_Abort may return
  }
  MPI_Finalize();
  if (world_rank == 0) std::printf("all right\n");
  return 0;
}
