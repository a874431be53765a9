// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/loaded_libraries.h"

#include <gtest/gtest.h>

namespace gatherbench::bench {
namespace {

TEST(Preloads, AreNamedWithWhetherTheyWereLoaded) {
  EXPECT_EQ(describe_preloads(""), "");
  EXPECT_EQ(describe_preloads("\n "), "");
  EXPECT_EQ(describe_preloads("nowhere.so:/no/such/library.so"),
            "nowhere.so (not loaded), /no/such/library.so (not loaded)");
  // Every program has it, whether it was preloaded or not.
  const std::string text = describe_preloads("libc.so.6");
  EXPECT_NE(text.find("/libc.so.6"), std::string::npos) << text;
  EXPECT_EQ(text.find("not loaded"), std::string::npos) << text;
}

}  // namespace
}  // namespace gatherbench::bench
