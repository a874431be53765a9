// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace gatherbench::topology {

/// What kind of processors a host has, by its /proc/cpuinfo: "AMD EPYC 7763 64-Core Processor". Of
/// several kinds of cores, all, in the order of their names. x86 and LoongArch have a model name;
/// POWER has `cpu`; RISC-V has `uarch`. ARM has numbers, and what they are called, the kernel does
/// not know. Empty if the file tells nothing.
std::string read_cpu_model(const std::filesystem::path& cpuinfo = "/proc/cpuinfo");

}  // namespace gatherbench::topology
