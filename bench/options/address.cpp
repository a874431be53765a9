// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/address.h"

#include <fmt/format.h>
#include <sys/un.h>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::bench {
namespace {

constexpr std::size_t max_path = sizeof(sockaddr_un::sun_path) - 1;
constexpr std::int64_t max_port = 65535;
constexpr std::string_view form = "legal: NAME@/PATH or NAME@HOST:PORT";

void require_name(std::string_view option, std::string_view name) {
  constexpr std::string_view legal =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  if (name.find_first_not_of(legal) != std::string_view::npos) {
    throw text::bad_value(option, name, "is no name; legal: letters, digits, '_', '.' and '-'");
  }
}

/// Sets host and port from an address HOST:PORT; `text` is the option's whole value.
void set_host_and_port(std::string_view option, std::string_view text, DuetAddress& found) {
  const std::string_view address = found.address;
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    throw text::bad_value(
        option, text,
        fmt::format("has neither a path from / on nor HOST:PORT after the @; {}", form));
  }
  std::string_view host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  found.host = host;
  found.port = fmt::to_string(text::parse_integer(option, address.substr(colon + 1), 1, max_port));
}

}  // namespace

DuetAddress parse_duet(std::string_view option, std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) {
    throw text::bad_value(option, text, fmt::format("has no @; {}", form));
  }
  const std::string_view name = text.substr(0, at);
  const std::string_view address = text.substr(at + 1);
  if (name.empty()) throw text::bad_value(option, text, fmt::format("has no name; {}", form));
  require_name(option, name);
  DuetAddress found{std::string(name), std::string(address), {}};
  if (address.find_first_of("\n\r") != std::string_view::npos) {
    throw text::bad_value(option, name, fmt::format("has a line break in its address; {}", form));
  }
  if (address.starts_with('/')) {
    if (address.size() > max_path) {
      throw text::bad_value(option, address,
                            fmt::format("is {} bytes long; a Unix socket's path has at most {}",
                                        address.size(), max_path));
    }
    found.path = address;
    return found;
  }
  set_host_and_port(option, text, found);
  return found;
}

}  // namespace gatherbench::bench
