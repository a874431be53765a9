// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/expected_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/message_of.h"

namespace gatherbench::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// What is said of a case of 2 ranks with 7 algorithms.
std::string said(const Options& options, std::int64_t bytes) {
  formats::CaseKey one{};
  one.bytes = bytes;
  one.total_bytes = 2 * bytes;
  return message_of([&] { require_expected_time(options, one, 7); });
}

TEST(ExpectedTime, ALongCaseHasToBeAskedForWithItsLength) {
  const std::int64_t large = std::int64_t{1} << 31;
  Options options;
  // 110 calls of 7 algorithms with 2^32 bytes.
  EXPECT_THAT(said(options, large),
              AllOf(HasSubstr("--message-size: '2147483648' takes about 3307 s"),
                    HasSubstr("legal: smaller blocks, or --iterations")));
  options.sizes_option = "--sizes";
  EXPECT_THAT(said(options, large), HasSubstr("--sizes: '2147483648'"));
  Options counted;
  counted.iterations = 1000;
  Options timed;
  timed.max_time = 1;
  Options precise;
  precise.precision = 0.05;
  for (const Options& long_enough : {counted, timed, precise}) {
    EXPECT_EQ(said(long_enough, large), "no error");
  }
}

TEST(ExpectedTime, TheDefaultSizesAreNotRefused) {
  for (std::int64_t bytes = 1; bytes <= 1 << 20; bytes *= 2) {
    EXPECT_EQ(said({}, bytes), "no error");
  }
}

}  // namespace
}  // namespace gatherbench::bench
