// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/congestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "bench/host/watchdog.h"
#include "formats/available_memory.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {

struct CongestionPattern {
  std::string_view name;
  bool (*sends)(int from, int to, int ranks);
};

namespace {

constexpr std::array patterns{
    CongestionPattern{"incast", [](int from, int to, int) { return to == 0 && from != 0; }},
    CongestionPattern{"outcast", [](int from, int to, int) { return from == 0 && to != 0; }},
    CongestionPattern{"alltoall", [](int from, int to, int) { return from != to; }},
    CongestionPattern{"shift",
                      [](int from, int to, int ranks) { return to == (from + ranks / 2) % ranks; }},
};

constexpr std::int64_t most_message_bytes = std::int64_t{1} << 26;
// How many messages are under way from one rank to another: a link does not rest between two.
constexpr int messages_under_way = 4;
constexpr int lowest_measured = 0;  // rank 0 of the launch, which never congests
constexpr std::int64_t nap_ns = 100'000;

/// Waits for a request and sleeps meanwhile, as the processor may be one that is measured.
void wait_asleep(MPI_Request& request) {
  for (int done = 0;;) {
    mpi::require(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    Watchdog::beat();
    mpi::sleep_until(mpi::steady_ns() + nap_ns);
  }
}

/// Returns whether some node has more of these ranks than processors that they may use. Collective.
bool has_too_many(MPI_Comm all) {
  const mpi::Communicator node = mpi::Communicator::of_node(all);
  cpu_set_t processors = mpi::own_processors();
  mpi::require(
      MPI_Allreduce(MPI_IN_PLACE, &processors, sizeof processors, MPI_BYTE, MPI_BOR, node.get()),
      "MPI_Allreduce");
  int is = node.size() > CPU_COUNT(&processors) ? 1 : 0;
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, &is, 1, MPI_INT, MPI_MAX, all), "MPI_Allreduce");
  return is != 0;
}

}  // namespace

std::string congestion_forms() {
  std::vector<std::string> forms;
  for (const CongestionPattern& pattern : patterns) {
    forms.push_back(fmt::format("RANKS:{}:SIZE", pattern.name));
  }
  return fmt::format("{}", fmt::join(forms, "|"));
}

CongestionChoice parse_congestion(std::string_view option, std::string_view text) {
  if (text.empty()) return {};
  // Ranks may be MIN:MAX:STEP, so the pattern is what begins with no digit.
  const std::size_t name = std::min(text.find_first_not_of("0123456789:,"), text.size());
  const std::size_t colon = text.find(':', name);
  const auto* const pattern =
      std::ranges::find(patterns, text.substr(name, colon - name), &CongestionPattern::name);
  if (name == 0 || text[name - 1] != ':' || pattern == patterns.end() ||
      colon == std::string_view::npos) {
    throw text::bad_value(
        option, text,
        fmt::format("is no pattern of ranks; legal: {}, RANKS as in 4:7, 1:15:2 or 3,7",
                    congestion_forms()));
  }
  CongestionChoice choice{
      pattern, text::parse_ranks(option, text.substr(0, name - 1), std::numeric_limits<int>::max()),
      text::parse_bytes(option, text.substr(colon + 1)), std::string(text)};
  std::ranges::sort(choice.ranks);
  if (choice.ranks.size() < 2) {
    throw text::bad_value(option, text, "needs two ranks or more; legal: 4:7, 1:15:2, 3,7");
  }
  if (choice.bytes > most_message_bytes) {
    throw text::bad_value(option, text,
                          fmt::format("has too large messages; legal: up to {}",
                                      text::human_bytes(most_message_bytes)));
  }
  return choice;
}

Congestion::Congestion(std::string_view option, CongestionChoice choice, MPI_Comm all)
    : choice_(std::move(choice)), all_(all) {
  if (!is_any()) return;
  const int ranks = mpi::size_of(all);
  if (choice_.ranks.back() >= ranks) {
    throw text::bad_value(
        option, choice_.label,
        fmt::format("has rank {}; legal: ranks 1 to {} of this launch, of which rank 0 is measured",
                    choice_.ranks.back(), ranks - 1));
  }
  const int rank = mpi::rank_of(all);
  congests_ = std::ranges::binary_search(choice_.ranks, rank);
  MPI_Comm own = MPI_COMM_NULL;
  mpi::require(MPI_Comm_split(all, congests_ ? 1 : 0, rank, &own), "MPI_Comm_split");
  own_ = mpi::Communicator(own);
  words_ = mpi::Communicator::duplicate(all);
  oversubscribed_ = has_too_many(all);
  const int congesting = congests_ ? own_.size() : 0;
  for (int other = 0; other < congesting; ++other) {
    if (choice_.pattern->sends(own_.rank(), other, congesting)) to_.push_back(other);
    if (choice_.pattern->sends(other, own_.rank(), congesting)) from_.push_back(other);
  }
  memory_ = find_memory();
}

Congestion::~Congestion() {
  if (!is_any() || congests_ || own_.rank() != 0) return;
  const Word word = Word::leave;
  MPI_Send(&word, 1, MPI_INT, choice_.ranks.front(), 0, words_.get());
}

std::size_t Congestion::bytes_to_send() const {
  return to_.empty() ? 0 : static_cast<std::size_t>(choice_.bytes);
}

std::size_t Congestion::bytes_to_receive() const {
  return from_.size() * messages_under_way * static_cast<std::size_t>(choice_.bytes);
}

CongestionMemory Congestion::find_memory() const {
  // Simulated ranks share the memory of one machine, whatever their hosts.
  const mpi::Communicator sharing = mpi::rank_model().one_process
                                        ? mpi::Communicator::duplicate(all_)
                                        : mpi::Communicator::of_node(all_);
  CongestionMemory memory{
      .of_rank = static_cast<std::int64_t>(bytes_to_send() + bytes_to_receive()),
      .ranks_here = congests_ ? 1 : 0};
  if (congests_) memory.share = formats::available_memory() / sharing.size();
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, &memory.ranks_here, 1, MPI_INT, MPI_SUM, sharing.get()),
               "MPI_Allreduce");
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, &memory.share, 1, MPI_INT64_T, MPI_MIN, all_),
               "MPI_Allreduce");
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, &memory.of_rank, 1, MPI_INT64_T, MPI_MAX, all_),
               "MPI_Allreduce");
  return memory;
}

void Congestion::serve() {
  for (;;) {
    switch (await()) {
      case Word::begin:
        sent_.resize(bytes_to_send(), std::byte{1});
        received_.resize(bytes_to_receive());
        exchange();
        mpi::require(MPI_Barrier(own_.get()), "MPI_Barrier");
        answer(Word::under_way);
        while (!is_spoken_to()) exchange();
        break;
      case Word::stop:
        mpi::require(MPI_Barrier(own_.get()), "MPI_Barrier");
        answer(Word::silent);
        break;
      default:
        return;
    }
  }
}

void Congestion::begin() { ask(Word::begin); }

void Congestion::end() {
  mpi::require(MPI_Barrier(own_.get()), "MPI_Barrier");
  ask(Word::stop);
}

void Congestion::ask(Word word) const {
  if (own_.rank() != 0) return;
  const int rank = choice_.ranks.front();
  mpi::require(MPI_Send(&word, 1, MPI_INT, rank, 0, words_.get()), "MPI_Send");
  mpi::require(MPI_Recv(&word, 1, MPI_INT, rank, 0, words_.get(), MPI_STATUS_IGNORE), "MPI_Recv");
}

void Congestion::answer(Word word) const {
  if (own_.rank() != 0) return;
  mpi::require(MPI_Send(&word, 1, MPI_INT, lowest_measured, 0, words_.get()), "MPI_Send");
}

Congestion::Word Congestion::await() {
  Word word{};
  MPI_Request request = MPI_REQUEST_NULL;
  if (own_.rank() == 0) {
    mpi::require(MPI_Irecv(&word, 1, MPI_INT, lowest_measured, 0, words_.get(), &request),
                 "MPI_Irecv");
    wait_asleep(request);
  }
  mpi::require(MPI_Ibcast(&word, 1, MPI_INT, 0, own_.get(), &request), "MPI_Ibcast");
  wait_asleep(request);
  return word;
}

bool Congestion::is_spoken_to() {
  Watchdog::beat();
  int is_waiting = 0;
  if (own_.rank() == 0) {
    mpi::require(MPI_Iprobe(lowest_measured, 0, words_.get(), &is_waiting, MPI_STATUS_IGNORE),
                 "MPI_Iprobe");
  }
  mpi::require(MPI_Bcast(&is_waiting, 1, MPI_INT, 0, own_.get()), "MPI_Bcast");
  return is_waiting != 0;
}

void Congestion::exchange() {
  const auto bytes = static_cast<int>(choice_.bytes);
  std::vector<MPI_Request> requests;
  std::byte* place = received_.data();
  for (const int other : from_) {
    for (int message = 0; message < messages_under_way; ++message, place += bytes) {
      requests.emplace_back();
      mpi::require(MPI_Irecv(place, bytes, MPI_BYTE, other, 0, own_.get(), &requests.back()),
                   "MPI_Irecv");
    }
  }
  for (const int other : to_) {
    for (int message = 0; message < messages_under_way; ++message) {
      requests.emplace_back();
      mpi::require(MPI_Isend(sent_.data(), bytes, MPI_BYTE, other, 0, own_.get(), &requests.back()),
                   "MPI_Isend");
    }
  }
  mpi::wait_all(requests);
}

}  // namespace gatherbench::bench
