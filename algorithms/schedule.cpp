// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/schedule.h"

#include <algorithm>

namespace gatherbench::algorithms {

TransferList::Entry TransferList::entry(int peer, std::size_t ranges_end, Incoming incoming) {
  constexpr std::size_t max = (1U << 30) - 1;
  return {peer, static_cast<std::uint32_t>(ranges_end & max),
          static_cast<std::uint32_t>(incoming) & 3U};
}

void TransferList::add(std::size_t step_begin, int peer, BlockRange blocks, Incoming incoming) {
  ranges_.push_back(blocks);
  const Entry last = entry(peer, ranges_.size(), incoming);
  if (transfers_.size() > step_begin && transfers_.back().peer == peer) {
    transfers_.back() = last;
  } else {
    transfers_.push_back(last);
  }
}

void TransferList::add_token(int peer) {
  transfers_.push_back(entry(peer, ranges_.size(), Incoming::store));
}

void Schedule::reserve(std::size_t steps, std::size_t transfers, std::size_t ranges) {
  steps_.reserve(steps);
  sends_.reserve(transfers, ranges);
  receives_.reserve(transfers, ranges);
}

void Schedule::begin_step(bool barrier) {
  constexpr std::uint32_t max = (1U << 30) - 1;
  steps_.push_back({static_cast<std::uint32_t>(sends_.size()) & max, barrier ? 1U : 0U, 0,
                    static_cast<std::uint32_t>(receives_.size())});
}

void Schedule::begin_leaving_step() {
  begin_step();
  steps_.back().leaves = 1;
}

void Schedule::send(int peer, BlockRange blocks) { sends_.add(steps_.back().sends, peer, blocks); }

void Schedule::receive(int peer, BlockRange blocks, Incoming incoming) {
  receives_.add(steps_.back().receives, peer, blocks, incoming);
}

void Schedule::send_token(int peer) { sends_.add_token(peer); }

void Schedule::receive_token(int peer) { receives_.add_token(peer); }

std::size_t Schedule::background_steps() const {
  std::vector<BlockRange> came;
  const auto has_come = [&came](const BlockRange& blocks) {
    const int behind = blocks.first + blocks.count;
    for (int block = blocks.first; block < behind;) {
      const auto found = std::ranges::find_if(came, [block](const BlockRange& range) {
        return range.first <= block && block < range.first + range.count;
      });
      if (found == came.end()) return false;
      block = found->first + found->count;
    }
    return true;
  };
  for (std::size_t i = 0; i < steps(); ++i) {
    const Step one = step(i);
    if (one.barrier) return i;
    for (std::size_t k = 0; k < one.sends.size(); ++k) {
      if (!std::ranges::all_of(one.sends[k].blocks, has_come)) return i;
    }
    for (std::size_t k = 0; k < one.receives.size(); ++k) {
      if (one.receives[k].incoming != Incoming::store) return i;
      const std::span<const BlockRange> blocks = one.receives[k].blocks;
      came.insert(came.end(), blocks.begin(), blocks.end());
    }
  }
  return steps();
}

CyclicRange::CyclicRange(int first, int count, int ranks) : parts{}, size(1) {
  first = (first % ranks + ranks) % ranks;
  parts[0] = {first, count};
  if (first + count > ranks) {
    parts[0].count = ranks - first;
    parts[1] = {0, count - parts[0].count};
    size = 2;
  }
}

}  // namespace gatherbench::algorithms
