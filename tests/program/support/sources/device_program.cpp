// SPDX-License-Identifier: BSD-3-Clause
//
// Run by test_agstar_devices.py under libagstar.so:
// `device_program DRIVER WHERE FORMS BEFORE CALLS [COLLECTIVE]`. Makes BEFORE rounds of calls with
// buffers on the host, then loads the driver (`cuda`, `hip`, `managed`), and makes CALLS rounds
// with buffers in its device on all ranks, on the others than rank 0, or on no rank (WHERE: `all`,
// `others`, `none`). A round is a call of each of the six collectives, or of that one. With FORMS
// `plain` blocks have no gaps, and no all-to-all is in place. It looks at every byte, and says
// "all right" on rank 0.
#include <dlfcn.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "forms.h"

namespace {

/// The functions of a driver, which the program loads itself.
struct Driver {
  explicit Driver(const std::string& of)
      : is_hip(of == "hip"),
        is_managed(of == "managed"),
        library(dlopen(is_hip ? "libamdhip64.so.6" : "libcuda.so.1", RTLD_NOW)) {
    require(library != nullptr, "no driver");
    // Another thread's context would not be this one's: who copies here has to take its own.
    if (!is_hip) call<int(void*)>("cuCtxSetCurrent", nullptr);
  }

  template <typename Signature, typename... Arguments>
  void call(const char* name, Arguments... arguments) const {
    auto* const function = reinterpret_cast<Signature*>(dlsym(library, name));
    require(function != nullptr && function(arguments...) == 0, name);
  }
  void* allocate(std::size_t bytes) const {
    void* place = nullptr;
    if (is_managed) {
      call<int(void**, std::size_t, unsigned)>("cuMemAllocManaged", &place, bytes, 1U);
    } else {
      call<int(void**, std::size_t)>(is_hip ? "hipMalloc" : "cuMemAlloc_v2", &place, bytes);
    }
    return place;
  }
  void free(void* place) const { call<int(void*)>(is_hip ? "hipFree" : "cuMemFree_v2", place); }
  void copy(void* to, const void* from, std::size_t bytes) const {
    if (is_hip) {
      call<int(void*, const void*, std::size_t, int, void*)>("hipMemcpyAsync", to, from, bytes, 4,
                                                             nullptr);
      call<int(void*)>("hipStreamSynchronize", nullptr);
      return;
    }
    void* context = nullptr;
    call<int(void**, int)>("cuDevicePrimaryCtxRetain", &context, 0);
    call<int(void*)>("cuCtxSetCurrent", context);
    call<int(void*, const void*, std::size_t, void*)>("cuMemcpyAsync", to, from, bytes, nullptr);
    call<int(void*)>("cuStreamSynchronize", nullptr);
    call<int(void*)>("cuCtxSetCurrent", nullptr);
  }

  bool is_hip;
  bool is_managed;
  void* library;
};

/// Ints on the host, or where a driver has them.
class Buffer {
 public:
  Buffer(const Driver* driver, std::vector<int> ints) : ints_(std::move(ints)), driver_(driver) {
    if (driver_ == nullptr) return;
    there_ = driver_->allocate(bytes());
    driver_->copy(there_, ints_.data(), bytes());
  }
  ~Buffer() {
    if (there_ != nullptr) driver_->free(there_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() { return there_ == nullptr ? ints_.data() : there_; }
  const std::vector<int>& content() {
    if (there_ != nullptr) driver_->copy(ints_.data(), there_, bytes());
    return ints_;
  }

 private:
  std::size_t bytes() const { return ints_.size() * sizeof(int); }

  std::vector<int> ints_;
  const Driver* driver_;
  void* there_ = nullptr;
};

/// One round's settings. In some calls without a root one of the two buffers is on the host.
struct Round {
  int seed;
  bool plain;
  const Driver* driver;

  const Driver* of_send() const { return seed % 4 == 1 ? nullptr : driver; }
  const Driver* of_receive() const { return seed % 4 == 2 ? nullptr : driver; }
  bool in_place() const { return seed % 3 == 2; }
  Form form(int kind, int n) const { return make_form(plain ? (kind % 2 == 0 ? 0 : 5) : kind, n); }
};

constexpr int n = 700;

int ranks = 0;

std::vector<int> guards(int size) { return std::vector<int>(index(size), guard); }

void compare(Buffer& found, const std::vector<int>& expected, const char* what, int seed) {
  require(found.content() == expected, what, seed);
}

void gather(const Round& round) {
  const bool in_place = round.in_place();
  Form from = round.form(round.seed + world_rank, n);
  Form to = round.form(round.seed / forms + world_rank, n);
  std::vector<int> own = guards(from.extent + 4);
  std::vector<int> expected = guards(to.extent * ranks + 4);
  std::vector<int> before = expected;
  for (int k = 0; k < n; ++k) own[index(from.place(k))] = value(round.seed, world_rank, k);
  for (int rank = 0; rank < ranks; ++rank) {
    for (int k = 0; k < n; ++k) {
      const std::size_t place = index(rank * to.extent + to.place(k));
      expected[place] = value(round.seed, rank, k);
      if (in_place && rank == world_rank) before[place] = expected[place];
    }
  }
  Buffer send(round.of_send(), own);
  Buffer receive(round.of_receive(), before);
  MPI_Allgather(in_place ? MPI_IN_PLACE : send.data(), from.count, from.type, receive.data(),
                to.count, to.type, MPI_COMM_WORLD);
  compare(receive, expected, "MPI_Allgather", round.seed);
  from.free();
  to.free();
}

/// Blocks of unequal sizes, with gaps between them.
void gather_unequal(const Round& round) {
  std::vector<int> counts;
  std::vector<int> places;
  int end = 5;
  for (int rank = 0; rank < ranks; ++rank) {
    counts.push_back(rank == 1 ? 0 : n + rank);
    places.push_back(end);
    end += counts.back() + 3 * (round.seed % 2);
  }
  const int mine = counts[index(world_rank)];
  std::vector<int> own = guards(mine + 4);
  std::vector<int> expected = guards(end + 4);
  std::vector<int> before = expected;
  for (int k = 0; k < mine; ++k) own[index(k)] = value(round.seed, world_rank, k);
  for (int rank = 0; rank < ranks; ++rank) {
    for (int k = 0; k < counts[index(rank)]; ++k) {
      const std::size_t place = index(places[index(rank)] + k);
      expected[place] = value(round.seed, rank, k);
      if (round.in_place() && rank == world_rank) before[place] = expected[place];
    }
  }
  Buffer send(round.of_send(), own);
  Buffer receive(round.of_receive(), before);
  MPI_Allgatherv(round.in_place() ? MPI_IN_PLACE : send.data(), mine, MPI_INT, receive.data(),
                 counts.data(), places.data(), MPI_INT, MPI_COMM_WORLD);
  compare(receive, expected, "MPI_Allgatherv", round.seed);
}

void exchange(const Round& round) {
  const bool in_place = round.in_place() && !round.plain;
  Form from = in_place ? make_form(0, n) : round.form(round.seed + world_rank, n);
  Form to = in_place ? make_form(0, n) : round.form(round.seed / forms + world_rank, n);
  std::vector<int> own = guards(from.extent * ranks + 4);
  std::vector<int> expected = guards(to.extent * ranks + 4);
  for (int other = 0; other < ranks; ++other) {
    for (int k = 0; k < n; ++k) {
      own[index(other * from.extent + from.place(k))] = value(round.seed + other, world_rank, k);
      expected[index(other * to.extent + to.place(k))] = value(round.seed + world_rank, other, k);
    }
  }
  Buffer send(round.of_send(), own);
  Buffer receive(round.of_receive(), in_place ? own : guards(to.extent * ranks + 4));
  MPI_Alltoall(in_place ? MPI_IN_PLACE : send.data(), from.count, from.type, receive.data(),
               to.count, to.type, MPI_COMM_WORLD);
  compare(receive, expected, "MPI_Alltoall", round.seed);
  from.free();
  to.free();
}

void broadcast(const Round& round) {
  const int root = round.seed % ranks;
  Form form = round.form(round.seed + world_rank, n);
  std::vector<int> expected = guards(form.extent + 4);
  for (int k = 0; k < n; ++k) expected[index(form.place(k))] = value(round.seed, root, k);
  Buffer buffer(round.driver, world_rank == root ? expected : guards(form.extent + 4));
  MPI_Bcast(buffer.data(), form.count, form.type, root, MPI_COMM_WORLD);
  compare(buffer, expected, "MPI_Bcast", round.seed);
  form.free();
}

/// Calls MPI_Reduce, or MPI_Allreduce if the root is -1.
void reduce(const Round& round, int root) {
  const bool receives = root < 0 || root == world_rank;
  const bool in_place = round.in_place() && receives;
  std::vector<int> own = guards(n);
  std::vector<int> expected(index(n), 0);
  for (int k = 0; k < n; ++k) {
    own[index(k)] = value(round.seed, world_rank, k);
    for (int rank = 0; rank < ranks; ++rank) expected[index(k)] ^= value(round.seed, rank, k);
  }
  if (!receives) expected = guards(n);
  Buffer send(root < 0 ? round.of_send() : round.driver, own);
  Buffer receive(root < 0 ? round.of_receive() : round.driver, in_place ? own : guards(n));
  const void* const from = in_place ? MPI_IN_PLACE : send.data();
  if (root < 0) {
    MPI_Allreduce(from, receive.data(), n, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
  } else {
    MPI_Reduce(from, receive.data(), n, MPI_INT, MPI_BXOR, root, MPI_COMM_WORLD);
  }
  compare(receive, expected, root < 0 ? "MPI_Allreduce" : "MPI_Reduce", round.seed);
}

void call(const std::string& asked, const Round& round) {
  const auto is_asked = [&](const char* name) { return asked.empty() || asked == name; };
  if (is_asked("allgather")) gather(round);
  if (is_asked("allgatherv")) gather_unequal(round);
  if (is_asked("alltoall")) exchange(round);
  if (is_asked("bcast")) broadcast(round);
  if (is_asked("reduce")) reduce(round, round.seed % ranks);
  if (is_asked("allreduce")) reduce(round, -1);
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  require(count == 6 || count == 7, "wrong arguments");
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string where = arguments[2];
  const bool plain = std::string(arguments[3]) == "plain";
  const std::string asked = count == 7 ? arguments[6] : "";
  const int before = std::atoi(arguments[4]);
  const int all = before + std::atoi(arguments[5]);
  for (int seed = 0; seed < before; ++seed) call(asked, {seed, plain, nullptr});
  const Driver driver(arguments[1]);
  const bool is_here = where == "all" || (where == "others" && world_rank != 0);
  for (int seed = before; seed < all; ++seed) {
    call(asked, {seed, plain, is_here ? &driver : nullptr});
  }
  // Whoever asked the driver about memory of the host left no error behind.
  if (driver.is_hip) driver.call<int()>("hipGetLastError");
  if (world_rank == 0) std::puts("all right");
  MPI_Finalize();
  return 0;
}
