// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/messages/transfer_bytes.h"

#include <algorithm>
#include <numeric>

namespace gatherbench::messages {
namespace {

/// Places [begin, end) of a buffer; on a circle the end may be before the begin.
struct Run {
  int begin;
  int end;
};

/// The number of runs in a list of places. One that touches the run before it, at either end, is
/// part of that.
class RunCount {
 public:
  void add(const Run& more) {
    if (count_ > 0 && last_.end == more.begin) {
      last_.end = more.end;
    } else if (count_ > 0 && more.end == last_.begin) {
      last_.begin = more.begin;
    } else {
      last_ = more;
      ++count_;
    }
    if (count_ == 1) first_ = last_;
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Returns the number if the first run follows the last one.
  [[nodiscard]] std::int64_t cyclic_count() const {
    const bool touch = last_.end == first_.begin || last_.begin == first_.end;
    return count_ > 1 && touch ? count_ - 1 : count_;
  }

 private:
  Run first_{};
  Run last_{};
  std::int64_t count_ = 0;
};

}  // namespace

std::int64_t count_messages(const algorithms::Transfer& transfer, int scratch_first_block,
                            int blocks) {
  if (scratch_first_block == 0 && transfer.blocks.size() == 1) return 1;
  RunCount runs;
  const auto add = [&](int first, int last) {
    if (first == last) return;
    const int begin = first - scratch_first_block + (first < scratch_first_block ? blocks : 0);
    runs.add({begin, begin + last - first});
  };
  for (const algorithms::BlockRange& range : transfer.blocks) {
    const int last = range.first + range.count;
    const int wrap = std::clamp(scratch_first_block, range.first, last);
    add(range.first, wrap);
    add(wrap, last);
  }
  return std::max<std::int64_t>(runs.count(), 1);
}

std::int64_t count_cyclic_messages(const algorithms::Transfer& transfer, int blocks) {
  RunCount runs;
  for (const algorithms::BlockRange& range : transfer.blocks) {
    runs.add({range.first % blocks, (range.first + range.count) % blocks});
  }
  return std::max<std::int64_t>(runs.cyclic_count(), 1);
}

bool lies_alike(const algorithms::Transfer& transfer, int first_block, int other_first_block) {
  if (first_block == other_first_block) return true;
  const auto [low, high] = std::minmax(first_block, other_first_block);
  bool any_between = false;
  bool any_beyond = false;
  for (const algorithms::BlockRange& range : transfer.blocks) {
    const int last = range.first + range.count;
    const int between = std::min(last, high) - std::max(range.first, low);
    any_between = any_between || between > 0;
    any_beyond = any_beyond || between < range.count;
  }
  return !(any_between && any_beyond);
}

std::vector<std::int64_t> sizes_of(std::span<const std::int64_t> given, int blocks) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(blocks),
                                  given.size() == 1 ? given.front() : 1);
  std::ranges::copy(given, sizes.begin());
  return sizes;
}

std::vector<std::int64_t> sizes_of(const algorithms::Problem& problem, int blocks) {
  std::vector<std::int64_t> sizes;
  const bool is_one = problem.block_bytes.size() == 1;
  for (int block = 0; block < blocks; ++block) sizes.push_back(problem.bytes(is_one ? 0 : block));
  return sizes;
}

int blocks_moved(const algorithms::Algorithm& algorithm, int ranks) {
  return algorithm.combines_at_end ? ranks : algorithm.kind->blocks(ranks);
}

TransferBytes::TransferBytes(std::span<const std::int64_t> block_bytes,
                             const algorithms::Segmentation& segmentation) {
  const algorithms::Segments segments = algorithms::cut(block_bytes, segmentation);
  segments_ = static_cast<int>(segments.bytes.size());
  bytes_before_.assign(segments.bytes.size() + 1, 0);
  std::partial_sum(segments.bytes.begin(), segments.bytes.end(), bytes_before_.begin() + 1);
}

std::int64_t TransferBytes::of(const algorithms::Transfer& transfer) const {
  std::int64_t sum = 0;
  for (const algorithms::BlockRange& range : transfer.blocks) {
    const auto first = static_cast<std::size_t>(range.first);
    const auto end = first + static_cast<std::size_t>(range.count);
    sum += bytes_before_.empty() ? range.count : bytes_before_[end] - bytes_before_[first];
  }
  return sum;
}

std::int64_t TransferBytes::combined_at_end(const algorithms::Schedule& schedule) const {
  if (schedule.contributions == 0) return 0;
  const algorithms::BlockRange others[] = {{1, schedule.contributions - 1}};
  return of({.peer = 0, .blocks = others});
}

}  // namespace gatherbench::messages
