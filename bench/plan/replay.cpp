// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "bench/host/rank_zero.h"
#include "bench/plan/placement.h"
#include "formats/crc32.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/read_file.h"
#include "formats/text/words.h"
#include "formats/trace/reader.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

// These functions bring numbers from rank 0 to the other ranks, in any amount. Collective.

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t most_at_once = std::int64_t{1} << 27;  // counts of MPI are of int

/// Calls `pass` with the first number and the count of one part of the numbers after the other.
void in_parts(Numbers& numbers, const std::function<void(std::int64_t*, int)>& pass) {
  for (std::int64_t first = 0; first < std::ssize(numbers); first += most_at_once) {
    pass(numbers.data() + first,
         static_cast<int>(std::min(most_at_once, std::ssize(numbers) - first)));
  }
}

/// Returns rank 0's numbers on every rank.
Numbers broadcast_numbers(Numbers numbers, MPI_Comm comm) {
  std::int64_t count = std::ssize(numbers);
  mpi::require(MPI_Bcast(&count, 1, MPI_INT64_T, 0, comm), "MPI_Bcast");
  numbers.resize(static_cast<std::size_t>(count));
  in_parts(numbers, [&](std::int64_t* part, int size) {
    mpi::require(MPI_Bcast(part, size, MPI_INT64_T, 0, comm), "MPI_Bcast");
  });
  return numbers;
}

/// Gives each rank the numbers that rank 0 has for it; `of_rank` is called on rank 0 alone, for one
/// rank after the other.
Numbers scatter_numbers(const std::function<Numbers(int rank)>& of_rank, MPI_Comm comm) {
  if (mpi::rank_of(comm) == 0) {
    const int ranks = mpi::size_of(comm);
    for (int rank = 1; rank < ranks; ++rank) {
      Numbers numbers = of_rank(rank);
      const std::int64_t count = std::ssize(numbers);
      mpi::require(MPI_Send(&count, 1, MPI_INT64_T, rank, 0, comm), "MPI_Send");
      in_parts(numbers, [&](const std::int64_t* part, int size) {
        mpi::require(MPI_Send(part, size, MPI_INT64_T, rank, 0, comm), "MPI_Send");
      });
    }
    return of_rank(0);
  }
  std::int64_t count = 0;
  mpi::require(MPI_Recv(&count, 1, MPI_INT64_T, 0, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  Numbers numbers(static_cast<std::size_t>(count));
  in_parts(numbers, [&](std::int64_t* part, int size) {
    mpi::require(MPI_Recv(part, size, MPI_INT64_T, 0, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  });
  return numbers;
}

constexpr std::string_view option = "--replay";

std::vector<formats::RankTrace> read_traces(const std::string& folder, const std::string& operation,
                                            int ranks) {
  std::vector<formats::RankTrace> traces;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string path = fmt::format("{}/rank_{}.agtrace", folder, rank);
    formats::RankTrace trace =
        formats::read_rank_trace(option, path, text::read_file(option, path), operation);
    if (trace.ranks != ranks) {
      throw text::bad_value(option, folder,
                            fmt::format("is a trace of {} ranks, and there are {}; legal: a launch "
                                        "of {}",
                                        trace.ranks, ranks, trace.ranks));
    }
    if (trace.rank != rank) {
      throw text::bad_value(
          option, path,
          fmt::format("is of rank {}; legal: the files as they were named", trace.rank));
    }
    if (trace.sample > 1) {
      throw text::bad_value(option, path,
                            fmt::format("has one of {} calls that are alike (AGTRACE_SAMPLE); "
                                        "legal: a trace of all calls",
                                        trace.sample));
    }
    traces.push_back(std::move(trace));
  }
  return traces;
}

void require_calls(const std::string& folder, const std::string& operation,
                   std::span<const formats::RankTrace> traces, const CallSequence& sequence) {
  if (sequence.calls.empty()) {
    std::set<std::string> others;
    for (const formats::RankTrace& trace : traces) {
      for (const auto& [name, calls] : trace.calls) others.insert(name);
    }
    throw text::bad_value(
        option, folder,
        fmt::format("has no {} that all its ranks have; it has {}", operation,
                    others.empty() ? "no calls" : fmt::format("{}", fmt::join(others, ", "))));
  }
  for (const SequenceShape& shape : sequence.shapes) {
    if (std::ranges::any_of(shape.block_bytes, [](std::int64_t bytes) { return bytes > 0; })) {
      return;
    }
  }
  throw text::bad_value(
      option, folder,
      fmt::format("has no {} that moves a byte; legal: a trace of one that does", operation));
}

/// Returns, as numbers, what every rank has to know of a sequence: its communicators and shapes.
Numbers shared_numbers(const CallSequence& sequence) {
  Numbers numbers{std::ssize(sequence.members), std::ssize(sequence.shapes)};
  for (const std::vector<int>& members : sequence.members) {
    numbers.push_back(std::ssize(members));
    numbers.insert(numbers.end(), members.begin(), members.end());
  }
  for (const SequenceShape& shape : sequence.shapes) {
    numbers.push_back(static_cast<std::int64_t>(shape.members));
    numbers.insert(numbers.end(), shape.block_bytes.begin(), shape.block_bytes.end());
  }
  return numbers;
}

Numbers numbers_of(std::span<const RankCall> calls) {
  Numbers numbers;
  numbers.reserve(2 * calls.size());
  for (const RankCall& call : calls) {
    numbers.push_back(static_cast<std::int64_t>(call.shape));
    numbers.push_back(call.gap_ns);
  }
  return numbers;
}

std::uint32_t checksum(const CallSequence& sequence) {
  formats::RunningChecksum sum;
  const auto add = [&](const Numbers& numbers) {
    sum.add({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(numbers[0])});
  };
  add(shared_numbers(sequence));
  for (const std::vector<RankCall>& own : sequence.of_ranks) add(numbers_of(own));
  return sum.value();
}

/// Returns the ranks as text, such as "0-3" or "0,2,4"; a long list is cut.
std::string name_of(std::span<const int> ranks) {
  constexpr std::size_t most = 8;
  if (ranks.size() > 2 && std::ranges::adjacent_find(ranks, [](int one, int next) {
                            return next != one + 1;
                          }) == ranks.end()) {
    return fmt::format("{}-{}", ranks.front(), ranks.back());
  }
  return fmt::format("{}{}", fmt::join(ranks.first(std::min(most, ranks.size())), ","),
                     ranks.size() > most ? ",..." : "");
}

/// Sets `bytes` and `total_bytes` of `replay`: the sizes of all calls together. Throws InputError
/// with the folder if a call, or all calls together, have more bytes than can be counted.
void add_up(const std::string& folder, const CallSequence& sequence, Replay& replay) {
  std::vector<std::int64_t> of_shapes;
  double contributed = 0;
  try {
    for (const SequenceShape& shape : sequence.shapes) {
      const double sum = std::accumulate(shape.block_bytes.begin(), shape.block_bytes.end(), 0.0);
      require_countable(sum, static_cast<int>(shape.block_bytes.size()), "a call of the trace");
      of_shapes.push_back(static_cast<std::int64_t>(sum));
    }
    for (const std::size_t shape : sequence.calls) {
      contributed += static_cast<double>(of_shapes[shape]);
    }
    if (contributed > static_cast<double>(formats::TraceRecord::largest)) {
      throw text::InputError("has calls of more than 2^62 bytes together; legal: --replay-calls");
    }
  } catch (const text::InputError& error) {
    throw text::bad_value(option, folder, error.what());
  }
  const auto ranks = static_cast<double>(sequence.of_ranks.size());
  replay.bytes = static_cast<std::int64_t>(std::ceil(contributed / ranks));
  for (const std::vector<RankCall>& own : sequence.of_ranks) {
    std::int64_t received = 0;
    for (const RankCall& call : own) received += of_shapes[call.shape];
    replay.total_bytes = std::max(replay.total_bytes, received);
  }
}

void note_what_is_missing(std::span<const formats::RankTrace> traces, const CallSequence& sequence,
                          Replay& replay) {
  const bool reached_limit = std::ranges::any_of(traces, &formats::RankTrace::reached_limit);
  if (reached_limit) {
    replay.notes.emplace_back(
        "the trace ends where AGTRACE_LIMIT was reached: what the program did then is not "
        "replayed");
  }
  if (sequence.left_out > 0) {
    replay.notes.push_back(
        fmt::format("{}{} further calls, which not all their ranks have, are not replayed",
                    reached_limit ? "" : "the trace was cut off: ", sequence.left_out));
  }
}

/// Reads the sequence on rank 0, and everything of `replay` that is no list.
CallSequence read_on_rank_zero(const std::string& operation, const ReplayChoice& choice, int ranks,
                               Replay& replay) {
  const std::vector<formats::RankTrace> traces = read_traces(choice.folder, operation, ranks);
  CallSequence sequence = make_sequence(option, choice.folder, traces, choice.calls);
  require_calls(choice.folder, operation, traces, sequence);
  if (choice.gaps == Gaps::none) sequence.drop_gaps();
  const std::string program = std::filesystem::path(traces.front().program).filename();
  replay.label = text::in_one_line(fmt::format(
      "{}: {} calls, {} different ones, on {} communicator{}, gaps {}, checksum {:08x}",
      program.empty() ? "a program" : program, sequence.calls.size(), sequence.shapes.size(),
      sequence.members.size(), sequence.members.size() == 1 ? "" : "s",
      text::name_in(gaps_names, choice.gaps), checksum(sequence)));
  note_what_is_missing(traces, sequence, replay);
  if (!std::ranges::all_of(traces, &formats::RankTrace::is_checked)) {
    replay.notes.emplace_back("the trace has no checksums: nobody can tell whether it was altered");
  }
  replay.shortest_ns = sequence.shortest_ns();
  replay.longest_gap_ns = sequence.longest_gap_ns();
  add_up(choice.folder, sequence, replay);
  return sequence;
}

/// Adds to `replay` the groups and shapes that `shared_numbers` has put into these numbers.
void take_shared(const Numbers& numbers, const algorithms::Placement& placement,
                 std::span<const int> node_of_rank, Replay& replay) {
  auto next = numbers.begin();
  const auto communicators = static_cast<std::size_t>(*next++);
  const auto shapes = static_cast<std::size_t>(*next++);
  for (std::size_t i = 0; i < communicators; ++i) {
    const auto end = next + 1 + *next;
    Group group{.name = {}, .ranks = {next + 1, end}, .placement = {}};
    next = end;
    group.name = name_of(group.ranks);
    group.placement = renumber_placement(placement, group.ranks);
    std::set<int> nodes;
    for (const int rank : group.ranks) nodes.insert(node_of_rank[static_cast<std::size_t>(rank)]);
    group.nodes = static_cast<int>(nodes.size());
    replay.groups.push_back(std::move(group));
  }
  for (std::size_t i = 0; i < shapes; ++i) {
    const auto members = static_cast<std::size_t>(*next++);
    const auto end = next + replay.groups[members].size();
    replay.shapes.push_back({members, {next, end}});
    next = end;
  }
}

}  // namespace

Replay read_replay(const collectives::Collective& collective, const ReplayChoice& choice,
                   const algorithms::Placement& placement, std::span<const int> node_of_rank,
                   MPI_Comm world) {
  const int ranks = mpi::size_of(world);
  Replay replay;
  CallSequence sequence;  // on rank 0
  const std::string texts = text_of_rank_zero(world, [&] {
    sequence = read_on_rank_zero(fmt::format("MPI_{}", collective.title), choice, ranks, replay);
    return fmt::format("{}\n{}", replay.label, fmt::join(replay.notes, "\n"));
  });
  std::vector<std::string_view> lines = text::split(texts, '\n');
  replay.label = lines.front();
  replay.notes.clear();
  for (const std::string_view line : std::span(lines).subspan(1)) {
    if (!line.empty()) replay.notes.emplace_back(line);
  }
  const Numbers sums = broadcast_numbers(
      {replay.bytes, replay.total_bytes, replay.shortest_ns, replay.longest_gap_ns}, world);
  replay.bytes = sums[0];
  replay.total_bytes = sums[1];
  replay.shortest_ns = sums[2];
  replay.longest_gap_ns = sums[3];
  const Numbers shared =
      broadcast_numbers(mpi::rank_of(world) == 0 ? shared_numbers(sequence) : Numbers(), world);
  take_shared(shared, placement, node_of_rank, replay);
  const Numbers own = scatter_numbers(
      [&](int rank) { return numbers_of(sequence.of_ranks[static_cast<std::size_t>(rank)]); },
      world);
  for (std::size_t i = 0; i < own.size(); i += 2) {
    replay.own_calls.push_back({static_cast<std::size_t>(own[i]), own[i + 1]});
  }
  return replay;
}

Case replay_case(const Options& options, const Replay& replay, const MappedOrder& order,
                 const Group& all, const distributions::Distribution& distribution,
                 const arrivals::ArrivalPattern& arrival) {
  const collectives::Collective& collective = *options.collective;
  Case one{{std::string(collective.name), distribution.label, arrival.label, order.label,
            all.size(), all.nodes, replay.bytes, replay.total_bytes},
           &collective,
           &distribution,
           &arrival};
  one.key.buffer_offset = options.places.offsets.in_row();
  return one;
}

Case case_of(const Replay& replay, const SequenceShape& shape, const Case& the_case) {
  Case own = the_case;
  const Group& group = replay.groups[shape.members];
  own.key.ranks = group.size();
  own.key.nodes = group.nodes;
  own.key.total_bytes = mpi::Layout(shape.block_bytes).total();
  return own;
}

}  // namespace gatherbench::bench
