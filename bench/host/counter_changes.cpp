// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/counter_changes.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "formats/text/parse.h"

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

}  // namespace gatherbench::bench
