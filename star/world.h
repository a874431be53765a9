// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "formats/contention_model.h"
#include "mpi/handles.h"
#include "star/datatypes.h"
#include "star/log.h"
#include "star/settings.h"
#include "topology/switch_tree.h"

namespace gatherbench::star {

/// What MPI_Init leaves behind for all communicators: between it and MPI_Finalize.
struct World {
  /// Most communicators of ours at a time: MPI libraries have some thousand in all.
  static constexpr int most_shadows = 64;

  /// Collective over MPI_COMM_WORLD. Throws mpi::MpiError.
  World();
  ~World() { finish(); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Gives back what is of MPI, before MPI_Finalize.
  void finish();

  mpi::Communicator comm;  ///< of all ranks; ours
  int rank;
  int ranks;
  Settings settings;
  MPI_Group group = MPI_GROUP_NULL;
  std::vector<int> node;      ///< of each rank
  bool one_clock = false;     ///< all ranks read the same clock: they are on one node
  std::int64_t start_ns = 0;  ///< of rank 0's clock
  std::shared_ptr<const topology::SwitchTree> switches;  ///< null: not known
  std::vector<int> host;                                 ///< of each rank in it
  /// What messages take, if the switches are known; for expectations.
  std::optional<formats::ContentionModel> model;
  std::optional<Datatypes> types;
  Log log;

  std::atomic<int> shadows = 0;       ///< communicators of ours that there are now
  std::atomic<std::int64_t> ids = 0;  ///< given out by this rank
};

/// Whether buffers may be of a graphics processor, where this library's copies cannot go: a library
/// for one is loaded.
[[nodiscard]] bool has_device_memory();

}  // namespace gatherbench::star
