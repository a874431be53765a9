// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/values/datatype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/text/input_error.h"

namespace gatherbench::bench {
namespace {

using mpi::Element;

TEST(BufferType, HasTheElementThatItsTextSays) {
  EXPECT_EQ(parse_datatype("-d", "byte").element, Element{});
  EXPECT_EQ(parse_datatype("-d", "int").element, (Element{Element::Of::ints, 4, 4}));
  EXPECT_EQ(parse_datatype("-d", "double").element, (Element{Element::Of::doubles, 8, 8}));
  EXPECT_EQ(parse_datatype("-d", "float").element, (Element{Element::Of::floats, 4, 4}));
  const BufferType vector = parse_datatype("-d", "vector:1K:2K");
  EXPECT_EQ(vector.element, (Element{Element::Of::bytes, 1024, 2048}));
  EXPECT_EQ(vector.text, "vector:1024:2048");
  EXPECT_EQ(parse_datatype("-d", vector.text).element, vector.element);
}

TEST(BufferType, IsKnownByItsNameInMpiAsTheOsuBenchmarksHaveIt) {
  for (const auto& [text, plain] : {std::pair{"mpi_char", "byte"}, std::pair{"MPI_INT", "int"},
                                    std::pair{"mpi_float", "float"}}) {
    EXPECT_EQ(parse_datatype("-T", text).text, plain);
  }
}

TEST(BufferType, IsRefusedInOneLine) {
  for (const char* const text : {"", "char", "vector", "vector:", "vector:8", "vector:8:4",
                                 "vector:8:16:2", "vector:0:4", "vector:8:2G", "Int"}) {
    try {
      parse_datatype("--datatype", text);
      ADD_FAILURE() << text;
    } catch (const text::InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("--datatype")) << text;
    }
  }
}

}  // namespace
}  // namespace gatherbench::bench
