// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "bench/measure/test_values.h"
#include "bench/options/operators.h"
#include "runtime/mpi/plans/reduction.h"
#include "tests/message_of.h"

namespace gatherbench::bench {
namespace {

using Bytes = std::vector<std::byte>;

/// What MPI makes of the contributions, combined in the order of ranks or in another one.
Bytes by_mpi(const Operator& with, const mpi::Reduction& reduction, std::size_t bytes, int ranks,
             bool backwards) {
  Bytes result(bytes);
  Bytes next(bytes);
  fill_contribution(with, result, backwards ? 0 : ranks - 1, ranks);
  for (int i = 1; i < ranks; ++i) {
    fill_contribution(with, next, backwards ? i : ranks - 1 - i, ranks);
    mpi::combine(reduction, next.data(), result.data(), static_cast<std::int64_t>(bytes));
  }
  return result;
}

// What is expected is computed without MPI, so each tells of an error of the other.
TEST(Operators, MakeWhatIsExpectedOfEveryType) {
  constexpr std::size_t elements = 301;
  for (const NamedType& type : element_types()) {
    for (const NamedOperation& operation : operations()) {
      if (operation.integers_only && !type.is_integer) continue;
      const Operator with{&operation, &type};
      const MpiOperator by(with);
      const std::size_t bytes = elements * static_cast<std::size_t>(type.bytes);
      for (const int ranks : {1, 2, 3, 8, 200}) {
        Bytes expected(bytes);
        fill_result(with, expected, ranks);
        EXPECT_EQ(by_mpi(with, by.reduction(), bytes, ranks, false), expected)
            << operation.name << " " << type.name << " " << ranks;
        const bool same = by_mpi(with, by.reduction(), bytes, ranks, true) == expected;
        EXPECT_EQ(same, operation.commutes || ranks == 1)
            << operation.name << " " << type.name << " " << ranks;
      }
    }
  }
}

// Or a rank that is left out, or counted twice, would not be seen.
TEST(Operators, TellOfARankThatIsMissing) {
  constexpr int ranks = 40;
  for (const NamedType& type : element_types()) {
    for (const NamedOperation& operation : operations()) {
      if (operation.integers_only && !type.is_integer) continue;
      const Operator with{&operation, &type};
      const MpiOperator by(with);
      for (const int missing : {0, 17, ranks - 1}) {
        Bytes all(8000);
        fill_result(with, all, ranks);
        Bytes some(all.size());
        Bytes next(all.size());
        fill_contribution(with, some, missing == 0 ? 1 : 0, ranks);
        for (int rank = missing == 0 ? 2 : 1; rank < ranks; ++rank) {
          if (rank == missing) continue;
          fill_contribution(with, next, rank, ranks);
          mpi::combine(by.reduction(), some.data(), next.data(), std::ssize(next));
          some = next;
        }
        EXPECT_NE(some, all) << operation.name << " " << type.name << " " << missing;
      }
    }
  }
}

TEST(Operators, AreFoundByName) {
  EXPECT_EQ(find_operation("--op", "bxor").operation, Operation::bxor);
  EXPECT_EQ(message_of([] { find_operation("--op", "summ"); }).find("--op: 'summ'"), 0U);
  EXPECT_EQ(message_of([] { find_type("--type", "real"); }).find("--type: 'real'"), 0U);
}

}  // namespace
}  // namespace gatherbench::bench
