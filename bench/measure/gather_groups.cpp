// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/gather_groups.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "formats/text/parse.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

/// Returns the values of each rank on rank 0 of the communicator.
template <typename Value>
std::vector<std::vector<Value>> gather(const std::vector<Value>& own, MPI_Comm comm) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const auto ranks = static_cast<std::size_t>(mpi::size_of(comm));
  const int bytes = static_cast<int>(own.size() * sizeof(Value));
  std::vector<int> counts(ranks);
  mpi::require(MPI_Gather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm), "MPI_Gather");
  if (mpi::rank_of(comm) != 0) std::ranges::fill(counts, 0);
  std::vector<int> offsets(ranks);
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  std::vector<Value> all(static_cast<std::size_t>(offsets.back() + counts.back()) / sizeof(Value));
  mpi::require(MPI_Gatherv(own.data(), bytes, MPI_BYTE, all.data(), counts.data(), offsets.data(),
                           MPI_BYTE, 0, comm),
               "MPI_Gatherv");
  std::vector<std::vector<Value>> found(ranks);
  auto next = all.begin();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto end = next + counts[rank] / static_cast<std::ptrdiff_t>(sizeof(Value));
    found[rank].assign(next, end);
    next = end;
  }
  return found;
}

std::vector<char> in_lines(const std::vector<std::string>& texts) {
  std::vector<char> lines;
  for (const std::string& text : texts) {
    lines.insert(lines.end(), text.begin(), text.end());
    lines.push_back('\n');
  }
  return lines;
}

std::vector<std::string> texts_of(const std::vector<char>& lines) {
  if (lines.empty()) return {};
  const auto texts = text::split({lines.data(), lines.size() - 1}, '\n');
  return {texts.begin(), texts.end()};
}

template <typename Value>
void move_behind(std::vector<Value>& earlier, std::vector<Value>& later) {
  std::ranges::move(later, std::back_inserter(earlier));
}

}  // namespace

std::vector<Timings> gather_groups(Timings own, const GroupComms& comms) {
  std::vector<Timings> groups;
  const MPI_Comm roots = comms.roots();
  if (roots == MPI_COMM_NULL) return groups;
  if (comms.count() == 1) {
    groups.push_back(std::move(own));
    return groups;
  }
  auto iterations = gather(own.iterations, roots);
  auto ranks = gather(own.ranks, roots);
  const auto chosen = gather(in_lines(own.chosen), roots);
  if (mpi::rank_of(roots) != 0) return groups;
  for (std::size_t group = 0; group < comms.count(); ++group) {
    groups.push_back(
        {std::move(iterations[group]), std::move(ranks[group]), texts_of(chosen[group])});
  }
  return groups;
}

void append(Timings& earlier, Timings later) {
  move_behind(earlier.iterations, later.iterations);
  move_behind(earlier.ranks, later.ranks);
  move_behind(earlier.chosen, later.chosen);
}

}  // namespace gatherbench::bench
