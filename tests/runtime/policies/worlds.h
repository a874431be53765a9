// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/policies/policy.h"

// Made-up machines, in integers. tests/runtime/policies/agstar_worlds.py has the same ones.
namespace gatherbench::policies {

/// A number that these four give, evenly spread (SplitMix64's last steps).
inline std::uint64_t hashed(std::uint64_t seed, std::uint64_t what, std::uint64_t a = 0,
                            std::uint64_t b = 0) {
  std::uint64_t mixed = 0;
  for (const std::uint64_t part : {seed, what, a, b}) {
    mixed += part + 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    mixed ^= mixed >> 31;
  }
  return mixed;
}

/// Two to nine candidates with noise and spikes. Some change their speed now and then; in every
/// fourth world all do, often and much.
struct World {
  explicit World(std::uint64_t its_seed)
      : seed(its_seed),
        is_wild(seed % 4 == 3),
        scale(seed % 5 == 1 ? 200 : 1),
        period(is_wild ? 5 + hashed(seed, 1) % 300 : 100 + hashed(seed, 1) % 500),
        noise_permille(hashed(seed, 2) % 200),
        spike_one_in(20 + hashed(seed, 3) % 80),
        budget_permille(20 + static_cast<std::int64_t>(hashed(seed, 4) % 100)),
        candidates(2 + hashed(seed, 5) % 8) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      candidates[i] = {std::to_string(i), i, {}};
      const bool is_expected = hashed(seed, 6) % 3 == 0 && hashed(seed, 7, i) % 5 != 0;
      const std::uint64_t percent = 50 + hashed(seed, 8, i) % 100;
      if (is_expected) candidates[i].prior_ns = to_signed(speed(0, i) * percent / 100);
    }
  }

  /// What a call takes.
  [[nodiscard]] std::int64_t time(std::int64_t call, std::size_t candidate) const {
    const auto number = static_cast<std::uint64_t>(call);
    const std::uint64_t noise = hashed(seed, 9, candidate, number);
    std::uint64_t ns = speed(number, candidate) * (1000 + noise % (noise_permille + 1)) / 1000;
    if ((noise >> 20) % spike_one_in == 0) ns *= 2 + (noise >> 40) % (is_wild ? 500 : 19);
    return to_signed(ns);
  }

  std::uint64_t seed;
  bool is_wild;
  std::uint64_t scale;   // so that calls take some ms
  std::uint64_t period;  // calls of one speed
  std::uint64_t noise_permille;
  std::uint64_t spike_one_in;
  std::int64_t budget_permille;
  std::vector<Candidate> candidates;

 private:
  static std::int64_t to_signed(std::uint64_t number) { return static_cast<std::int64_t>(number); }

  [[nodiscard]] std::uint64_t speed(std::uint64_t call, std::size_t candidate) const {
    const bool changes = is_wild || hashed(seed, 10, candidate) % 3 == 0;
    const std::uint64_t part = changes ? call / period : 0;
    const std::uint64_t ns = (40000 + hashed(seed, 11, candidate, part) % 200000) * scale;
    return is_wild ? ns * (1 + hashed(seed, 12, candidate, part) % 30) : ns;
  }
};

}  // namespace gatherbench::policies
