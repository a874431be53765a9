// SPDX-License-Identifier: BSD-3-Clause
//
// The all-gathers that predict arrivals move every byte, whatever the predictions: right ones,
// wrong ones, none; and an error in the helper thread is an exception in the main one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "algorithms/cost/exit_times.h"
#include "bench/measure/checked_buffers.h"
#include "distributions/block_sizes.h"
#include "runtime/mpi/arrival_aware/arrival_aware.h"
#include "runtime/mpi/buffers.h"
#include "runtime/mpi/handles.h"
#include "tests/schedule_of.h"

namespace {

// Stands between the program and the MPI library: fails when it is told to.
thread_local bool is_main_thread = false;
std::atomic<bool> fails_in_helper{false};
std::atomic<int> failures{0};
std::atomic<int> thread_level{-1};  // as the library has it

}  // namespace

extern "C" int MPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type,
                              void* receive, int receive_count, MPI_Datatype receive_type,
                              MPI_Comm comm, MPI_Request* request) {
  if (fails_in_helper && !is_main_thread) {
    ++failures;
    return MPI_ERR_INTERN;
  }
  return PMPI_Iallgather(send, send_count, send_type, receive, receive_count, receive_type, comm,
                         request);
}

extern "C" int MPI_Query_thread(int* provided) {
  const int code = PMPI_Query_thread(provided);
  if (thread_level >= 0) *provided = thread_level;
  return code;
}

namespace gatherbench::mpi {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;

/// An all-gather of one layout, each call checked.
class Checked {
 public:
  Checked(const algorithms::Choice& choice, const Layout& layout, bool in_place,
          const ArrivalAwareSettings& settings = {.exits_us = cost::exit_times_of_messages()})
      : layout_(layout),
        rank_(comm_.rank()),
        send_(layout.bytes(rank_)),
        receive_(layout.total() + bench::guard_bytes),
        send_pointer_(in_place                  ? nullptr
                      : send_.data() != nullptr ? send_.data()
                                                : &none_),
        buffers_(collectives::allgather, rank_, comm_.size(), layout_, send_pointer_,
                 receive_.data()),
        gather_(choice, layout_, send_pointer_, receive_.data(), comm_.get(), settings) {
    is_main_thread = true;
  }

  ArrivalAware& gather() { return gather_; }
  [[nodiscard]] int rank() const { return rank_; }
  void poison() { buffers_.poison(); }
  std::string fault() { return bench::first_text(buffers_.fault(), comm_.get()); }

  /// A call in which this rank computes for so long and says so, or something else.
  void call(microseconds computes, double says, bool has_edge = true) {
    buffers_.poison();
    gather_.processing_start();
    std::this_thread::sleep_for(computes / 2);
    if (has_edge) gather_.edge(says);
    std::this_thread::sleep_for(computes / 2);
    gather_.processing_end();
    gather_.run();
  }

 private:
  Communicator comm_ = Communicator::duplicate(MPI_COMM_WORLD);
  Layout layout_;
  int rank_;
  Buffer send_;
  Buffer receive_;
  std::byte none_{};
  std::byte* send_pointer_;
  bench::CheckedBuffers buffers_;
  ArrivalAware gather_;
};

int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// MPICH spins in every call and never gives its processor up: beyond a few ranks the helper threads
// of a small machine do not get to run.
#ifdef MPICH_VERSION
constexpr int max_ranks = 4;
#else
constexpr int max_ranks = 1024;
#endif

bool has_threads() { return why_no_helper_thread().empty() && world_size() <= max_ranks; }

Layout make_layout(const std::string& distribution, std::int64_t bytes) {
  const auto parsed = distributions::parse_distributions("-d", distribution, {});
  return Layout(distributions::block_sizes(parsed.front(), world_size(), bytes));
}

/// The same on every rank: how long each computes.
class Delays {
 public:
  explicit Delays(int max_us) : max_us_(max_us) {}
  microseconds next(int rank) {
    std::vector<int> all;
    for (int each = 0; each < world_size(); ++each) {
      all.push_back(static_cast<int>(random_() % static_cast<unsigned>(max_us_)));
    }
    return microseconds(all[static_cast<std::size_t>(rank)]);
  }

 private:
  std::mt19937 random_{1};
  int max_us_;
};

// The last two choose clairvoyant, and Bruck until ranks are late.
constexpr const char* algorithms[] = {"bdr:tau=300us",
                                      "bslb",
                                      "bslb:head=7",
                                      "clairvoyant:tau=300us",
                                      "clairvoyant:segments=1:tau=300us",
                                      "arrival_rings:tau=300us",
                                      "portfolio:tau=300us:alpha=1us",
                                      "portfolio:tau=300us:alpha=290us"};

TEST(ArrivalAware, MovesEveryDistribution) {
  if (!has_threads()) GTEST_SKIP();
  for (const char* const algorithm : algorithms) {
    for (const distributions::NamedDistribution& distribution :
         distributions::named_distributions()) {
      Delays delays(4000);
      // Eager messages, and ones that need both sides.
      for (const std::int64_t bytes : {13, 20000}) {
        Checked checked(choice(algorithm), make_layout(std::string(distribution.name), bytes),
                        bytes == 13);
        for (int call = 0; call < 3; ++call) {  // another pattern in each
          checked.call(delays.next(checked.rank()), 0.5);
          ASSERT_EQ(checked.fault(), "") << algorithm << " " << distribution.name << " " << bytes;
        }
      }
    }
  }
}

TEST(ArrivalAware, WrongPredictionsCostNoByte) {
  if (!has_threads()) GTEST_SKIP();
  for (const char* const algorithm : algorithms) {
    Checked checked(choice(algorithm), make_layout("regular", 5000), false);
    const int last = world_size() - 1;
    for (const int late : {0, last / 2, last}) {
      // The rank that is late says that it is almost there, and the others, which are there, that
      // they are not.
      const bool is_late = checked.rank() == late;
      checked.call(is_late ? microseconds(8000) : microseconds(1000), is_late ? 1 : 0.01);
      ASSERT_EQ(checked.fault(), "") << algorithm << " " << late;
      EXPECT_TRUE(checked.gather().last().was_predicted);
      if (is_late) {
        EXPECT_LT(checked.gather().last().error_us, -3000);
      } else {
        EXPECT_GT(checked.gather().last().error_us, 3000);
      }
    }
  }
}

TEST(ArrivalAware, NeedsNoEdge) {
  if (!has_threads()) GTEST_SKIP();
  for (const char* const algorithm : algorithms) {
    Checked checked(choice(algorithm), make_layout("linear", 3000), false);
    Delays delays(3000);
    for (int call = 0; call < 4; ++call) {
      // The ranks with an edge: none of them, all but one, one of them; and then nothing at all but
      // run.
      const bool has_edge = call == 1 ? checked.rank() != 0 : call == 2 && checked.rank() == 0;
      if (call < 3) {
        checked.call(delays.next(checked.rank()), 0.5, has_edge);
      } else {
        checked.poison();
        checked.gather().run();
      }
      ASSERT_EQ(checked.fault(), "") << algorithm << " " << call;
      EXPECT_EQ(checked.gather().last().was_predicted, has_edge);
    }
  }
}

TEST(ArrivalAware, OnlyTheFirstEdgeCounts) {
  if (!has_threads()) GTEST_SKIP();
  Checked checked(choice("bdr:tau=300us"), make_layout("regular", 100), false);
  checked.poison();
  checked.gather().processing_start();
  for (int percent = 10; percent <= 100; percent += 10) {
    std::this_thread::sleep_for(microseconds(500));
    checked.gather().edge(percent / 100.0);
  }
  checked.gather().run();  // without processing_end
  EXPECT_EQ(checked.fault(), "");
  EXPECT_THROW(checked.gather().edge(0), std::invalid_argument);
  EXPECT_THROW(checked.gather().edge(1.5), std::invalid_argument);
}

TEST(ArrivalAware, ItsHelperThreadSendsMessages) {
  EXPECT_THROW(Checked(choice("bdr:via=window"), make_layout("regular", 100), false),
               std::invalid_argument);
}

// A rank that comes late has all that the early ones could send by then.
TEST(ArrivalAware, ReceivesWhileItComputes) {
  if (!has_threads() || world_size() == 1) GTEST_SKIP();
  const std::int64_t bytes = 30000;
  const int late = world_size() - 1;
  for (const char* const algorithm :
       {"bdr:tau=300us", "bslb", "clairvoyant:tau=300us", "portfolio:tau=300us:alpha=1us"}) {
    // Each of two ranks waits for the other's block alone: it is the ring.
    if (world_size() == 2 && std::string_view(algorithm).starts_with("portfolio")) continue;
    Checked checked(choice(algorithm), make_layout("regular", bytes), false);
    const bool is_bslb = std::string_view(algorithm) == "bslb";
    const bool is_late = checked.rank() == (is_bslb ? 0 : late);
    checked.call(is_late ? std::chrono::milliseconds(400) : std::chrono::milliseconds(40), 0.5);
    ASSERT_EQ(checked.fault(), "");
    const ArrivalStatistics& last = checked.gather().last();
    if (is_late) {
      EXPECT_EQ(last.background_bytes, bytes * (world_size() - 1)) << algorithm;
      EXPECT_EQ(last.background_steps_run, last.background_steps) << algorithm;
      EXPECT_GT(last.helper_busy_us, 0);
    } else if (!is_bslb && world_size() == 2) {
      EXPECT_EQ(last.background_bytes, 0) << algorithm;
    }
  }
}

TEST(ArrivalAware, MeasuresTheTimeOfAMessage) {
  if (!has_threads()) GTEST_SKIP();
  const Layout layout = make_layout("regular", 1000);
  EXPECT_EQ(Checked(choice("bdr:tau=7ms"), layout, false).gather().message_us(), 7000);
  EXPECT_EQ(Checked(choice("bdr"), layout, false, {.message_us = 5}).gather().message_us(), 5);
  EXPECT_EQ(Checked(choice("bslb"), layout, false).gather().message_us(), 0);
  const double measured = Checked(choice("bdr"), layout, false).gather().message_us();
  EXPECT_EQ(measured > 0, world_size() > 1);
}

TEST(ArrivalAware, GoesAtAnyTime) {
  if (!has_threads()) GTEST_SKIP();
  const Layout layout = make_layout("regular", 1000);
  { const Checked unused(choice("bdr:tau=1ms"), layout, false); }
  {
    Checked begun(choice("bdr:tau=1ms"), layout, false);
    begun.gather().processing_start();
    begun.gather().edge(0.5);
    if (begun.rank() % 2 == 0) std::this_thread::sleep_for(microseconds(2000));
  }
  Checked one(choice("bdr:tau=1ms"), layout, false);
  Checked other(choice("bslb"), layout, false);
  {
    // Late ranks pass on what they have, and nobody takes the rest.
    Checked begun(choice("clairvoyant:tau=100us"), make_layout("regular", 100000), false);
    begun.gather().processing_start();
    std::this_thread::sleep_for(microseconds(begun.rank() == 0 ? 6000 : 300));
    begun.gather().edge(0.5);
    std::this_thread::sleep_for(microseconds(3000));
  }
  one.call(microseconds(100), 0.5);
  ArrivalAware moved = std::move(one.gather());
  one.poison();
  moved.edge(0.5);
  other.call(microseconds(100), 0.5);  // while the helper of the first is at work
  moved.run();
  EXPECT_EQ(one.fault(), "");
  EXPECT_EQ(other.fault(), "");
}

TEST(ArrivalAware, ErrorsOfTheHelperComeToTheMainThread) {
  if (!has_threads()) GTEST_SKIP();
  Checked checked(choice("bdr:tau=1ms"), make_layout("regular", 1000), false);
  fails_in_helper = true;
  checked.gather().processing_start();
  checked.gather().edge(0.5);
  while (failures == 0) std::this_thread::sleep_for(microseconds(100));
  std::string error = "no error";
  try {
    checked.gather().run();
  } catch (const MpiError& thrown) {
    error = thrown.what();
  }
  fails_in_helper = false;
  EXPECT_THAT(error, HasSubstr("MPI_Iallgather: "));
  EXPECT_THROW(checked.gather().processing_end(), MpiError);  // it stays like this
  EXPECT_THROW(checked.gather().run(), MpiError);
  MPI_Barrier(MPI_COMM_WORLD);
}

// All MPI libraries that we know give MPI_THREAD_MULTIPLE, so the tests above are not skipped: also
// not where some other test has looked at control variables, by which Open MPI forgets it.
TEST(ArrivalAware, HasThreads) { EXPECT_EQ(why_no_helper_thread(), ""); }

TEST(ArrivalAware, SaysThatItNeedsThreads) {
  if (!has_threads()) GTEST_SKIP();
  thread_level = MPI_THREAD_SERIALIZED;
  std::string error = "no error";
  try {
    const Checked checked(choice("bdr"), make_layout("regular", 1000), false);
  } catch (const std::runtime_error& thrown) {
    error = thrown.what();
  }
  thread_level = -1;
  EXPECT_EQ(error,
            "ArrivalAware needs MPI_THREAD_MULTIPLE; this MPI library gives MPI_THREAD_SERIALIZED");
}

}  // namespace
}  // namespace gatherbench::mpi
