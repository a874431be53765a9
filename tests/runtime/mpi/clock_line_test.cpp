// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "runtime/mpi/global_clock.h"

namespace gatherbench::mpi {
namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t years = 100'000'000 * second;

/// A clock of known offset and drift, seen by messages whose two ways may be as unlike as can be.
struct MadeUpClock {
  double drift = 37e-6;

  [[nodiscard]] std::int64_t there(std::int64_t here_ns) const {
    return here_ns + years + std::llround(drift * static_cast<double>(here_ns));
  }
  /// `lean` from -1 to 1: all of the trip was on the way there, or all on the way back.
  [[nodiscard]] ClockPoint point(std::int64_t here_ns, std::int64_t half_trip_ns,
                                 double lean) const {
    const auto wrong_ns = std::llround(lean * static_cast<double>(half_trip_ns));
    return {here_ns, there(here_ns) - here_ns + wrong_ns, half_trip_ns};
  }
  [[nodiscard]] std::int64_t off(const BoundedLine& line, std::int64_t here_ns) const {
    return std::abs(line.line.there(here_ns) - there(here_ns));
  }
};

constexpr std::array moments{-5 * second, 0 * second, 1 * second, 5 * second, 10 * second};

// The true error is never above the one that is said, whatever the trips were.
TEST(ClockPoints, TheErrorIsABound) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> lean(-1, 1);
  std::uniform_real_distribution<double> magnitude(2, 6);  // of a trip in ns, in powers of 10
  std::uniform_real_distribution<double> gap(8, 10);       // in ns, in powers of 10
  for (int world = 0; world < 300; ++world) {
    const MadeUpClock clock{100e-6 * lean(random)};
    ClockPoints points;
    std::int64_t now_ns = 0;
    for (int fits = 0; fits < 30; ++fits) {
      points.add(clock.point(now_ns, std::llround(std::pow(10, magnitude(random))),
                             std::round(lean(random))));
      const BoundedLine line = points.fit();
      for (const std::int64_t ahead_ns : moments) {
        ASSERT_LE(clock.off(line, now_ns + ahead_ns), line.error_ns(now_ns + ahead_ns) + 2)
            << fits << " fits, " << ahead_ns << " ns later";
      }
      now_ns += std::llround(std::pow(10, gap(random)));
    }
  }
}

TEST(ClockPoints, APointAloneMayHaveAnyDriftThatNtpCorrects) {
  ClockPoints points;
  points.add(MadeUpClock{}.point(0, 1000, 0));
  EXPECT_NEAR(static_cast<double>(points.fit().error_ns(second)), 500'000 + 1000, 200);
}

// Trips of 2 us, twice a second apart: 2 us a second, and what it is at the point itself.
TEST(ClockPoints, TwoPointsTellTheDriftAsWellAsTheirTripsDo) {
  ClockPoints points;
  for (const int at : {0, 1}) points.add(MadeUpClock{}.point(at * second, 1000, at == 0 ? 1 : -1));
  const std::int64_t error_ns = points.fit().error_ns(2 * second);
  EXPECT_GE(error_ns, 3000);
  EXPECT_LE(error_ns, 5200);
}

TEST(ClockPoints, ManySynchronisationsInAShortTimeLeaveALongLine) {
  ClockPoints points;
  const MadeUpClock clock;
  for (int tenth = 0; tenth <= 600; ++tenth) points.add(clock.point(tenth * second / 10, 1000, 0));
  EXPECT_LE(points.size(), 16U);
  // Both ends of a minute: 2 us in 60 s, and 0.1 ppm.
  EXPECT_LE(points.fit().drift_error, 2e-6 / 60 + 0.11e-6);
}

TEST(ClockPoints, OldPointsDoNotCount) {
  ClockPoints points;
  for (int at = 0; at < 20; ++at) points.add(MadeUpClock{0}.point(at * 5 * second, 1000, 0));
  const MadeUpClock other{80e-6};
  for (int at = 20; at < 37; ++at) points.add(other.point(at * 5 * second, 1000, 0));
  const BoundedLine line = points.fit();
  EXPECT_NEAR(line.line.drift, other.drift, 1e-9);
}

TEST(BoundedLine, JoinedLinesHaveBothErrors) {
  const BoundedLine one{{0, 100, 0}, 10, 1e-6};
  const BoundedLine next{{0, 200, 0}, 20, 2e-6};
  const BoundedLine joined = one.then(next);
  EXPECT_EQ(joined.line.there(5), 305);
  EXPECT_EQ(joined.error_ns(0), 30);
  EXPECT_EQ(joined.error_ns(second), 3030);
}

}  // namespace
}  // namespace gatherbench::mpi
