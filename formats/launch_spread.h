// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How far launches of one program are apart, for those who have one launch and must not call what
// the next one may turn round.
namespace gatherbench::formats {

/// The standard deviation between launches of log(time of one algorithm / time of another), where
/// nobody has measured it. Source: four quickstarts on two virtual cores with Open MPI 4.1, whose
/// launches of 2 ranks differ by 0.06, and those of 4 and 8 ranks by 0.19 and 0.14
/// (docs/background/method.md, statistics).
inline constexpr double launch_spread_own = 0.06;     ///< each rank has a processor
inline constexpr double launch_spread_shared = 0.19;  ///< ranks share processors

}  // namespace gatherbench::formats
