// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/families.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bench/native/native_choice.h"

namespace gatherbench::bench {
namespace {

algorithms::Choice native(std::string variant) {
  return {algorithms::find_algorithm("native"), std::move(variant)};
}

TEST(NativeFamilies, ResultFilesHaveWhatTheRowsSet) {
  for (const NativeFamily& family : native_families()) {
    for (const collectives::Collective& collective : collectives::all_collectives()) {
      const std::string variable = family.variable(collective);
      EXPECT_TRUE(steers_mpi(fmt::format("{}{}", family.variable_prefix, variable))) << family.name;
    }
    for (const EnvironmentVariable& variable : family.needed_at_start) {
      EXPECT_TRUE(steers_mpi(variable.name)) << family.name;
    }
  }
  EXPECT_TRUE(steers_mpi("SLURM_JOB_ID"));
  EXPECT_FALSE(steers_mpi("HOME"));
}

TEST(NativeFamilies, ResultFilesDoNotHaveWhatNamesOneJob) {
  for (const char* const variable :
       {"OMPI_MCA_orte_precondition_transports", "OMPI_MCA_orte_hnp_uri", "OMPI_FILE_LOCATION",
        "OMPI_MCA_ess_base_jobid", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME", "PMIX_NAMESPACE",
        "PMIX_SERVER_URI41", "SLURM_LAUNCH_NODE_IPADDR", "SLURM_SRUN_COMM_PORT"}) {
    EXPECT_FALSE(steers_mpi(variable)) << variable;
  }
  EXPECT_TRUE(steers_mpi("OMPI_MCA_orte_keep_fqdn_hostnames"));
}

TEST(NativeByEnvironment, IsFoundByWhatTheLibrarySaysOfItself) {
  struct {
    std::string_view version;
    const collectives::Collective& collective;
    std::string_view variable;  // empty: there is none
    std::string_view name;
    std::string_view value;
  } const rows[] = {
      {"Intel(R) MPI Library 2021.14 for Linux* OS\n", collectives::allgather,
       "I_MPI_ADJUST_ALLGATHER", "knomial", "5"},
      {"Intel(R) MPI Library 2019 Update 9", collectives::allgatherv, "I_MPI_ADJUST_ALLGATHERV",
       "gatherv_bcast", "4"},
      {"MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date :", collectives::allgather,
       "MV2_INTER_ALLGATHER_TUNING", "ring", "4"},
      {"MVAPICH2 Version      :\t2.3.7\n", collectives::allgatherv, "MV2_INTER_ALLGATHERV_TUNING",
       "ring", "3"},
      {"MVAPICH Version:\t4.0\n", collectives::allgather, "MVP_ALLGATHER_INTRA_ALGORITHM",
       "osu_direct", "osu_direct"},
      {"MVAPICH Version:\t4.0\n", collectives::allgatherv, "", "", ""},
      {"Open MPI v4.1.4, package: Debian", collectives::allgather, "", "", ""},
      {"MPICH Version:\t4.0.2", collectives::allgather, "", "", ""},
  };
  for (const auto& row : rows) {
    const EnvironmentChoice* const found = find_environment_choice(row.version, row.collective);
    ASSERT_EQ(found == nullptr, row.variable.empty()) << row.version;
    if (found == nullptr) continue;
    EXPECT_EQ(found->variable, row.variable);
    ASSERT_NE(found->find(row.name), nullptr) << row.version;
    EXPECT_EQ(found->find(row.name)->value, row.value);
    EXPECT_EQ(found->find("sparbit"), nullptr);
    EXPECT_TRUE(steers_mpi(row.variable));  // so that result files have it
  }
  EXPECT_EQ(find_environment_choice(rows[1].version, collectives::allgatherv)->find("knomial"),
            nullptr);
}

// Intel MPI 2021.18 sends as ring does at 3, 5 and 6 ranks.
TEST(NativeByEnvironment, WhatRunsAsAnotherAlgorithmIsKnown) {
  constexpr std::string_view intel = "Intel(R) MPI Library 2021.18 for Linux* OS\n";
  for (const auto* const collective : {&collectives::allgather, &collectives::allgatherv}) {
    const EnvironmentChoice* const found = find_environment_choice(intel, *collective);
    ASSERT_NE(found, nullptr);
    ASSERT_EQ(found->restrictions.size(), 1);
    EXPECT_EQ(found->restrictions[0].algorithm, "recursive_doubling");
    EXPECT_TRUE(found->restrictions[0].allows({.ranks = 8}));
    EXPECT_FALSE(found->restrictions[0].allows({.ranks = 6}));
  }
}

TEST(NativeByEnvironment, IsSetForOneChoiceAndNothingElse) {
  for (const EnvironmentChoice& row : environment_choices()) {
    const std::string first(row.algorithms[0].name);
    const std::string second(row.algorithms[1].name);
    unsetenv(row.variable);
    set_environment_choice(row, std::array{native("")});
    set_environment_choice(row, std::array{native("none of these")});
    set_environment_choice(row, std::array{native(first), native("")});
    EXPECT_EQ(std::getenv(row.variable), nullptr);
    set_environment_choice(row, std::array{native(second)});
    EXPECT_STREQ(std::getenv(row.variable), std::string(row.algorithms[1].value).c_str());
    set_environment_choice(row, std::array{native(first)});
    EXPECT_STREQ(std::getenv(row.variable), std::string(row.algorithms[1].value).c_str());
    unsetenv(row.variable);
  }
}

/// Returns what Open MPI does instead of an algorithm of its own; empty: it runs that one.
std::string_view open_mpi_runs(const collectives::Collective& collective,
                               std::string_view algorithm, const CallShape& shape) {
  const auto family = std::ranges::find(native_families(), "Open MPI", &NativeFamily::name);
  const auto forbids = [&](const NativeRestriction& each) {
    return (each.algorithm.empty() || each.algorithm == algorithm) &&
           (each.kind == nullptr || each.kind == collective.kind) && !each.allows(shape);
  };
  const auto found = std::ranges::find_if(family->restrictions, forbids);
  return found == family->restrictions.end() ? std::string_view() : found->instead;
}

// The sources of Open MPI 4.1.0 to 4.1.8 and 5.0.0 to 5.0.10 have it so.
TEST(NativeFamilies, OpenMpiExchangesDataInPlaceInOneWay) {
  for (const int ranks : {2, 4}) {
    for (const char* const name :
         {"linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"}) {
      EXPECT_EQ(open_mpi_runs(collectives::alltoall, name, {.ranks = ranks, .in_place = true}),
                "run its one algorithm for data in place")
          << name;
    }
  }
  EXPECT_EQ(open_mpi_runs(collectives::alltoall, "pairwise", {.ranks = 4}), "");
  EXPECT_EQ(open_mpi_runs(collectives::allgather, "ring", {.ranks = 4, .in_place = true}), "");
}

TEST(NativeFamilies, OpenMpiCutsAVectorThatHasEnoughElements) {
  struct {
    const collectives::Collective& collective;
    std::string_view algorithm;
    std::int64_t enough;  // elements, of 6 ranks
    std::string_view instead;
  } const rows[] = {
      {collectives::bcast, "split_binary_tree", 2, "run chain instead"},
      {collectives::bcast, "scatter_allgather", 6, "run basic_linear instead"},
      {collectives::bcast, "scatter_allgather_ring", 6, "run basic_linear instead"},
      {collectives::reduce, "rabenseifner", 4, "run linear instead"},
      {collectives::allreduce, "rabenseifner", 4, "run basic_linear instead"},
      {collectives::allreduce, "ring", 6, "run recursive_doubling instead"},
  };
  for (const auto& [collective, algorithm, enough, instead] : rows) {
    for (const std::int64_t elements : {std::int64_t{0}, enough - 1}) {
      EXPECT_EQ(open_mpi_runs(collective, algorithm, {.ranks = 6, .elements = elements}), instead)
          << algorithm << " of " << collective.name;
    }
    EXPECT_EQ(open_mpi_runs(collective, algorithm, {.ranks = 6, .elements = enough}), "")
        << algorithm << " of " << collective.name;
  }
  EXPECT_EQ(open_mpi_runs(collectives::bcast, "binomial", {.ranks = 6, .elements = 1}), "");
}

TEST(NativeFamilies, TheEnvironmentIsPreparedForAChoiceOnly) {
  constexpr const char* rules = "OMPI_MCA_coll_tuned_use_dynamic_rules";
  constexpr const char* choice = "OMPI_MCA_coll_tuned_allgatherv_algorithm";
  unsetenv(rules);
  unsetenv(choice);
  prepare_native_variants(collectives::allgatherv, std::array{native("")});
  EXPECT_EQ(std::getenv(rules), nullptr);
  prepare_native_variants(collectives::allgather, std::array{native("ring")});
  EXPECT_STREQ(std::getenv(rules), "1");
  EXPECT_EQ(std::getenv(choice), nullptr);
  prepare_native_variants(collectives::allgatherv, std::array{native("ring"), native("bruck")});
  EXPECT_EQ(std::getenv(choice), nullptr);  // two have no place in one launch
  prepare_native_variants(collectives::allgatherv, std::array{native("ring")});
  EXPECT_STREQ(std::getenv(choice), "ring");
  prepare_native_variants(collectives::allgatherv, std::array{native("bruck")});
  EXPECT_STREQ(std::getenv(choice), "ring");  // what is set stays
}

}  // namespace
}  // namespace gatherbench::bench
