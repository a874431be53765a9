// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native/library_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "tests/temporary_folder.h"

namespace gatherbench::bench {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::optional<std::string> nothing(const std::string& /*name*/) { return std::nullopt; }

TEST(LibrarySettings, AreWhatSteersCalls) {
  constexpr std::array environment{"HOME=/root",
                                   "OMPI_MCA_coll_tuned_allgather_algorithm=2",
                                   "OMPI_MCA_orte_num_nodes=1",
                                   "OMPI_MCA_pmix=^s1",
                                   "OMPI_MCA_ess_base_vpid=0",
                                   "OMPI_MCA_shmem_RUNTIME_QUERY_hint=mmap",
                                   "OMPI_COMM_WORLD_SIZE=2",
                                   "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM=ring",
                                   "MPIR_CVAR_CH3_INTERFACE_HOSTNAME=here",
                                   "I_MPI_ADJUST_ALLGATHER=3",
                                   "I_MPI_HYDRA_UUID=1234",
                                   "I_MPI_INFO_NUMA_NODE_NUM=1",
                                   "MV2_COMM_WORLD_RANK=0",
                                   "UCX_TLS=tcp",
                                   "UCX_SECRET_KEY=x",
                                   "UCC_TLS=ucp",
                                   "FI_PROVIDER=tcp",
                                   "SLURM_JOB_ID=7",
                                   "PMIX_RANK=0"};
  EXPECT_THAT(settings_in(environment),
              ElementsAre(Pair("FI_PROVIDER", "tcp"), Pair("I_MPI_ADJUST_ALLGATHER", "3"),
                          Pair("MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "ring"),
                          Pair("OMPI_MCA_coll_tuned_allgather_algorithm", "2"),
                          Pair("UCC_TLS", "ucp"), Pair("UCX_TLS", "tcp")));
}

TEST(LibrarySettings, TheEnvironmentGoesBeforeFilesAndTheFirstFileBeforeTheNext) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "user")
      << "# btl = tcp\n\n btl = self,tcp \ncoll=basic\nrmaps = x\n";
  std::ofstream(folder.path() / "site") << "btl=vader\npml = ob1\nno value\n";
  LibrarySettings settings{{"OMPI_MCA_coll", "^tuned"}};
  const std::array files{folder.path() / "user", folder.path() / "site", folder.path() / "none"};
  add_parameter_files(settings, "OMPI_MCA_", files);
  EXPECT_THAT(settings, ElementsAre(Pair("OMPI_MCA_btl", "self,tcp"),
                                    Pair("OMPI_MCA_coll", "^tuned"), Pair("OMPI_MCA_pml", "ob1")));
}

TEST(LibrarySettings, AreSaidInTheLibrarysWords) {
  EXPECT_EQ(text_of({}, nothing), "none");
  const LibrarySettings settings{{"A", "2"}, {"B", "x"}};
  EXPECT_EQ(text_of(settings, nothing), "A=2 B=x");
  EXPECT_EQ(text_of(settings,
                    [](const std::string& name) {
                      return name == "A" ? std::optional<std::string>("bruck") : std::nullopt;
                    }),
            "A=bruck B=x");
}

TEST(LibrarySettings, AFileIsWhatItSays) {
  const TemporaryFolder folder;
  const std::string rules = folder.path() / "rules";
  const LibrarySettings settings{{"R", rules}};
  EXPECT_EQ(text_of(settings, nothing), "R=" + rules);  // there is none
  std::ofstream(rules) << "one";
  const std::string one = text_of(settings, nothing);
  EXPECT_TRUE(one.starts_with("R=" + rules + "(")) << one;
  std::ofstream(rules) << "two";
  EXPECT_NE(text_of(settings, nothing), one);
}

}  // namespace
}  // namespace gatherbench::bench
