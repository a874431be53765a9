// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>

namespace gatherbench::bench {
namespace {

constexpr bool several(int ranks) { return ranks > 1; }
constexpr bool two(int ranks) { return ranks == 2; }
constexpr bool even(int ranks) { return ranks % 2 == 0; }
constexpr bool power_of_two(int ranks) { return std::has_single_bit(static_cast<unsigned>(ranks)); }

// Open MPI 4.1 and 5.0. All of it is the tuned component's, which is not asked at 1 rank.
constexpr std::array open_mpi_restrictions{
    NativeRestriction{"", several, "2 ranks or more", "only copy"},
    NativeRestriction{"two_proc", two, "2 ranks", "end the job"},
    NativeRestriction{"neighbor", even, "an even number of ranks", "run ring instead"},
    NativeRestriction{"recursive_doubling", power_of_two, "a power-of-two number of ranks",
                      "run bruck instead"}};

constexpr std::array open_mpi_conditions{
    NativeCondition{"coll_tuned_use_dynamic_rules",
                    [](std::string_view value) { return value == "true"; }},
    // 4.1 goes by a file of rules first.
    NativeCondition{"coll_tuned_dynamic_rules_filename",
                    [](std::string_view value) { return value.empty(); }}};

std::string open_mpi_variable(Collective collective) {
  return fmt::format("coll_tuned_{}_algorithm", names_of(collective).name);
}

// MPICH 4.0 and 5.0.
constexpr std::array mpich_restrictions{NativeRestriction{"recursive_doubling", power_of_two,
                                                          "a power-of-two number of ranks",
                                                          "choose another instead"}};

constexpr std::array mpich_conditions{NativeCondition{
    "MPIR_CVAR_DEVICE_COLLECTIVES", [](std::string_view value) { return value != "all"; }}};

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char letter) { return std::toupper(letter); });
  return result;
}

std::string mpich_variable(Collective collective) {
  return fmt::format("MPIR_CVAR_{}_INTRA_ALGORITHM", upper(names_of(collective).name));
}

std::vector<std::pair<std::string, int>> mpich_companions(Collective collective) {
  constexpr int no = 0;
  constexpr int error = 0;
  return {// The device may have an all-gather of its own, and take that.
          {fmt::format("MPIR_CVAR_{}_DEVICE_COLLECTIVE", upper(names_of(collective).name)), no},
          // A restriction that is not in the table above is an error, not another algorithm.
          {"MPIR_CVAR_COLLECTIVE_FALLBACK", error}};
}

constexpr std::array families{
    NativeFamily{.variable = open_mpi_variable,
                 .own_choice = "ignore",
                 .read_in_each_call = false,
                 .environment_prefix = "OMPI_MCA_",
                 .conditions = open_mpi_conditions,
                 .companions = nullptr,
                 // On several nodes Open MPI 5.0 prefers its han component, sites add others.
                 .info_key = "ompi_comm_coll_preference",
                 .info_value = "tuned",
                 .restrictions = open_mpi_restrictions},
    NativeFamily{.variable = mpich_variable,
                 .own_choice = "auto",
                 .read_in_each_call = true,
                 .environment_prefix = {},
                 .conditions = mpich_conditions,
                 .companions = mpich_companions,
                 .info_key = nullptr,
                 .info_value = nullptr,
                 .restrictions = mpich_restrictions}};

}  // namespace

std::span<const NativeFamily> native_families() { return families; }

}  // namespace gatherbench::bench
