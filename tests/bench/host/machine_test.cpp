// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/machine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace gatherbench::bench {
namespace {

namespace fs = std::filesystem;
using formats::Metadata;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// A folder with files as the kernel shows them.
class FakeRoot : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) const { folder_.put(path, text); }
  void put_cpu(int number, const std::string& socket, const std::string& threads) const {
    const std::string folder = fmt::format("sys/devices/system/cpu/cpu{}/", number);
    put(folder + "topology/physical_package_id", socket);
    put(folder + "topology/core_cpus_list", threads);
  }
  void put_card(const std::string& name, const std::string& type, const std::string& state,
                const std::string& speed, const std::string& driver) const {
    const std::string folder = fmt::format("sys/class/net/{}/", name);
    put(folder + "type", type);
    put(folder + "operstate", state);
    put(folder + "speed", speed);
    if (driver.empty()) return;
    fs::create_directories(root_ / folder / "device");
    fs::create_symlink("../../bus/pci/drivers/" + driver, root_ / folder / "device/driver");
  }
  void put_port(const std::string& port, const std::string& state, const std::string& link,
                const std::string& rate) const {
    const std::string folder = fmt::format("sys/class/infiniband/{}/", port);
    put(folder + "state", state);
    put(folder + "link_layer", link);
    put(folder + "rate", rate);
  }

  const TemporaryFolder folder_;
  const fs::path root_ = folder_.path();
};

TEST_F(FakeRoot, TellsNothingOfWhatIsMissing) { EXPECT_THAT(read_node(root_), IsEmpty()); }

TEST_F(FakeRoot, TwoSocketsOfTwoCoresWithTwoThreads) {
  std::string cpuinfo;
  for (int cpu = 0; cpu < 8; ++cpu) {
    cpuinfo +=
        fmt::format("processor\t: {}\nmodel name\t: Xeon(R) Gold: 6248\ncpu MHz\t: 1\n\n", cpu);
    put_cpu(cpu, cpu % 4 < 2 ? "0" : "1", fmt::format("{},{}", cpu % 4, cpu % 4 + 4));
    put(fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", cpu), "powersave");
  }
  put("proc/cpuinfo", cpuinfo);
  put("proc/meminfo", "MemTotal:       16384 kB\nMemFree:  1 kB");
  put("sys/devices/system/cpu/intel_pstate/no_turbo", "1");
  put("sys/devices/system/cpu/cpufreq/boost", "1");  // no processor, and not looked at
  put("sys/devices/system/cpu/cpuidle/current_driver", "none");
  put("sys/devices/system/cpu/cpu8/online", "0");  // has no topology
  put("sys/devices/system/node/node0/cpulist", "0-3");
  put("sys/devices/system/node/node1/cpulist", "4-7");
  put("sys/devices/system/node/online", "0-1");
  EXPECT_THAT(read_node(root_),
              ElementsAre(Pair("machine.cpu", "Xeon(R) Gold: 6248"), Pair("machine.sockets", "2"),
                          Pair("machine.cores", "4"), Pair("machine.threads_per_core", "2"),
                          Pair("machine.numa_nodes", "2"), Pair("machine.governor", "powersave"),
                          Pair("machine.turbo", "off"), Pair("machine.memory", "16777216")));
}

TEST_F(FakeRoot, TheSmallestQuotaOfTheCgroupAndThoseAboveIt) {
  EXPECT_EQ(read_cpu_quota(root_), "");
  put("proc/self/cgroup", "0::/slurm/job_7/step_0");
  EXPECT_EQ(read_cpu_quota(root_), "");
  put("sys/fs/cgroup/slurm/cpu.max", "max 100000");
  EXPECT_EQ(read_cpu_quota(root_), "none");
  put("sys/fs/cgroup/slurm/job_7/cpu.max", "150000 100000");
  put("sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "400000 100000");
  EXPECT_EQ(read_cpu_quota(root_), "1.5 processors");
}

TEST_F(FakeRoot, QuotasOfTheFirstVersionOfCgroups) {
  put("proc/self/cgroup", "5:memory:/there\n4:cpu,cpuacct:/docker/12ab");
  put("sys/fs/cgroup/memory/cpu.cfs_quota_us", "1");
  // A container sees its own cgroup as the root.
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  EXPECT_EQ(read_cpu_quota(root_), "none");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000");
  EXPECT_THAT(read_node(root_), ElementsAre(Pair("machine.cpu_quota", "2 processors")));
}

TEST_F(FakeRoot, WhatIsDoneAboutHugePages) {
  put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  EXPECT_THAT(read_node(root_), ElementsAre(Pair("machine.huge_pages", "madvise")));
}

TEST_F(FakeRoot, CoresOfSeveralKinds) {
  put("proc/cpuinfo",
      "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n\n"
      "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd46\n");
  put_cpu(0, "-1", "0");  // a socket that the firmware did not tell
  put_cpu(1, "-1", "1-2");
  put_cpu(2, "-1", "1-2");
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance");
  put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "ondemand");
  put("sys/devices/system/cpu/cpufreq/boost", "1");
  EXPECT_THAT(
      read_node(root_),
      ElementsAre(Pair("machine.cpu", "implementer 0x41 part 0xd40, implementer 0x41 part 0xd46"),
                  Pair("machine.cores", "2"), Pair("machine.threads_per_core", "1, 2"),
                  Pair("machine.governor", "ondemand, performance"), Pair("machine.turbo", "on")));
}

TEST_F(FakeRoot, KernelsBefore53NameThreadsOtherwise) {
  put("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0");
  EXPECT_THAT(read_node(root_),
              ElementsAre(Pair("machine.cores", "1"), Pair("machine.threads_per_core", "1")));
}

TEST_F(FakeRoot, CardsThatAreUp) {
  put_card("eth0", "1", "up", "25000", "mlx5_core");
  put_card("eth1", "1", "down", "-1", "mlx5_core");
  put_card("eth2", "1", "up", "-1", "virtio_net");
  put_card("eth3", "1", "up", "2500", "igc");
  put_card("ib0", "32", "up", "200000", "mlx5_core");  // IP over InfiniBand: is below already
  put_card("lo", "772", "unknown", "", "");
  put_card("veth1", "1", "up", "10000", "");
  put_port("mlx5_0/ports/1", "4: ACTIVE", "InfiniBand", "200 Gb/sec (4X HDR)");
  put_port("mlx5_1/ports/1", "1: DOWN", "InfiniBand", "10 Gb/sec (4X SDR)");
  put_port("mlx5_2/ports/1", "4: ACTIVE", "Ethernet", "25 Gb/sec (1X EDR)");
  put_port("mlx5_2/ports/2", "4: ACTIVE", "Ethernet", "25 Gb/sec (1X EDR)");
  put_port("hfi1_0/ports/1", "4: ACTIVE", "InfiniBand", "100 Gb/sec (4X EDR)");
  EXPECT_THAT(read_node(root_),
              ElementsAre(Pair("machine.network",
                               "hfi1_0 Omni-Path 100 Gb/sec (4X EDR), "
                               "mlx5_0 InfiniBand 200 Gb/sec (4X HDR), "
                               "mlx5_2 port 1 RoCE 25 Gb/sec (1X EDR), "
                               "mlx5_2 port 2 RoCE 25 Gb/sec (1X EDR), "
                               "eth0 Ethernet 25 Gb/s (mlx5_core), eth2 Ethernet (virtio_net), "
                               "eth3 Ethernet 2.5 Gb/s (igc)")));
}

TEST(UnitedNodes, SayWhatTheyShareOnce) {
  const Metadata node{{"machine.cpu", "A"}, {"machine.cores", "4"}};
  EXPECT_EQ(unite(std::vector{node, node}), node);
  EXPECT_THAT(unite(std::vector<Metadata>{}), IsEmpty());
}

TEST(UnitedNodes, CountKinds) {
  const std::vector<Metadata> nodes{{{"cpu", "B"}, {"memory", "5"}},
                                    {{"cpu", "A"}, {"memory", "7"}, {"turbo", "on"}},
                                    {{"cpu", "A"}, {"memory", "10"}}};
  EXPECT_THAT(unite(nodes), ElementsAre(Pair("cpu", "2 kinds: A (2 nodes); B (1 node)"),
                                        Pair("memory", "5 to 10"),
                                        Pair("turbo", "2 kinds: not told (2 nodes); on (1 node)")));
}

TEST(UnitedNodes, ANumberThatANodeDoesNotTellIsNoRange) {
  const std::vector<Metadata> nodes{{{"cores", "8"}}, {}};
  EXPECT_THAT(unite(nodes), ElementsAre(Pair("cores", "2 kinds: 8 (1 node); not told (1 node)")));
}

}  // namespace
}  // namespace gatherbench::bench
