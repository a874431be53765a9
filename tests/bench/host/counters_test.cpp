// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/counters.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "tests/temporary_folder.h"

namespace gatherbench::bench {
namespace {

namespace fs = std::filesystem;
using formats::CounterChange;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A folder with counters as the kernel shows them.
class CountersTest : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) const { folder_.put(path, text); }
  /// Not readable whoever asks, root too.
  void put_unreadable(const std::string& path) const { fs::create_directories(root_ / path); }
  void put_cards(const std::string& lines) const {
    put("proc/net/dev",
        "Inter-|   Receive                            |  Transmit\n face |bytes    packets errs "
        "drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier "
        "compressed\n" +
            lines);
  }
  void put_zone(const std::string& id, const std::string& name, const std::string& energy) const {
    put("sys/class/powercap/" + id + "/name", name);
    put("sys/class/powercap/" + id + "/energy_uj", energy);
    put("sys/class/powercap/" + id + "/max_energy_range_uj", "1000");
  }
  void put_cpu(int number, const std::string& cores, int socket, int core, int package) const {
    const std::string cpu = fmt::format("sys/devices/system/cpu/cpu{}/", number);
    put(cpu + "topology/core_cpus_list", cores);
    put(cpu + "topology/physical_package_id", fmt::to_string(socket));
    put(cpu + "thermal_throttle/core_throttle_count", fmt::to_string(core));
    put(cpu + "thermal_throttle/package_throttle_count", fmt::to_string(package));
  }
  [[nodiscard]] Reading read() const { return read_counters(root_); }
  /// "12 B"; empty: there is no such counter.
  [[nodiscard]] std::string value_of(const std::string& name) const {
    const Reading reading = read();
    const auto found = std::ranges::find(reading.counters, name, &Counter::name);
    if (found == reading.counters.end()) return {};
    return fmt::format("{} {}", found->value, found->unit);
  }

  const TemporaryFolder folder_;
  const fs::path root_ = folder_.path();
};

/// "12", or the reason.
std::string change(const std::vector<CounterChange>& changes, const std::string& name) {
  const auto found = std::ranges::find(changes, name, &CounterChange::counter);
  if (found == changes.end()) return "nothing";
  return found->difference ? fmt::to_string(*found->difference) : found->reason;
}

TEST_F(CountersTest, AMachineWithoutAnyTellsNothing) {
  EXPECT_THAT(read().counters, IsEmpty());
  EXPECT_EQ(describe_left_out(root_),
            "no net; no tcp; no infiniband; no energy; no throttle; no cpu; no cgroup");
}

TEST_F(CountersTest, CardsByTheirNames) {
  put_cards(
      "    lo: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n"
      "eth0.7:18446744073709551615 20 0 0 0 0 0 0 50 60 0 0 0 0 0 0\n"
      "broken: 1 2 3");
  EXPECT_THAT(read().counters, SizeIs(16));
  EXPECT_EQ(value_of("net/lo/rx_bytes"), "1 B");
  EXPECT_EQ(value_of("net/lo/rx_packets"), "2 packets");
  EXPECT_EQ(value_of("net/lo/rx_errors"), "3 events");
  EXPECT_EQ(value_of("net/lo/rx_dropped"), "4 packets");
  EXPECT_EQ(value_of("net/lo/tx_bytes"), "5 B");
  EXPECT_EQ(value_of("net/lo/tx_dropped"), "8 packets");
  EXPECT_EQ(value_of("net/eth0.7/rx_bytes"), "18446744073709551615 B");
}

TEST_F(CountersTest, CardsThatCarryNothingHaveNoRows) {
  put_cards(" eth0: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n down: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");
  const Reading before = read();
  EXPECT_THAT(find_changes(before, read()), SizeIs(8));
  put_cards(" eth0: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n down: 9 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0");
  EXPECT_EQ(change(find_changes(before, read()), "net/down/rx_bytes"), "9");
}

TEST_F(CountersTest, TcpSegments) {
  put("proc/net/snmp",
      "Ip: Forwarding OutSegs\nIp: 1 99\nTcp: RtoAlgorithm OutSegs MaxConn RetransSegs\n"
      "Tcp: 1 700 -1 3\nUdp: InDatagrams\nUdp: 4");
  EXPECT_EQ(value_of("tcp/OutSegs"), "700 segments");
  EXPECT_EQ(value_of("tcp/RetransSegs"), "3 segments");
  EXPECT_THAT(read().counters, SizeIs(2));
}

TEST_F(CountersTest, DataOfInfiniBandIsInWordsOfFourBytes) {
  const std::string port = "sys/class/infiniband/mlx5_0/ports/1/";
  put(port + "state", "4: ACTIVE");
  put(port + "counters/port_xmit_data", "1000");
  put(port + "counters/port_rcv_packets", "7");
  put(port + "counters/port_xmit_wait", "8");
  put(port + "counters/symbol_error", "1");
  put(port + "counters/VL15_dropped", "N/A (no PMA)");
  put(port + "hw_counters/lifespan", "10");
  put(port + "hw_counters/out_of_sequence", "2");
  put("sys/class/infiniband/mlx5_1/ports/1/state", "1: DOWN");
  put("sys/class/infiniband/mlx5_1/ports/1/counters/port_xmit_data", "5");
  put("sys/class/infiniband/efa_0/ports/1/hw_counters/tx_bytes", "9");
  const std::string name = "infiniband/mlx5_0/1/counters/";
  EXPECT_EQ(value_of(name + "port_xmit_data"), "4000 B");
  EXPECT_EQ(value_of(name + "port_rcv_packets"), "7 packets");
  EXPECT_EQ(value_of(name + "port_xmit_wait"), "8 ticks");
  EXPECT_EQ(value_of(name + "symbol_error"), "1 events");
  EXPECT_EQ(value_of("infiniband/mlx5_0/1/hw_counters/out_of_sequence"), "2 events");
  EXPECT_EQ(value_of("infiniband/efa_0/1/hw_counters/tx_bytes"), "9 B");
  EXPECT_THAT(read().counters, SizeIs(6));
  EXPECT_THAT(describe_left_out(root_),
              HasSubstr(fmt::format("infiniband: 1 cannot be read (is 'N/A (no PMA)': {})",
                                    (root_ / (port + "counters/VL15_dropped")).string())));
}

TEST_F(CountersTest, EnergyBeginsAgainAtTheEndOfItsRange) {
  put_zone("intel-rapl:0", "package-0", "990");
  put_zone("intel-rapl:0:0", "dram", "5");
  put("sys/class/powercap/intel-rapl/enabled", "1");
  put_zone("intel-rapl-mmio:0", "package-0", "1");  // the same once more
  put("sys/class/hwmon/hwmon3/name", "amd_energy");
  put("sys/class/hwmon/hwmon3/energy1_label", "Ecore000");
  put("sys/class/hwmon/hwmon3/energy1_input", "1");
  put("sys/class/hwmon/hwmon3/energy9_label", "Esocket0");
  put("sys/class/hwmon/hwmon3/energy9_input", "400");
  put("sys/class/hwmon/hwmon4/name", "coretemp");
  put("sys/class/hwmon/hwmon4/energy1_input", "1");
  const Reading before = read();
  EXPECT_THAT(before.counters, SizeIs(3));
  put_zone("intel-rapl:0", "package-0", "30");
  put_zone("intel-rapl:0:0", "dram", "25");
  put("sys/class/hwmon/hwmon3/energy9_input", "100");  // does not tell its range
  const std::vector<CounterChange> changes = find_changes(before, read());
  EXPECT_EQ(change(changes, "energy/intel-rapl:0/package-0"), "40");
  EXPECT_EQ(change(changes, "energy/intel-rapl:0:0/dram"), "20");
  EXPECT_EQ(change(changes, "energy/hwmon3/Esocket0"), "went backwards: it was reset");
}

TEST_F(CountersTest, WhatCannotBeReadIsSaidOnce) {
  put_unreadable("sys/class/powercap/intel-rapl:0/energy_uj");
  put_unreadable("sys/class/powercap/intel-rapl:1/energy_uj");
  EXPECT_THAT(read().counters, IsEmpty());
  EXPECT_THAT(
      describe_left_out(root_),
      HasSubstr(fmt::format("energy: 2 cannot be read (Is a directory: {})",
                            (root_ / "sys/class/powercap/intel-rapl:0/energy_uj").string())));
}

TEST_F(CountersTest, CoresAndPackagesCountOnce) {
  put_cpu(0, "0,2", 0, 3, 10);
  put_cpu(1, "1,3", 1, 4, 20);
  put_cpu(2, "0,2", 0, 3, 10);
  put_cpu(3, "1,3", 1, 4, 20);
  put("sys/devices/system/cpu/online", "0-3");
  EXPECT_EQ(value_of("throttle/core"), "7 events");
  EXPECT_EQ(value_of("throttle/package"), "30 events");
  EXPECT_THAT(read().unreadable, IsEmpty());
}

TEST_F(CountersTest, WhatProcessorsDid) {
  put("proc/stat",
      "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 80 9 10\nintr 77 1 2 3\nctxt 66\nbtime 1");
  const auto ms = 8 * 1000 / sysconf(_SC_CLK_TCK);
  EXPECT_EQ(value_of("cpu/steal"), fmt::format("{} ms", ms));
  EXPECT_EQ(value_of("cpu/interrupts"), "77 events");
  EXPECT_EQ(value_of("cpu/context_switches"), "66 events");
}

TEST_F(CountersTest, QuotasOfTheCgroupAndThoseAboveIt) {
  put("proc/self/cgroup", "0::/slurm/job_7");
  put("sys/fs/cgroup/cpu.stat", "usage_usec 5");
  EXPECT_EQ(value_of("cgroup/throttled"), "");
  put("sys/fs/cgroup/slurm/cpu.stat", "usage_usec 5\nnr_throttled 2\nthrottled_usec 100");
  put("sys/fs/cgroup/slurm/job_7/cpu.stat", "nr_periods 5\nnr_throttled 1\nthrottled_usec 10");
  EXPECT_EQ(value_of("cgroup/throttled"), "3 periods");
  EXPECT_EQ(value_of("cgroup/throttled_time"), "110 us");
  put("proc/self/cgroup", "4:cpu,cpuacct:/docker");
  put("sys/fs/cgroup/cpu/docker/cpu.stat", "nr_throttled 4\nthrottled_time 5000");
  EXPECT_EQ(value_of("cgroup/throttled"), "4 periods");
  EXPECT_EQ(value_of("cgroup/throttled_time"), "5 us");
}

TEST_F(CountersTest, WhatComesOrGoesHasAReason) {
  put("proc/net/snmp", "Tcp: OutSegs RetransSegs\nTcp: 700 3");
  const Reading before = read();
  put("proc/net/snmp", "Tcp: OutSegs\nTcp: 600");
  put("proc/stat", "ctxt 66");
  const std::vector<CounterChange> changes = find_changes(before, read());
  EXPECT_EQ(change(changes, "tcp/OutSegs"), "went backwards: it was reset");
  EXPECT_EQ(change(changes, "cpu/context_switches"), "was not there before the first call");
  EXPECT_EQ(change(changes, "tcp/RetransSegs"), "was gone after the last call");
  EXPECT_THAT(changes, SizeIs(3));
}

TEST_F(CountersTest, ChangesTravelAsText) {
  const std::vector<CounterChange> changes{
      {.counter = "net/eth0/tx_bytes", .unit = "B", .difference = 9223372036854775807},
      {.counter = "tcp/OutSegs", .unit = "segments", .difference = 0},
      {.counter = "energy/0", .unit = "uJ", .reason = "went backwards: it was reset"}};
  const std::vector<CounterChange> back = changes_in(text_of(changes));
  ASSERT_EQ(back.size(), changes.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i].counter, changes[i].counter);
    EXPECT_EQ(back[i].unit, changes[i].unit);
    EXPECT_EQ(back[i].difference, changes[i].difference);
    EXPECT_EQ(back[i].reason, changes[i].reason);
  }
  EXPECT_THAT(changes_in(text_of({})), IsEmpty());
}

}  // namespace
}  // namespace gatherbench::bench
