// SPDX-License-Identifier: BSD-3-Clause
#include "bench/duet/meeting.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "bench/host/file_lock.h"
#include "bench/host/watchdog.h"
#include "formats/text/input_error.h"

namespace gatherbench::bench {
namespace {

constexpr std::chrono::milliseconds retry_after{50};
constexpr int few_waiting = 8;

std::string error_text(int number) { return std::generic_category().message(number); }

text::InputError unusable(const DuetAddress& address, std::string_view why) {
  return text::bad_value("--duet", address.address, why);
}

DuetError no_partner(const Deadline& deadline) {
  return DuetError(fmt::format("did not come within {:g} s (--timeout)", deadline.seconds));
}

Descriptor new_socket(int family, int flags = 0) {
  Descriptor made(socket(family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!made.is_open()) throw std::system_error(errno, std::generic_category(), "socket");
  return made;
}

Descriptor accept_partner(const Descriptor& listener, const Deadline& deadline) {
  while (wait_for(listener, POLLIN, deadline)) {
    Descriptor partner(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (partner.is_open()) return partner;
  }
  throw no_partner(deadline);
}

/// A socket file of ours; gone when it is of no use any more, however the process ends.
class SocketFile {
 public:
  explicit SocketFile(std::string path) : path_(std::move(path)) { Watchdog::remove_at_end(path_); }
  ~SocketFile() {
    unlink(path_.c_str());
    Watchdog::remove_at_end("");
  }
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;

 private:
  std::string path_;
};

sockaddr_un name_of(const DuetAddress& address) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, address.path.data(), address.path.size());
  return name;
}

/// Connects to the socket of a path; none if nobody listens there any more: the file is gone then.
std::optional<Descriptor> connect_to_path(const DuetAddress& address) {
  const sockaddr_un name = name_of(address);
  Descriptor socket = new_socket(AF_UNIX);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0) {
    return socket;
  }
  if (errno != ECONNREFUSED || unlink(address.path.c_str()) != 0) {
    throw unusable(address, fmt::format("cannot be connected to: {}", error_text(errno)));
  }
  return std::nullopt;
}

/// A lock on the folder keeps the other job from looking for a socket at the same time.
class LockedFolder {
 public:
  LockedFolder(const DuetAddress& address, const Deadline& deadline) {
    const std::string folder = address.path.substr(0, address.path.rfind('/') + 1);
    folder_ = Descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder_.is_open()) throw cannot_be_used(address, error_text(errno));
    while (!is_taken(address)) {
      if (std::chrono::steady_clock::now() >= deadline.end) throw cannot_be_used(address, why_not_);
      Watchdog::beat();
      std::this_thread::sleep_for(retry_after);
    }
  }

 private:
  static text::InputError cannot_be_used(const DuetAddress& address, const std::string& why) {
    return unusable(address, fmt::format("has a folder that cannot be used: {}", why));
  }
  bool is_taken(const DuetAddress& address) {
    try {
      why_not_ = lock_.take(folder_.get(), address.path);
    } catch (const std::system_error& error) {
      throw cannot_be_used(address, error_text(error.code().value()));
    }
    return why_not_.empty();
  }

  Descriptor folder_;
  FileLock lock_;
  std::string why_not_;
};

DuetLink meet_at_path(const DuetAddress& address, const Deadline& deadline) {
  std::optional<LockedFolder> locked(std::in_place, address, deadline);
  struct stat found {};
  const bool exists = lstat(address.path.c_str(), &found) == 0;
  if (exists && !S_ISSOCK(found.st_mode)) {
    throw unusable(address, "exists and is no socket; name another path");
  }
  if (exists) {
    if (auto partner = connect_to_path(address)) return {std::move(*partner), false};
  }
  const sockaddr_un name = name_of(address);
  const Descriptor listener = new_socket(AF_UNIX);
  if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
    throw unusable(address, fmt::format("cannot be made: {}", error_text(errno)));
  }
  const SocketFile file(address.path);
  if (listen(listener.get(), few_waiting) != 0) {
    throw unusable(address, fmt::format("cannot be listened at: {}", error_text(errno)));
  }
  locked.reset();
  return {accept_partner(listener, deadline), true};
}

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

AddressList resolve(const DuetAddress& address) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &found);
  if (failed != 0) {
    throw unusable(address, fmt::format("has a host that is not known: {}", gai_strerror(failed)));
  }
  return {found, freeaddrinfo};
}

/// Listens at an address of this host; none if the host is another one, or if another program
/// listens there already.
std::optional<Descriptor> listen_here(const DuetAddress& address, const addrinfo& list) {
  for (const addrinfo* one = &list; one != nullptr; one = one->ai_next) {
    Descriptor listener = new_socket(one->ai_family);
    const int yes = 1;  // else a port that was just used is taken for a minute
    setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener.get(), one->ai_addr, one->ai_addrlen) == 0 &&
        listen(listener.get(), few_waiting) == 0) {
      return listener;
    }
    if (errno == EADDRINUSE) return std::nullopt;
    if (errno != EADDRNOTAVAIL) {
      throw unusable(address, fmt::format("cannot be listened at: {}", error_text(errno)));
    }
  }
  return std::nullopt;
}

std::optional<Descriptor> connect_to(const addrinfo& list, const Deadline& deadline) {
  for (const addrinfo* one = &list; one != nullptr; one = one->ai_next) {
    Descriptor socket = new_socket(one->ai_family, SOCK_NONBLOCK);
    if (connect(socket.get(), one->ai_addr, one->ai_addrlen) != 0) {
      if (errno != EINPROGRESS || !wait_for(socket, POLLOUT, deadline)) continue;
      int failed = 0;
      socklen_t size = sizeof failed;
      if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failed, &size) != 0 || failed != 0) {
        continue;
      }
    }
    fcntl(socket.get(), F_SETFL, fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
    return socket;
  }
  return std::nullopt;
}

DuetLink meet_at_port(const DuetAddress& address, const Deadline& deadline) {
  const AddressList list = resolve(address);
  const auto linked = [](Descriptor socket, bool listened) {
    const int yes = 1;  // a turn is a few bytes and urgent
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return DuetLink(std::move(socket), listened);
  };
  while (std::chrono::steady_clock::now() < deadline.end) {
    if (const auto listener = listen_here(address, *list)) {
      return linked(accept_partner(*listener, deadline), true);
    }
    if (auto connected = connect_to(*list, deadline)) return linked(std::move(*connected), false);
    Watchdog::beat();
    std::this_thread::sleep_for(retry_after);
  }
  throw no_partner(deadline);
}

}  // namespace

DuetLink meet(const DuetAddress& address, const Deadline& deadline) {
  return address.path.empty() ? meet_at_port(address, deadline) : meet_at_path(address, deadline);
}

}  // namespace gatherbench::bench
