// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "text/input_error.h"

namespace gatherbench {

/// What the call says of bad input; "no error" if it takes it.
template <typename Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace gatherbench
