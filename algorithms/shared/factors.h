// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/parameter.h"

namespace gatherbench::algorithms {

/// The prime factors of a number of 1 or more, each as often as it divides, ascending.
Numbers prime_factors(int number);

}  // namespace gatherbench::algorithms
