// SPDX-License-Identifier: BSD-3-Clause
#include "bench/conditions/traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/message_of.h"

namespace gatherbench::bench {
namespace {

using testing::HasSubstr;

TEST(Traffic, IsACollectiveWithASize) {
  EXPECT_EQ(parse_traffic("--beside", "").kind, nullptr);
  const TrafficChoice choice = parse_traffic("--beside", "allgather:1K");
  EXPECT_EQ(choice.bytes, 1024);
  EXPECT_EQ(choice.label, "allgather:1K");
  EXPECT_EQ(choice.buffer_bytes(3), 4 * 1024);
}

TEST(Traffic, OtherTextsAreRefused) {
  const auto refusal = [](std::string_view text) {
    return message_of([&] { parse_traffic("--beside", text); });
  };
  EXPECT_THAT(refusal("sums:1M"),
              HasSubstr("--beside: 'sums:1M' is no collective with a size; legal: reduce_scatter"));
  EXPECT_THAT(refusal("reduce_scatter"), HasSubstr("legal: reduce_scatter:SIZE|"));
  EXPECT_THAT(refusal("allreduce:3"), HasSubstr("legal: multiples of 4 bytes, up to 1G"));
  EXPECT_THAT(refusal("alltoall:2G"), HasSubstr("up to 1G"));
  EXPECT_THAT(refusal("alltoall:"), HasSubstr("--beside: '' is not a size"));
  EXPECT_THAT(refusal("alltoall:-1"), HasSubstr("--beside: '-1' is negative"));
}

}  // namespace
}  // namespace gatherbench::bench
