// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "formats/text/input_error.h"

namespace gatherbench {

/// What the call says of bad input, or with another `Error`; "no error" if it does all.
template <typename Error = text::InputError, typename Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace gatherbench
