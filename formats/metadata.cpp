// SPDX-License-Identifier: BSD-3-Clause
#include "formats/metadata.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace gatherbench::formats {
namespace {

// The roles that there are. All that is part of what was asked must be the same to resume.
constexpr Role run{.resume = true};
constexpr Role cases{.resume = true, .duet = true};
constexpr Role build{.resume = true, .pool = true};  // what a comparison is about
constexpr Role how{.resume = true, .pool = true, .compare = true};
constexpr Role conditions{.resume = true, .duet = true, .pool = true, .compare = true};
constexpr Role machine{.pool = true, .compare = true};

constexpr std::array table{
    MetadataKey{"suite", "name and version of the suite", build},
    MetadataKey{"mpi", "what the MPI library says of itself", build},
    MetadataKey{"collective", "the collective", cases},
    MetadataKey{"ranks", "number of ranks", cases},
    MetadataKey{"nodes", "number of nodes", cases},
    MetadataKey{"ranks_per_node", "number of ranks on each node", conditions},
    MetadataKey{"thread_level", "the thread support that MPI gave", how},
    MetadataKey{"sync", "how ranks come together before an iteration", conditions},
    MetadataKey{"wait", "how ranks pass the time until they arrive: busy or sleep", conditions,
                false, "delay"},
    MetadataKey{"compute", "computation before each rank's delay", conditions},
    MetadataKey{"compiler", "compiler and flags of the suite", build},
    MetadataKey{"sizes", "the block sizes", cases},
    MetadataKey{"algorithms", "the algorithms, with their parameters", run},
    MetadataKey{"distributions", "the distributions of block sizes", cases},
    MetadataKey{"arrivals", "the arrival patterns", cases},
    MetadataKey{"mappings", "the mappings", cases},
    MetadataKey{"pretended_ranks_per_node", "`--ranks-per-node`", how},
    MetadataKey{"topology", "the file of `--topology`", run},
    MetadataKey{"in_place", "`--in-place`: MPI_IN_PLACE", conditions},
    MetadataKey{"noncontiguous", "how blocks that do not lie together travel", how},
    MetadataKey{"iterations", "timed iterations of each algorithm and case", cases},
    MetadataKey{"warmup", "untimed iterations before them", conditions},
    MetadataKey{"order", "interleaved or sequential", conditions},
    MetadataKey{"seed", "of all that is random", cases},
    MetadataKey{"check_up_to", "the largest block size that is checked before it is timed",
                conditions},
    MetadataKey{"validation", "whether the result of each timed iteration is checked too",
                conditions},
    MetadataKey{"precision", "`--precision`", cases},
    MetadataKey{"max_time", "`--max-time`", cases},
    MetadataKey{"record_ranks", "whether each rank's times are recorded", run},
    MetadataKey{"duet_name", "this job's name in the duet", run},
    MetadataKey{"note.", "what `--note KEY=VALUE` said", run, true},
    MetadataKey{"distribution_file_", "what a file of block sizes says", conditions, true},
    MetadataKey{"arrival_trace", "the arrival trace, with its checksum", conditions},
    MetadataKey{"topology_tree", "the switches and hosts that the file of `--topology` names", how},
    MetadataKey{"duet_partner", "the partner's name in the [duet](duets.md)", run},
    MetadataKey{"command", "the command"},
    MetadataKey{"start", "when the launch began"},
    MetadataKey{"hosts", "the hosts", machine},
    MetadataKey{"oversubscribed", "whether there are more ranks than processors", machine},
    MetadataKey{"binding", "ranks and the processors they may use", machine},
    MetadataKey{"clock", "the clock of the ranks", machine},
    MetadataKey{"prepared", "what is prepared before the clock starts"},
    MetadataKey{"kernel", "the operating system", machine},
    MetadataKey{"registry", "the suite's algorithms"},
    MetadataKey{"left_out",
                "what this MPI cannot run, and why ([simulations](simulation.md) have no "
                "threads and no MPI_T)"},
    MetadataKey{"env.",
                "variables that steer MPI libraries, transports and Slurm; those that may "
                "hold secrets are left out",
                {},
                true},
    MetadataKey{"chosen_at_start",
                "the `native:NAME` that the MPI library had to be given before it started"},
    MetadataKey{"duet_pair", "the same in the files of the two jobs of a duet"},
    MetadataKey{"duet_begins", "whether this job begins each round"},
    MetadataKey{"duet_address", "where the two jobs of a duet met"},
    MetadataKey{"resumed",
                "written where `--resume` went on: after how many cases, and what was else then"},
};

struct PurposeRow {
  Purpose purpose;
  std::string_view name;
  bool Role::*member;
};

constexpr std::array purposes{
    PurposeRow{Purpose::resume, "resume", &Role::resume},
    PurposeRow{Purpose::duet, "duet", &Role::duet},
    PurposeRow{Purpose::pool, "pool", &Role::pool},
    PurposeRow{Purpose::compare, "compare", &Role::compare},
};

const PurposeRow& row_of(Purpose purpose) {
  return *std::ranges::find(purposes, purpose, &PurposeRow::purpose);
}

}  // namespace

bool Role::holds(Purpose purpose) const { return this->*row_of(purpose).member; }

std::vector<std::string_view> names_of(const Role& role) {
  std::vector<std::string_view> names;
  for (const PurposeRow& row : purposes) {
    if (role.*row.member) names.push_back(row.name);
  }
  return names;
}

std::span<const MetadataKey> metadata_keys() { return table; }

const MetadataKey* find_key(std::string_view key) {
  const auto found = std::ranges::find_if(table, [&](const MetadataKey& row) {
    return row.is_prefix ? key.starts_with(row.key) : key == row.key;
  });
  return found == table.end() ? nullptr : &*found;
}

Metadata select(const Metadata& metadata, Purpose purpose) {
  Metadata found;
  std::ranges::copy_if(metadata, std::back_inserter(found), [&](const auto& entry) {
    const MetadataKey* const row = find_key(entry.first);
    return row != nullptr && row->must_agree_to.holds(purpose);
  });
  return found;
}

const std::string* find_value(const Metadata& metadata, std::string_view key) {
  const auto entry =
      std::ranges::find_if(metadata, [&](const auto& each) { return each.first == key; });
  return entry == metadata.end() ? nullptr : &entry->second;
}

}  // namespace gatherbench::formats
