// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/families.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "bench/native/selection.h"

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
