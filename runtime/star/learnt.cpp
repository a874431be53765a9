// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/learnt.h"

#include <algorithm>
#include <utility>

namespace gatherbench::star {
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
