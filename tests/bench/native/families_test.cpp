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
  const auto prefixes = environment_prefixes();
  const auto is_kept = [&](std::string_view name) {
    return std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
  };
  for (const NativeFamily& family : native_families()) {
    for (const collectives::Collective& collective : collectives::all_collectives()) {
      const std::string variable = family.variable(collective);
      EXPECT_TRUE(is_kept(fmt::format("{}{}", family.variable_prefix, variable))) << family.name;
    }
    for (const EnvironmentVariable& variable : family.needed_at_start) {
      EXPECT_TRUE(is_kept(variable.name)) << family.name;
    }
  }
  EXPECT_TRUE(is_kept("SLURM_JOB_ID"));
  EXPECT_FALSE(is_kept("HOME"));
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
