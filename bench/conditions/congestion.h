// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/mpi/handles.h"

// Ranks of the launch that run no collective (--congest). They send to each other while calls of
// the others are timed, as another job on the same network does (GPCNeT).
namespace gatherbench::bench {

/// A table that says who sends to whom.
struct CongestionPattern;

struct CongestionChoice {
  const CongestionPattern* pattern = nullptr;  ///< null: nobody congests
  std::vector<int> ranks = {};                 ///< of the launch, ascending
  std::int64_t bytes = 0;                      ///< of a message
  std::string label = {};                      ///< as it was asked for
};

/// The memory that ranks which congest take for their messages; none if nobody congests.
struct CongestionMemory {
  std::int64_t of_rank = 0;  ///< bytes of the one that needs most
  /// The bytes that the one may use that has least: all ranks of a node share what is available.
  std::int64_t share = std::numeric_limits<std::int64_t>::max();
  int ranks_here = 0;  ///< that congest, on the node of the calling rank
};

/// Returns the legal forms of the option, for messages: "RANKS:incast:SIZE|...".
std::string congestion_forms();

/// Reads one of these forms; with an empty text nobody congests. Throws InputError.
CongestionChoice parse_congestion(std::string_view option, std::string_view text);

/// The ranks of a launch, cut into those that are measured and those that congest.
class Congestion {
 public:
  /// Collective over `all`, which must outlive it. Throws InputError on every rank alike.
  Congestion(std::string_view option, CongestionChoice choice, MPI_Comm all);
  /// On the measured ranks, ends `serve` on the ranks that congest.
  ~Congestion();
  Congestion(const Congestion&) = delete;
  Congestion& operator=(const Congestion&) = delete;

  [[nodiscard]] const CongestionChoice& choice() const { return choice_; }
  [[nodiscard]] bool is_any() const { return choice_.pattern != nullptr; }
  /// Returns whether this rank congests. All it has to do then is `serve`.
  [[nodiscard]] bool congests() const { return congests_; }
  /// Returns the ranks that are measured, in their order. To be called on those alone.
  [[nodiscard]] MPI_Comm measured() const { return is_any() ? own_.get() : all_; }
  /// Returns whether the ranks that congest, with the measured ones, are more than a node's
  /// processors.
  [[nodiscard]] bool is_oversubscribed() const { return oversubscribed_; }
  /// Returns what the ranks that congest will take when they begin, and not before.
  [[nodiscard]] const CongestionMemory& memory() const { return memory_; }

  /// Sends whenever the measured ranks want it, until they are gone. Throws MpiError.
  void serve();
  /// Begins to congest; called on all measured ranks. When it is over on the lowest one, each rank
  /// that congests has sent and received its first messages, and goes on. Throws MpiError.
  void begin();
  /// Stops the congestion as soon as all measured ranks have called it. When it is over on the
  /// lowest one, all that was sent has arrived. Throws MpiError.
  void end();

 private:
  enum class Word : int { begin, under_way, stop, silent, leave };

  /// Runs on the measured ranks: the lowest one tells the lowest that congests, and hears its
  /// answer.
  void ask(Word word) const;
  void answer(Word word) const;
  /// Waits for the next word to the ranks that congest, and returns it on all of them; meanwhile
  /// they sleep.
  [[nodiscard]] Word await();
  /// Returns whether there is a word, without waiting and without taking it.
  [[nodiscard]] bool is_spoken_to();
  /// Returns the bytes of this rank's buffers.
  [[nodiscard]] std::size_t bytes_to_send() const;
  [[nodiscard]] std::size_t bytes_to_receive() const;
  /// Finds what the ranks that congest take. Collective.
  [[nodiscard]] CongestionMemory find_memory() const;
  /// Sends and receives a few messages for each pair of ranks of the pattern, and waits for them.
  void exchange();

  CongestionChoice choice_;
  MPI_Comm all_;
  bool congests_ = false;
  bool oversubscribed_ = false;
  CongestionMemory memory_;
  mpi::Communicator own_;    // of those that do what this rank does
  mpi::Communicator words_;  // of all, for what they tell each other
  std::vector<int> to_;      // in own_
  std::vector<int> from_;
  std::vector<std::byte> sent_;  // empty, as the other, before anybody wants messages
  std::vector<std::byte> received_;
};

}  // namespace gatherbench::bench
