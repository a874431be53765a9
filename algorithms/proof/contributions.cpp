// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/contributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace gatherbench::proof {
namespace {

constexpr std::size_t word_bits = 64;

/// Returns the first member of a set that is not empty.
std::size_t first_of(std::span<const std::uint64_t> set) {
  std::size_t word = 0;
  while (set[word] == 0) ++word;
  return word * word_bits + static_cast<std::size_t>(std::countr_zero(set[word]));
}

std::size_t last_of(std::span<const std::uint64_t> set) {
  std::size_t word = set.size() - 1;
  while (set[word] == 0) --word;
  return word * word_bits + static_cast<std::size_t>(std::bit_width(set[word])) - 1;
}

/// Calls visit(block) for each block of the transfer, in order.
template <typename Visit>
void for_each_block(const algorithms::Transfer& transfer, Visit visit) {
  for (const algorithms::BlockRange& range : transfer.blocks) {
    for (int block = range.first; block < range.first + range.count; ++block) visit(block);
  }
}

}  // namespace

Contributions::Contributions(int ranks, std::size_t blocks, bool keeps_order)
    : ranks_(ranks),
      blocks_(blocks),
      keeps_order_(keeps_order),
      words_((static_cast<std::size_t>(ranks) + word_bits - 1) / word_bits),
      bits_(static_cast<std::size_t>(ranks) * blocks * words_, 0) {}

std::span<std::uint64_t> Contributions::set(int rank, int block) {
  const std::size_t row =
      static_cast<std::size_t>(rank) * blocks_ + static_cast<std::size_t>(block);
  return std::span(bits_).subspan(row * words_, words_);
}

std::span<const std::uint64_t> Contributions::set(int rank, int block) const {
  const std::size_t row =
      static_cast<std::size_t>(rank) * blocks_ + static_cast<std::size_t>(block);
  return std::span(bits_).subspan(row * words_, words_);
}

void Contributions::begin_with(int rank, const algorithms::BlockRange& blocks) {
  const auto bit = static_cast<std::size_t>(rank);
  for (int block = blocks.first; block < blocks.first + blocks.count; ++block) {
    set(rank, block)[bit / word_bits] |= std::uint64_t{1} << (bit % word_bits);
  }
}

std::vector<Contributions::Set> Contributions::of(int rank,
                                                  const algorithms::Transfer& transfer) const {
  std::vector<Set> sets;
  for_each_block(transfer, [&](int block) {
    const std::span<const std::uint64_t> one = set(rank, block);
    sets.emplace_back(one.begin(), one.end());
  });
  return sets;
}

void Contributions::hand_over(int rank, const algorithms::Transfer& transfer) {
  for_each_block(transfer, [&](int block) { std::ranges::fill(set(rank, block), 0U); });
}

std::string Contributions::combine(std::span<std::uint64_t> own, const Set& more,
                                   algorithms::Incoming incoming) const {
  for (std::size_t i = 0; i < words_; ++i) {
    if (const std::uint64_t both = own[i] & more[i]; both != 0) {
      return fmt::format("the contribution of rank {} a second time",
                         i * word_bits + static_cast<std::size_t>(std::countr_zero(both)));
    }
  }
  if (keeps_order_) {
    const bool behind = incoming == algorithms::Incoming::combine_behind;
    const std::span<const std::uint64_t> left = behind ? own : std::span<const std::uint64_t>(more);
    const std::span<const std::uint64_t> right =
        behind ? std::span<const std::uint64_t>(more) : own;
    if (last_of(left) + 1 != first_of(right)) {
      return fmt::format("those up to rank {} and those from rank {} on, which are no neighbours",
                         last_of(left), first_of(right));
    }
  }
  for (std::size_t i = 0; i < words_; ++i) own[i] |= more[i];
  return {};
}

std::string Contributions::take(int rank, const algorithms::Transfer& transfer,
                                const std::vector<Set>& sets) {
  std::string fault;
  std::size_t number = 0;
  for_each_block(transfer, [&](int block) {
    const Set& more = sets[number++];
    if (transfer.incoming == algorithms::Incoming::store) {
      std::ranges::copy(more, set(rank, block).begin());
    } else if (fault.empty()) {
      const std::string why = combine(set(rank, block), more, transfer.incoming);
      if (!why.empty()) fault = fmt::format("combines in block {} {}", block, why);
    }
  });
  return fault;
}

bool Contributions::is_whole(int rank, int block) const {
  int found = 0;
  for (const std::uint64_t word : set(rank, block)) found += std::popcount(word);
  return found == ranks_;
}

}  // namespace gatherbench::proof
