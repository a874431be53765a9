// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

// Hockney's model as the programs write it and read it.
namespace gatherbench::cost {

/// A message of n bytes takes alpha + n beta, and n gamma more where it is combined with what the
/// receiver has. Seconds and seconds a byte.
struct Hockney {
  double alpha;
  double beta;
  double tau = 0;    ///< of each further message to the same peer in a step (Loch 2021, 4.3)
  double gamma = 0;  ///< of an operator
};

/// The first characters of such a model's text.
inline constexpr std::string_view hockney_prefix = "hockney:";

/// "hockney:alpha=1e-06,beta=1e-09,tau=1e-07", with the digits that a measurement can have, and
/// gamma if it is not 0.
std::string text_of(const Hockney& model);

/// "alpha=SECONDS,beta=SECONDS_A_BYTE,tau=SECONDS,gamma=SECONDS_A_BYTE", for people.
std::string hockney_forms();

/// Reads what hockney_forms() says, which follows the prefix; tau and gamma may be missing. Throws
/// InputError that names `option`.
Hockney parse_hockney(std::string_view option, std::string_view text);

}  // namespace gatherbench::cost
