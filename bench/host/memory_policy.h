// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "formats/metadata.h"

namespace gatherbench::bench {

/// machine.huge_pages, what the kernel does about transparent huge pages (always, madvise, never),
/// from `sys/kernel/mm` below `root`. Without the file there is no key.
formats::Metadata read_huge_pages(const std::filesystem::path& root);

/// numa_policy: from which NUMA nodes this process gets its memory (default, bind, interleave and
/// so on), as numactl sets it. Nothing where the kernel or a container's filter does not tell.
formats::Metadata describe_numa_policy();

}  // namespace gatherbench::bench
