// SPDX-License-Identifier: BSD-3-Clause
#include "bench/duet/link.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "bench/host/watchdog.h"

namespace gatherbench::bench {
namespace {

// Seldom enough to leave the partner alone, often enough for the watchdog.
constexpr std::chrono::milliseconds max_nap{100};

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

bool wait_for(const Descriptor& descriptor, short events, const Deadline& deadline) {
  for (;;) {
    Watchdog::beat();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        deadline.end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waited{descriptor.get(), events, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::min(left, max_nap).count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "poll");
    }
  }
}

bool DuetLink::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string DuetLink::receive_line(const Deadline& deadline) {
  constexpr std::size_t max_line = std::size_t{1} << 24;
  for (;;) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    if (received_.size() > max_line) throw DuetError("sends no lines of text");
    if (!wait_for(socket_, POLLIN, deadline)) {
      throw DuetError(fmt::format("has been silent for {:g} s (--timeout)", deadline.seconds));
    }
    std::array<char, 4096> part{};
    const ssize_t count = recv(socket_.get(), part.data(), part.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw DuetError("has ended");
    received_.append(part.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace gatherbench::bench
