// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/control_variables.h"

#include <gmock/gmock.h>

namespace gatherbench::mpi {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_in(std::string_view description) {
  std::vector<std::string> names;
  for (const NamedValue& value : values_in(description)) {
    EXPECT_EQ(value.value, std::ssize(names));
    names.push_back(value.name);
  }
  return names;
}

TEST(ValuesIn, LinesOfADescription) {
  EXPECT_THAT(names_in("Variable to select allgather algorithm\n"
                       "auto - Internal algorithm selection (can be overridden with SOME_FILE)\n"
                       "k_brucks           - Force brucks algorithm\n"
                       "ring               - Force ring algorithm - or so\n"),
              ElementsAre("auto", "k_brucks", "ring"));
}

TEST(ValuesIn, LinesThatWereGluedTogether) {
  EXPECT_THAT(names_in("Variable to select allgather algorithm"
                       "auto - Internal algorithm selection (can be overridden with SOME_FILE)"
                       "brucks             - Force brucks algorithm"
                       "nb                 - Force nonblocking algorithm"
                       "recursive_doubling - Force recursive doubling algorithm"
                       "ring               - Force ring algorithm"),
              ElementsAre("auto", "brucks", "nb", "recursive_doubling", "ring"));
}

TEST(ValuesIn, LinesOfBroadcastsThatWereGluedTogether) {
  EXPECT_THAT(names_in("Variable to select bcast algorithm"
                       "auto - Internal algorithm selection (can be overridden with SOME_FILE)"
                       "binomial - Force Binomial Tree"
                       "nb - Force nonblocking algorithm"
                       "smp - Force smp algorithm"
                       "scatter_recursive_doubling_allgather - "
                       "Force Scatter Recursive-Doubling Allgather"
                       "scatter_ring_allgather - Force Scatter Ring"),
              ElementsAre("auto", "binomial", "nb", "smp", "scatter_recursive_doubling_allgather",
                          "scatter_ring_allgather"));
}

TEST(ValuesIn, NoneInPlainText) {
  EXPECT_THAT(values_in("Segment size in bytes. Only has meaning if the algorithm is forced."),
              IsEmpty());
  EXPECT_THAT(values_in(""), IsEmpty());
}

}  // namespace
}  // namespace gatherbench::mpi
