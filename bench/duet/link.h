// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace gatherbench::bench {

/// The partner of a duet never came, is gone, or does not answer. The run cannot go on.
class DuetError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// A limit to waiting: the seconds that are allowed, and the time at which they are over. No clock
/// counts more than some centuries: whoever allows more waits for one.
struct Deadline {
  explicit Deadline(double allowed)
      : seconds(allowed),
        end(std::chrono::steady_clock::now() +
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                std::chrono::duration<double>(std::min(allowed, century)))) {}
  static constexpr double century = 3e9;
  double seconds;
  std::chrono::steady_clock::time_point end;
};

/// Sleeps in the kernel until `descriptor` has one of the poll() `events`. Returns false if the
/// time was over first. Tells the watchdog of progress: to wait is no lack of it. Throws
/// std::system_error if poll() fails.
bool wait_for(const Descriptor& descriptor, short events, const Deadline& deadline);

/// Lines of text to and from the partner, over a connected socket.
class DuetLink {
 public:
  DuetLink() = default;
  /// `listened`: the partner is the one who connected.
  DuetLink(Descriptor connected, bool listened)
      : socket_(std::move(connected)), listened_(listened) {}
  [[nodiscard]] bool listened() const { return listened_; }
  /// Sends `text`, which ends with a line break. Returns false if the partner is gone.
  bool send(std::string_view text);
  /// Waits for the next line, and returns it without its line break. Throws DuetError.
  std::string receive_line(const Deadline& deadline);

 private:
  Descriptor socket_;
  bool listened_ = false;
  std::string received_;  // what nobody has asked for yet
};

}  // namespace gatherbench::bench
