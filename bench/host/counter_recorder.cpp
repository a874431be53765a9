// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/counter_recorder.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bench/host/rank_zero.h"
#include "formats/columns.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {

namespace {

constexpr char between_fields = '\t';  // no name of the kernel has one

formats::CounterChange without(const Counter& counter, std::string reason) {
  return {.counter = counter.name, .unit = counter.unit, .reason = std::move(reason)};
}

formats::CounterChange change_of(const Counter& before, const Counter& after) {
  std::uint64_t rise = after.value - before.value;
  if (after.value < before.value) {
    if (before.value > before.range) return without(after, "went backwards: it was reset");
    rise = before.range - before.value + after.value;
  }
  return {.counter = after.name, .unit = after.unit, .difference = static_cast<std::int64_t>(rise)};
}

}  // namespace

std::vector<formats::CounterChange> find_changes(const Reading& before, const Reading& after) {
  std::map<std::string_view, const Counter*> known;
  for (const Counter& counter : before.counters) known.emplace(counter.name, &counter);
  std::vector<formats::CounterChange> changes;
  for (const Counter& counter : after.counters) {
    const auto found = known.find(counter.name);
    if (found == known.end()) {
      changes.push_back(without(counter, "was not there before the first call"));
      continue;
    }
    const bool idle = found->second->idle && counter.idle;
    if (!idle) changes.push_back(change_of(*found->second, counter));
    known.erase(found);
  }
  for (const Counter& counter : before.counters) {
    if (known.contains(counter.name)) {
      changes.push_back(without(counter, "was gone after the last call"));
    }
  }
  return changes;
}

std::string text_of(const std::vector<formats::CounterChange>& changes) {
  std::string text;
  for (const formats::CounterChange& one : changes) {
    text += fmt::format("{}\t{}\t{}\t{}\n", one.counter, one.unit,
                        one.difference ? fmt::to_string(*one.difference) : "", one.reason);
  }
  return text;
}

std::vector<formats::CounterChange> changes_in(std::string_view text) {
  std::vector<formats::CounterChange> changes;
  for (const std::string_view line : text::split(text, '\n')) {
    const std::vector<std::string_view> fields = text::split(line, between_fields);
    if (fields.size() != 4) continue;  // behind the last line
    formats::CounterChange& one = changes.emplace_back();
    one.counter = fields[0];
    one.unit = fields[1];
    if (!fields[2].empty()) one.difference = std::stoll(std::string(fields[2]));
    one.reason = fields[3];
  }
  return changes;
}

namespace {

/// The first rank of each host. Two nodes of one host (containers) have the same counters.
std::vector<std::string> find_readers(const Nodes& nodes) {
  std::vector<std::string> hosts(nodes.of_rank.size());
  std::set<std::string> known;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const std::string& host = nodes.hosts[static_cast<std::size_t>(nodes.of_rank[rank])];
    if (known.insert(host).second) hosts[rank] = host;
  }
  return hosts;
}

/// "TEXT", or where hosts differ "TEXT (2 of 4 hosts, the first is h1)" of each.
std::string unite(const std::vector<std::string>& hosts, const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<std::string>> hosts_with;
  std::size_t count = 0;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    if (hosts[rank].empty()) continue;
    ++count;
    if (!texts[rank].empty()) hosts_with[texts[rank]].push_back(hosts[rank]);
  }
  std::string text;
  for (const auto& [what, who] : hosts_with) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", what);
    if (who.size() == count) continue;
    text += fmt::format(" ({} of {} hosts, the first is {})", who.size(), count, who.front());
  }
  return text;
}

}  // namespace

CounterRecorder::CounterRecorder(const Nodes& nodes, MPI_Comm world, std::filesystem::path root)
    : host_of_reader_(find_readers(nodes)), world_(world), root_(std::move(root)) {
  reads_ = !host_of_reader_[static_cast<std::size_t>(mpi::rank_of(world))].empty();
  int any = reads_ && !read_counters(root_).counters.empty() ? 1 : 0;
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, world), "MPI_Allreduce");
  const std::vector<std::string> texts =
      gather_texts(reads_ ? describe_left_out(root_) : std::string(), world);
  left_out_ =
      mpi::broadcast_text(texts.empty() ? std::string() : unite(host_of_reader_, texts), 0, world);
  if (any == 0) {
    throw text::bad_value("--record", formats::name_of(formats::File::counters),
                          fmt::format("has nothing to record: {}; legal: ranks, steps", left_out_));
  }
}

void CounterRecorder::begin() {
  mpi::require(MPI_Barrier(world_), "MPI_Barrier");
  if (reads_) before_ = read_counters(root_);
  start_ns_ = mpi::steady_ns();
  mpi::require(MPI_Barrier(world_), "MPI_Barrier");
}

void CounterRecorder::end() {
  mpi::require(MPI_Barrier(world_), "MPI_Barrier");
  end_ns_ = mpi::steady_ns();
  if (reads_) after_ = read_counters(root_);
}

std::vector<formats::CounterChange> CounterRecorder::gather(std::int64_t calls) const {
  std::string own;
  if (reads_) {
    own = fmt::format("{}\n{}", end_ns_ - start_ns_, text_of(find_changes(before_, after_)));
  }
  const std::vector<std::string> texts = gather_texts(own, world_);
  std::vector<formats::CounterChange> all;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (texts[rank].empty()) continue;
    std::int64_t ns = 0;
    const std::string& text = texts[rank];
    std::from_chars(text.data(), text.data() + text.size(), ns);
    for (formats::CounterChange& one : changes_in(text)) {
      one.host = host_of_reader_[rank];
      one.calls = calls;
      one.between_us = static_cast<double>(ns) / 1000;
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace gatherbench::bench
