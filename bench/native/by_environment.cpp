// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/by_environment.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

namespace gatherbench::bench {
namespace {

// Intel MPI Library developer reference, I_MPI_ADJUST family, 2019 to 2021.14; the numbers follow
// the order of its list.
constexpr std::array intel_allgather{EnvironmentValue{"recursive_doubling", "1"},
                                     EnvironmentValue{"bruck", "2"}, EnvironmentValue{"ring", "3"},
                                     EnvironmentValue{"gatherv_bcast", "4"},
                                     EnvironmentValue{"knomial", "5"}};
constexpr std::span intel_allgatherv = std::span(intel_allgather).first<4>();
// Measured with 2021.18, by the bytes that each rank sent on each connection (TCP, 2, 3, 4, 5, 6
// and 8 ranks). No other name sent what another algorithm sends.
constexpr std::array intel_restrictions{NativeRestriction{
    "recursive_doubling",
    [](const CallShape& shape) { return std::has_single_bit(static_cast<unsigned>(shape.ranks)); },
    "a power-of-two number of ranks", "run ring instead"}};

// MVAPICH2 2.3.7, allgather_tuning.h and allgatherv_tuning.h.
constexpr std::array mvapich2_allgather{EnvironmentValue{"recursive_doubling_by_node", "1"},
                                        EnvironmentValue{"recursive_doubling", "2"},
                                        EnvironmentValue{"bruck", "3"},
                                        EnvironmentValue{"ring", "4"}};
constexpr std::array mvapich2_allgatherv{
    EnvironmentValue{"recursive_doubling", "1"}, EnvironmentValue{"bruck", "2"},
    EnvironmentValue{"ring", "3"}, EnvironmentValue{"ring_cyclic", "4"}};

// MVAPICH 3 and 4 user guides: MPICH's, and OSU's own.
constexpr std::array mvapich_allgather{EnvironmentValue{"brucks", "brucks"},
                                       EnvironmentValue{"k_brucks", "k_brucks"},
                                       EnvironmentValue{"recursive_doubling", "recursive_doubling"},
                                       EnvironmentValue{"ring", "ring"},
                                       EnvironmentValue{"recexch_doubling", "recexch_doubling"},
                                       EnvironmentValue{"recexch_halving", "recexch_halving"},
                                       EnvironmentValue{"osu_direct", "osu_direct"},
                                       EnvironmentValue{"osu_direct_spread", "osu_direct_spread"},
                                       EnvironmentValue{"osu_gather_bcast", "osu_gather_bcast"}};

constexpr std::array table{
    EnvironmentChoice{"Intel(R) MPI Library", &collectives::allgather, "I_MPI_ADJUST_ALLGATHER",
                      intel_allgather, intel_restrictions},
    EnvironmentChoice{"Intel(R) MPI Library", &collectives::allgatherv, "I_MPI_ADJUST_ALLGATHERV",
                      intel_allgatherv, intel_restrictions},
    EnvironmentChoice{"MVAPICH2", &collectives::allgather, "MV2_INTER_ALLGATHER_TUNING",
                      mvapich2_allgather},
    EnvironmentChoice{"MVAPICH2", &collectives::allgatherv, "MV2_INTER_ALLGATHERV_TUNING",
                      mvapich2_allgatherv},
    EnvironmentChoice{"MVAPICH Version", &collectives::allgather, "MVP_ALLGATHER_INTRA_ALGORITHM",
                      mvapich_allgather}};

}  // namespace

const EnvironmentValue* EnvironmentChoice::find(std::string_view name) const {
  const auto found = std::ranges::find(algorithms, name, &EnvironmentValue::name);
  return found == algorithms.end() ? nullptr : &*found;
}

std::span<const EnvironmentChoice> environment_choices() { return table; }

const EnvironmentChoice* find_environment_choice(std::string_view library_version,
                                                 const collectives::Collective& collective) {
  const auto* const found = std::ranges::find_if(table, [&](const EnvironmentChoice& row) {
    return row.collective == &collective &&
           library_version.find(row.library) != std::string_view::npos;
  });
  return found == table.end() ? nullptr : found;
}

void set_environment_choice(const EnvironmentChoice& choice,
                            std::span<const algorithms::Choice> native) {
  if (native.size() != 1) return;
  const EnvironmentValue* const found = choice.find(native[0].variant);
  if (found != nullptr) setenv(choice.variable, std::string(found->value).c_str(), 0);
}

}  // namespace gatherbench::bench
