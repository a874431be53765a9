// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>
#include <vector>

// These functions find what is wrong with the launch itself.
namespace gatherbench::bench {

/// This is what one rank was started with. A file that ranks read for themselves may say something
/// else on each node, and so may the environment.
struct RankInput {
  std::string command;           ///< the program without its folder, and its options
  std::string refusal;           ///< what is wrong with these; empty: nothing
  std::string config;            ///< the file of --config; empty: none
  std::string given;             ///< a line "--option=value" for each option, those of the file too
  std::string library_settings;  ///< as result files have them
};

/// Returns the text for RankInput::command.
std::string command_of(std::vector<std::string> words);

/// Throws InputError if ranks were started with different options, by the command or by files, or
/// as different programs of this suite. Without it some would wait for ever for calls that others
/// never make. Returns the settings of the MPI library of all ranks. They may be unlike: one rank
/// often has another network card than the next. Collective.
std::string require_one_launch(const RankInput& own, MPI_Comm comm);

/// Returns "settings of the MPI library are unlike: rank 1 with A=1" of what that returned; empty
/// if they are alike.
std::string unlike_in(std::string_view library_settings);

/// Returns the rank that the launcher gives this process, or Watchdog::unknown_rank. Needs no MPI.
int launched_rank();

/// Returns whether a launcher says that it has started this process, or ranks share it. Then rank 0
/// alone prints. Needs no MPI.
bool may_have_company();

/// Throws InputError if this process is alone although its launcher started several: then the
/// launcher is that of another MPI library, and each process would time a collective of one rank.
void require_own_launcher();

}  // namespace gatherbench::bench
