// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/progress.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

namespace gatherbench::bench {
namespace {

std::string time_left(double seconds) {
  if (seconds < 100) return fmt::format("about {:.0f} s left", seconds);
  if (seconds < 6000) return fmt::format("about {:.0f} min left", seconds / 60);
  return fmt::format("about {:.1f} h left", seconds / 3600);
}

}  // namespace

Progress::Progress(std::optional<bool> asked_for, bool terminal, std::size_t cases,
                   Clock::time_point start)
    : terminal_(terminal),
      wanted_(asked_for.value_or(true)),
      cases_(cases),
      interval_(asked_for || terminal ? std::chrono::minutes(0) : std::chrono::minutes(1)),
      start_(start),
      last_(start) {}

void Progress::show(std::size_t done, std::size_t skipped, std::string_view current,
                    Clock::time_point now) {
  case_ = fmt::format("[{}/{}] {}", done + skipped, cases_, current);
  if (!wanted_ || now - last_ < interval_) return;
  last_ = now;
  std::string left;
  if (done > 0) {
    const std::chrono::duration<double> elapsed = now - start_;
    const double per_case = elapsed.count() / static_cast<double>(done);
    left = ", " + time_left(per_case * static_cast<double>(cases_ - skipped - done));
  }
  print(left);
}

void Progress::show_part(std::string_view part, Clock::time_point now) {
  if (!wanted_ || now - last_ < std::chrono::minutes(1)) return;
  last_ = now;
  print(fmt::format(": {}", part));
}

void Progress::print(std::string_view more) const {
  fmt::print(stderr, "{}{}{}{}", terminal_ ? "\r\033[K" : "", case_, more, terminal_ ? "" : "\n");
  std::fflush(stderr);
}

void Progress::clear() const {
  if (wanted_ && terminal_) fmt::print(stderr, "\r\033[K");
}

}  // namespace gatherbench::bench
