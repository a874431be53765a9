// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace gatherbench::topology {

/// Returns the kind of processors that a host has, by its /proc/cpuinfo: "AMD EPYC 7763 64-Core
/// Processor". If there are several kinds of cores, it returns all, in the order of their names.
/// x86 and LoongArch have a model name; POWER has `cpu`; RISC-V has `uarch`. ARM has numbers only:
/// the kernel does not know their names. Empty if the file tells nothing.
std::string read_cpu_model(const std::filesystem::path& cpuinfo = "/proc/cpuinfo");

}  // namespace gatherbench::topology
