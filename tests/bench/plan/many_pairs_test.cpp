// SPDX-License-Identifier: BSD-3-Clause
//
// An all-to-all has p^2 blocks, and a rank has to do with 2p of them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>

#include "algorithms/choice/choice.h"
#include "algorithms/choice/parse_algorithms.h"
#include "bench/plan/memory.h"
#include "runtime/mpi/plans/lowering.h"
#include "tests/bench/one_group.h"

namespace gatherbench::bench {
namespace {

constexpr int ranks = 4096;
constexpr std::int64_t megabytes = 1 << 20;

/// The address space beyond what it takes now.
void allow_more(std::int64_t bytes) {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto most = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + bytes);
  const rlimit limit{most, most};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(3);
}

/// All that a rank makes of a case before and for a plan, its buffers apart.
void make_all(const std::string& names) {
  const std::vector<Group> groups = one_group(ranks, {});
  const auto regular = distributions::parse_distributions("-d", "regular", {});
  const auto none = arrivals::parse_arrivals("-a", "none", {});
  Setup launch;
  Options& options = launch.options;
  options.collective = &collectives::alltoall;
  options.sizes = {8, 64};
  options.noncontiguous = algorithms::Noncontiguous::packed;
  std::vector<Contender>& contenders = launch.contenders;
  for (const algorithms::Choice& choice :
       algorithms::parse_algorithms("-a", names, collectives::alltoall)) {
    contenders.push_back({choice, choice.label(), std::nullopt, {}});
  }
  for (const Case& of_all : make_cases(options, groups[0], {"", {}}, regular, none)) {
    const Case one = case_of(groups[0], of_all);
    const mpi::Layout layout = make_layout(one);
    ASSERT_EQ(one.key.total_bytes, of_all.key.bytes * ranks);
    ASSERT_GE(estimate_memory(launch, one).total(), 2 * one.key.total_bytes);
    for (const Contender& contender : contenders) {
      ASSERT_EQ(why_not(contender, one, layout, {}), std::nullopt);
      if (contender.choice.algorithm->is<algorithms::LibraryCall>()) continue;
      const BlockBytes block_bytes(layout);
      const algorithms::Problem problem = make_problem(contender.choice, {}, block_bytes, 1, ranks);
      const mpi::LoweredSchedule lowered(
          algorithms::make_schedule(*contender.choice.algorithm, problem), layout,
          part_of(collectives::alltoall, 1, ranks), false,
          form_of(contender.choice, options.noncontiguous));
      ASSERT_GT(lowered.steps(), 0U);
    }
  }
}

void expect_within(std::int64_t bytes, const std::string& names) {
  EXPECT_EXIT(
      {
        allow_more(bytes);
        try {
          make_all(names);
        } catch (const std::bad_alloc&) {
          std::_Exit(1);
        }
        std::_Exit(testing::Test::HasFailure() ? 2 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(ManyPairs, TheLibrarysCallTakesNoMemoryForThem) { expect_within(2 * megabytes, "native"); }

TEST(ManyPairs, AnAlgorithmTakesMemoryForItsOwn) {
  for (const std::string name : {"linear", "spread", "shift", "bruck"}) {
    SCOPED_TRACE(name);
    expect_within(20 * megabytes, name);
  }
}

}  // namespace
}  // namespace gatherbench::bench
