// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/rank_zero.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "formats/fnv1a.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {

std::vector<std::string> gather_texts(const std::string& own, MPI_Comm comm) {
  const auto ranks = static_cast<std::size_t>(mpi::size_of(comm));
  const auto length = static_cast<int>(own.size());
  std::vector<int> lengths(ranks);
  mpi::require(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm), "MPI_Gather");
  std::vector<int> offsets(ranks);
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  mpi::require(MPI_Gatherv(own.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                           MPI_CHAR, 0, comm),
               "MPI_Gatherv");
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < ranks && mpi::rank_of(comm) == 0; ++r) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(offsets[r]), static_cast<std::size_t>(lengths[r])));
  }
  return texts;
}

std::string text_of_rank_zero(MPI_Comm comm, const std::function<std::string()>& work) {
  std::string text;
  int failed = 0;
  if (mpi::rank_of(comm) == 0) {
    try {
      text = work();
    } catch (const text::InputError& error) {
      text = error.what();
      failed = 1;
    }
  }
  mpi::require(MPI_Bcast(&failed, 1, MPI_INT, 0, comm), "MPI_Bcast");
  text = mpi::broadcast_text(std::move(text), 0, comm);
  if (failed != 0) throw text::InputError(text);
  return text;
}

void run_on_rank_zero(MPI_Comm comm, const std::function<void()>& work) {
  (void)text_of_rank_zero(comm, [&] {
    work();
    return std::string();
  });
}

namespace {

constexpr int tag = 0;

/// This tells of one text.
struct Mark {
  std::uint64_t hash = 0;
  int unlike = nobody;  ///< the lowest of the ranks asked so far that has another hash
};

using Marks = std::vector<Mark>;

void send(const Marks& marks, int to, MPI_Comm comm) {
  const auto bytes = static_cast<int>(marks.size() * sizeof(Mark));
  mpi::require(MPI_Send(marks.data(), bytes, MPI_BYTE, to, tag, comm), "MPI_Send");
}

Marks receive(std::size_t count, int from, MPI_Comm comm) {
  Marks marks(count);
  const auto bytes = static_cast<int>(count * sizeof(Mark));
  mpi::require(MPI_Recv(marks.data(), bytes, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE),
               "MPI_Recv");
  return marks;
}

void send(const std::string& text, int to, MPI_Comm comm) {
  const auto length = static_cast<int>(text.size());
  mpi::require(MPI_Send(text.data(), length, MPI_CHAR, to, tag, comm), "MPI_Send");
}

std::string receive(int from, MPI_Comm comm) {
  MPI_Status status{};
  int length = 0;
  mpi::require(MPI_Probe(from, tag, comm, &status), "MPI_Probe");
  mpi::require(MPI_Get_count(&status, MPI_CHAR, &length), "MPI_Get_count");
  std::string text(static_cast<std::size_t>(length), '\0');
  mpi::require(MPI_Recv(text.data(), length, MPI_CHAR, from, tag, comm, MPI_STATUS_IGNORE),
               "MPI_Recv");
  return text;
}

/// This is where a rank stands in the binomial tree whose root is rank 0. The ranks below it are
/// the next ones by number.
struct Place {
  explicit Place(MPI_Comm comm) : rank(mpi::rank_of(comm)), ranks(mpi::size_of(comm)) {
    while (width < ranks && (rank & width) == 0) width *= 2;
  }
  [[nodiscard]] bool has_parent() const { return rank != 0; }
  [[nodiscard]] int parent() const { return rank - width; }

  int rank;
  int ranks;
  int width = 1;  ///< so many ranks, this one included, are below it at most
};

/// Returns rank 0's text on all ranks.
std::string spread(std::string text, MPI_Comm comm) {
  const Place place(comm);
  if (place.has_parent()) text = receive(place.parent(), comm);
  for (int step = place.width / 2; step > 0; step /= 2) {
    if (place.rank + step < place.ranks) send(text, place.rank + step, comm);
  }
  return text;
}

/// Adds to what is known of this rank's text and of the ranks below it what rank `by` told.
void join(Mark& own, const Mark& told, int by) {
  const int found = told.hash == own.hash ? told.unlike : by;
  if (own.unlike == nobody) own.unlike = found;
}

}  // namespace

std::vector<int> find_unlike(std::span<const std::string> texts, MPI_Comm comm) {
  Marks marks;
  for (const std::string& text : texts) {
    formats::Fnv1a hash;
    hash(text);
    marks.push_back({hash.value(), nobody});
  }
  const Place place(comm);
  for (int step = 1; step < place.width && place.rank + step < place.ranks; step *= 2) {
    const Marks told = receive(marks.size(), place.rank + step, comm);
    for (std::size_t i = 0; i < marks.size(); ++i) join(marks[i], told[i], place.rank + step);
  }
  if (place.has_parent()) {
    send(marks, place.parent(), comm);
    marks = receive(marks.size(), place.parent(), comm);
  }
  for (int step = place.width / 2; step > 0; step /= 2) {
    if (place.rank + step < place.ranks) send(marks, place.rank + step, comm);
  }
  std::vector<int> unlike;
  for (const Mark& mark : marks) unlike.push_back(mark.unlike);
  return unlike;
}

std::string text_of_rank(int rank, const std::string& own, MPI_Comm comm) {
  const int own_rank = mpi::rank_of(comm);
  if (rank == 0) return spread(own, comm);
  if (own_rank == rank) send(own, 0, comm);
  return spread(own_rank == 0 ? receive(rank, comm) : std::string(), comm);
}

std::vector<std::string> texts_on_rank_zero(const std::string& own, MPI_Comm comm) {
  if (mpi::rank_of(comm) != 0) {
    send(own, 0, comm);
    return {};
  }
  std::vector<std::string> texts{own};
  for (int rank = 1; rank < mpi::size_of(comm); ++rank) texts.push_back(receive(rank, comm));
  return texts;
}

}  // namespace gatherbench::bench
