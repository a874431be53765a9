// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/learnt.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace gatherbench::star {

// Uses no floating point, so that all ranks come to the same class.
int size_class(std::int64_t bytes) {
  constexpr int kept_bits = 15;
  // 2^15 times 2^(1/4), 2^(2/4), 2^(3/4).
  constexpr std::array<std::uint64_t, 3> quarters{38'968, 46'341, 55'109};
  const auto number = static_cast<std::uint64_t>(bytes);
  const int power = static_cast<int>(std::bit_width(number)) - 1;
  const std::uint64_t mantissa =
      power > kept_bits ? number >> (power - kept_bits) : number << (kept_bits - power);
  int quarter = 0;
  for (const std::uint64_t limit : quarters) quarter += mantissa >= limit ? 1 : 0;
  return 4 * power + quarter;
}

int skew_class(int ranks, std::int64_t largest, std::int64_t total) {
  constexpr int most = 7;
  int skew = 0;
  // ranks x largest may pass 64 bits.
  for (std::int64_t mean = total / ranks; skew < most && mean <= largest / 2; mean *= 2) ++skew;
  return skew;
}

std::string Key::text() const {
  std::string text(collective->name);
  text.append(exact ? " " : " class ").append(std::to_string(size));
  if (collective->unequal_blocks) text.append(" skew ").append(std::to_string(skew));
  if (!op.empty()) text.append(" ").append(op);
  if (collective->has_root) text.append(" root ").append(std::to_string(root));
  return text;
}

namespace {

auto is_of(const std::vector<int>& ranks, const Key& key) {
  return [&](const Learnt& each) { return each.key == key && each.ranks == ranks; };
}

}  // namespace

void Memory::keep(Learnt learnt) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(learnt_, is_of(learnt.ranks, learnt.key));
  if (found != learnt_.end()) {
    *found = std::move(learnt);
    learnt_.splice(learnt_.begin(), learnt_, found);
    return;
  }
  learnt_.push_front(std::move(learnt));
  if (learnt_.size() > most) learnt_.pop_back();
}

void Memory::end(const std::vector<int>& ranks, const Key& key, std::int64_t agreed_ns,
                 std::int64_t unpaid_ns) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(learnt_, is_of(ranks, key));
  if (found == learnt_.end() || found->agreed_ns != agreed_ns) return;
  found->has_ended = true;
  found->unpaid_ns = unpaid_ns;
}

Learnt Memory::find(const std::vector<int>& ranks, const Key& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(learnt_, is_of(ranks, key));
  return found == learnt_.end() ? Learnt{} : *found;
}

}  // namespace gatherbench::star
