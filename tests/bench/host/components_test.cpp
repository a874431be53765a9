// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "bench/host/machine.h"

namespace gatherbench::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using Categories = std::vector<std::string>;

TEST(Components, OpenMpi4TellsTheOpenOnes) {
  // mtl's are registered, though nothing uses them.
  const Categories categories{"opal_btl_base", "opal_btl_tcp",  "opal_btl_vader", "opal_btl_self",
                              "ompi_fbtl",     "ompi_mtl_psm2", "ompi_pml_base",  "ompi_pml_ob1",
                              "ompi_coll",     "ompi_coll_sm",  "ompi_coll_basic"};
  EXPECT_THAT(find_components("Open MPI v4.1.4, package: Debian", categories),
              ElementsAre(Pair("transport", "ob1 over tcp, vader"),
                          Pair("collective_components", "basic, sm")));
}

TEST(Components, OpenMpi5HasOneTransportByTwoNames) {
  const Categories categories{"opal_btl_self", "opal_btl_sm", "opal_btl_vader", "ompi_pml_ob1"};
  EXPECT_THAT(find_components("Open MPI v5.0.11", categories),
              ElementsAre(Pair("transport", "ob1 over sm")));
}

TEST(Components, EachLayerWorksOverItsOwn) {
  const Categories cm{"opal_btl_self", "ompi_mtl_ofi", "ompi_pml_cm"};
  EXPECT_THAT(find_components("Open MPI v4.1.4", cm),
              ElementsAre(Pair("transport", "cm over ofi")));
  const Categories ucx{"opal_btl_self", "ompi_mtl_ofi", "ompi_pml_ucx"};
  EXPECT_THAT(find_components("Open MPI v4.1.4", ucx), ElementsAre(Pair("transport", "ucx")));
}

TEST(Components, MpichTellsItsDevice) {
  EXPECT_THAT(find_components("MPICH Version:      4.0.2 MPICH Device:       ch4:ofi MPICH "
                              "configure:    --with-device=ch4:ofi",
                              {}),
              ElementsAre(Pair("transport", "ch4:ofi")));
  EXPECT_THAT(find_components("MPICH Device:    ch4:ucx ofi MPICH CC: gcc", {}),
              ElementsAre(Pair("transport", "ch4:ucx ofi")));
}

TEST(Components, OfOthersNothingIsKnown) {
  EXPECT_THAT(find_components("Intel(R) MPI Library 2021.8 for Linux* OS", {}), IsEmpty());
  EXPECT_THAT(find_components("Open MPI v6", {}), IsEmpty());
}

}  // namespace
}  // namespace gatherbench::bench
