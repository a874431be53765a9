// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/shared/radix.h"

namespace gatherbench::algorithms {

Numbers prime_factors(int number) {
  Numbers factors;
  for (int factor = 2; factor <= number / factor; ++factor) {
    for (; number % factor == 0; number /= factor) factors.add(factor);
  }
  if (number > 1) factors.add(number);
  return factors;
}

}  // namespace gatherbench::algorithms
