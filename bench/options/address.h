// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace gatherbench::bench {

/// The name of this job in a duet, and the place where it meets its partner.
struct DuetAddress {
  std::string name;     ///< of this job
  std::string address;  ///< as the user wrote it: the same text for both jobs
  std::string path;     ///< of a Unix socket; empty: TCP, by host and port
  std::string host = {};
  std::string port = {};

  /// Returns the option's value, for messages.
  [[nodiscard]] std::string text() const { return name + '@' + address; }
};

/// Reads NAME@/PATH or NAME@HOST:PORT. Throws InputError.
DuetAddress parse_duet(std::string_view option, std::string_view text);

}  // namespace gatherbench::bench
