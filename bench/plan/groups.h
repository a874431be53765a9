// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/placement.h"
#include "bench/options/values/grouping.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {

/// Ranks that run a collective together, on a communicator of their own, while other groups do.
struct Group {
  std::string name;                 ///< in the column `group`
  std::vector<int> ranks;           ///< of the communicator that is cut into groups, ascending
  algorithms::Placement placement;  ///< of these
  int nodes = 1;                    ///< that they run on
  [[nodiscard]] int size() const { return static_cast<int>(ranks.size()); }
};

/// The text in the column `group` for the group with the largest mean time of each iteration.
inline constexpr std::string_view slowest_group = "slowest";

/// Reads the text of a file; called where it is needed.
using ReadText = std::function<std::string(const std::string& path)>;

/// Returns the name of each rank's group. `node` is of every rank, as algorithms know it. Throws
/// InputError: a number beyond the ranks; a file's line that is no name, or not a line for each
/// rank.
std::vector<std::string> find_group_names(std::string_view option, const Grouping& grouping,
                                          std::span<const int> node, const ReadText& read_text);

/// Makes the groups in the order of their lowest ranks. `placement` is of the ranks that are cut,
/// `node_of_rank` says where they really run, and `names` has the group of each.
std::vector<Group> make_groups(std::span<const std::string> names,
                               const algorithms::Placement& placement,
                               std::span<const int> node_of_rank);

/// Returns the group with most ranks; the first one of several.
const Group& largest(std::span<const Group> groups);

/// The communicators of a rank whose group runs beside others.
class GroupComms {
 public:
  /// Cuts `all`, which must outlive it, into these groups. Collective over `all`.
  GroupComms(std::span<const Group> groups, MPI_Comm all);
  /// Puts all ranks of `all`, which must outlive it, in one group. Collective over `all`.
  explicit GroupComms(MPI_Comm all);

  [[nodiscard]] MPI_Comm all() const { return all_; }
  [[nodiscard]] MPI_Comm own() const { return own_.get(); }
  [[nodiscard]] std::size_t number() const { return number_; }  ///< of the own group
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Returns a fault of this rank with the group's name where there are several groups; empty stays
  /// empty.
  [[nodiscard]] std::string named(std::string fault) const;
  /// Returns the communicator of the lowest ranks of all groups, in the order of groups;
  /// MPI_COMM_NULL on other ranks.
  [[nodiscard]] MPI_Comm roots() const { return roots_.get(); }

 private:
  void make(int rank);

  MPI_Comm all_;
  std::size_t number_ = 0;
  std::size_t count_ = 1;
  std::string name_;
  mpi::Communicator own_;
  mpi::Communicator roots_;
};

}  // namespace gatherbench::bench
