// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The differences between launches of one program, for users who have one launch and must not
// report what the next launch may turn round.
namespace gatherbench::formats {

/// The standard deviation between launches of log(time of one algorithm / time of another), where
/// nobody has measured it and each rank has a processor. Where ranks share processors no number
/// helps: there the next launch turned round 9 to 37 % of what one launch said, however large the
/// difference was, so that one launch calls nothing. Source: quickstarts on two virtual cores with
/// Open MPI 4.1 (docs/background/method.md, "Launches judge").
inline constexpr double launch_spread = 0.06;

}  // namespace gatherbench::formats
