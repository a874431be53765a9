// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "bench/host/nodes.h"
#include "bench/options/values/buffer_choice.h"

// The devices in whose memory the ranks have their buffers (--buffers-in cuda, cuda-managed, hip).
namespace gatherbench::bench {

/// The devices of a launch, for people. All texts are the same on all ranks, and empty where
/// buffers are in no device.
struct Devices {
  std::string driver;   ///< "CUDA 12.4"; several if nodes differ
  std::string names;    ///< "NVIDIA H200"; several if devices differ
  std::string of_rank;  ///< the number of each rank's device, as its driver counts: "0,1,0,1"
  int sharing = 1;      ///< the ranks that have this rank's device, this one among them
  /// Why the MPI library is given no addresses in a device; empty: it takes them.
  std::string why_no_pointers;
};

/// Opens this rank's device if the launcher tells which rank of its node this is: some MPI
/// libraries look for a device when they start. Whatever is wrong, `find_devices` says.
void open_device_before_mpi(const BufferPlaces& places);

/// Opens each rank's device. Throws InputError on all ranks alike: no driver, no such device.
/// Collective over `world`.
Devices find_devices(const BufferPlaces& places, const Nodes& nodes, MPI_Comm world);

}  // namespace gatherbench::bench
