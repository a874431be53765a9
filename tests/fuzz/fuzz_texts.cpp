// SPDX-License-Identifier: BSD-3-Clause
//
// libFuzzer's entry to all that reads texts of users in C++: values of options, and files. The
// first byte chooses the reader, the rest is the text. Whatever it is, it is read or refused by an
// InputError; anything else ends the program. tools/fuzz.sh builds and runs it.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "algorithms/choice/choice.h"
#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/collectives/collective.h"
#include "algorithms/cost/models.h"
#include "algorithms/proof/schedule_file.h"
#include "algorithms/topology/host_list.h"
#include "algorithms/topology/switch_tree.h"
#include "algorithms/topology/torus.h"
#include "distributions/arrivals/arrival_pattern.h"
#include "distributions/block_sizes.h"
#include "formats/checksum.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/words.h"
#include "formats/trace/reader.h"

namespace {

using namespace gatherbench;

constexpr int ranks = 5;
constexpr std::int64_t largest = std::int64_t{1} << 62;
constexpr std::string_view option = "--option";

/// What is read is as its label says, which stands in result files.
void read_algorithms(std::string_view list, const collectives::Collective& collective) {
  for (const algorithms::Choice& choice : algorithms::parse_algorithms(option, list, collective)) {
    algorithms::require_parameter(option, choice, ranks);
    if (!choice.path.empty()) continue;  // its label has no folder
    const auto again = algorithms::parse_algorithms(option, choice.label(), collective);
    if (again.size() != 1 || again[0] != choice) __builtin_trap();
  }
}

void read_arrivals(std::string_view list, std::string_view file) {
  const auto read = [&](const std::string&) { return std::string(file); };
  for (const auto& pattern : arrivals::parse_arrivals(option, list, read)) {
    arrivals::require_ranks(option, pattern, ranks);
    for (std::uint64_t iteration = 0; iteration < 3; ++iteration) {
      if (arrivals::arrivals_us(pattern, ranks, 1, iteration, 2.5).size() != ranks) {
        __builtin_trap();
      }
    }
  }
}

void read_distributions(std::string_view list, std::string_view file) {
  const auto read = [&](const std::string&) { return std::string(file); };
  for (const auto& one : distributions::parse_distributions(option, list, read)) {
    distributions::require_ranks(one, ranks);
    for (const std::int64_t bytes : distributions::block_sizes(one, ranks, 1000)) {
      if (bytes < 0) __builtin_trap();
    }
  }
}

/// Whatever was read can be proven or refused.
void read_schedule(std::string_view text) {
  auto choices = algorithms::parse_algorithms(option, "file:a.json");
  const auto read = [&](const std::string&) { return std::string(text); };
  proof::read_schedules(option, choices, read);
  proof::require_proven(option, choices[0]);
}

void read_checksums(std::string_view text) {
  formats::ChecksumCheck check("--resume", "a.csv");
  for (const std::string_view line : text::split(text, '\n')) check.take(line);
}

void read_trace(std::string_view bytes) {
  (void)formats::read_rank_trace("--replay", "rank_0.agtrace", bytes, "MPI_Allgather");
}

using Read = void (*)(std::string_view);

constexpr std::array readers{
    Read{[](std::string_view text) { text::parse_bytes_list(option, text); }},
    Read{[](std::string_view text) { text::parse_bytes_range(option, text, largest); }},
    Read{[](std::string_view text) { text::parse_duration(option, text); }},
    Read{[](std::string_view text) { text::parse_fraction(option, text); }},
    Read{[](std::string_view text) { text::parse_ranks(option, text, 1 << 16); }},
    Read{[](std::string_view text) { cost::parse_hockney(option, text); }},
    Read{[](std::string_view text) { topology::SwitchTree::parse("topology.conf", text); }},
    Read{[](std::string_view text) { read_arrivals(text, ""); }},
    Read{[](std::string_view text) { read_arrivals("trace:a", text); }},
    Read{[](std::string_view text) { read_distributions(text, ""); }},
    Read{[](std::string_view text) { read_distributions("file:a", text); }},
    Read{[](std::string_view text) { text::csv_cells(text); }},
    Read{[](std::string_view text) { read_checksums(text); }},
    Read{[](std::string_view text) { read_algorithms(text, collectives::alltoall); }},
    Read{[](std::string_view text) { read_algorithms(text, collectives::allgatherv); }},
    Read{[](std::string_view text) { topology::parse_host_file("hosts", text); }},
    Read{[](std::string_view text) { read_schedule(text); }},
    Read{[](std::string_view text) {
      topology::Torus::parse(option, fmt::format("torus:{}", text));
    }},
    Read{read_trace},
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    readers.at(data[0] % readers.size())(text);
  } catch (const text::InputError& error) {
    if (text::in_one_line(error.what()).find('\n') != std::string::npos) __builtin_trap();
  }
  return 0;
}
