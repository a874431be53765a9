// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

namespace gatherbench::policies {
namespace {

using Wide = __int128;  // of two numbers of bytes

auto place(const ProfileRow& row) { return std::tie(row.key, row.algorithm); }

/// The distance of two sizes: the larger over the smaller.
struct Ratio {
  std::int64_t larger;
  std::int64_t smaller;

  friend bool operator<(const Ratio& a, const Ratio& b) {
    return Wide{a.larger} * b.smaller < Wide{b.larger} * a.smaller;
  }
};
Ratio ratio(std::int64_t a, std::int64_t b) { return {std::max(a, b), std::min(a, b)}; }
constexpr Ratio farthest{1189207115, 1000000000};  // 2^(1/4)

bool are_of_like_calls(const ProfileKey& a, ProfileKey b) {
  b.bytes = a.bytes;
  return a == b;
}

bool is_old(const ProfileRow& row, std::chrono::sys_days today) {
  return today - row.date > most_profile_days;
}

}  // namespace

std::optional<std::string> why_not(const Profile& profile, std::string_view mpi,
                                   std::string_view hosts) {
  if (profile.mpi != mpi) {
    return fmt::format("it is of another MPI library: '{}', not '{}'", profile.mpi, mpi);
  }
  if (profile.hosts != hosts) {
    return fmt::format("it is of other hosts: '{}', not '{}'", profile.hosts, hosts);
  }
  return {};
}

Profile merged(const Profile& before, const Profile& now) {
  Profile both = now;
  std::ranges::sort(both.rows, {}, place);
  for (const ProfileRow& row : before.rows) {
    const auto at = std::ranges::lower_bound(both.rows, place(row), {}, place);
    if (at == both.rows.end() || place(*at) != place(row)) {
      both.rows.insert(at, row);
    } else if (row.date > at->date) {
      *at = row;
    }
  }
  return both;
}

Profile without_old(Profile profile, std::chrono::sys_days today) {
  std::erase_if(profile.rows, [&](const ProfileRow& row) { return is_old(row, today); });
  return profile;
}

Known find_known(const Profile& profile, const ProfileKey& key, std::chrono::sys_days today) {
  const auto distance = [&](const ProfileRow& row) { return ratio(row.key.bytes, key.bytes); };
  const auto is_near = [&](const ProfileRow& row) {
    return are_of_like_calls(key, row.key) && !(farthest < distance(row));
  };
  std::vector<ProfileRow> rows;
  std::ranges::copy_if(profile.rows, std::back_inserter(rows), is_near);
  if (rows.empty()) return {.rows = {}, .reason = "it says nothing of such calls"};
  std::erase_if(rows, [&](const ProfileRow& row) { return is_old(row, today); });
  if (rows.empty()) {
    return {.rows = {},
            .reason = fmt::format("what it says of such calls is older than {} days",
                                  most_profile_days.count())};
  }
  // The smaller one of two sizes that are as far away comes first, and is taken.
  const ProfileKey nearest = std::ranges::min_element(rows, std::less{}, distance)->key;
  std::erase_if(rows, [&](const ProfileRow& row) { return row.key != nearest; });
  return {.rows = std::move(rows), .reason = {}};
}

std::vector<Candidate> expected_of(std::span<const Candidate> candidates,
                                   std::span<const ProfileRow> rows) {
  std::vector<Candidate> all(candidates.begin(), candidates.end());
  std::optional<std::int64_t> least;
  for (Candidate& each : all) {
    each.prior_ns.reset();
    const auto row = std::ranges::find(rows, each.name, &ProfileRow::algorithm);
    if (row == rows.end()) continue;
    each.prior_ns = row->median_ns;
    least = std::min(least.value_or(row->median_ns), row->median_ns);
  }
  std::vector<Candidate> found;
  for (Candidate& each : all) {
    const bool is_near = each.prior_ns && Wide{2} * *each.prior_ns <= Wide{3} * *least;
    if (found.empty() || is_near) found.push_back(std::move(each));
  }
  return found;
}

}  // namespace gatherbench::policies
