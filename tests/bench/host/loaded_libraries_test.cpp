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

// The loader knows what these stand for; "not loaded" would be wrong.
TEST(Preloads, AreFoundByTheirLastPartIfTheirPathHasAToken) {
  for (const std::string name : {"/usr/$LIB/libc.so.6", "${ORIGIN}/../$PLATFORM/libc.so.6"}) {
    const std::string text = describe_preloads(name);
    EXPECT_NE(text.find("/libc.so.6"), std::string::npos) << text;
    EXPECT_EQ(text.find('$'), std::string::npos) << text;
    EXPECT_EQ(text.find("not loaded"), std::string::npos) << text;
  }
  EXPECT_EQ(describe_preloads("/usr/$LIB/no.so:/usr/$LIB/"),
            "/usr/$LIB/no.so (not loaded), /usr/$LIB/ (not loaded)");
}

TEST(Preloads, OfTheFileAreReadWithoutItsComments) {
  EXPECT_EQ(without_comments("# all programs\na.so #b.so\nc.so"), "\na.so \nc.so\n");
}

}  // namespace
}  // namespace gatherbench::bench
