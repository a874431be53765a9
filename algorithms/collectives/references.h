// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iterator>
#include <span>

namespace gatherbench::collectives {

/// A table of pointers as a range of what they point to. (std::views::transform would do, but
/// Clang 14 cannot compile it with GCC 12's library.)
template <typename T>
class References {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    Iterator() = default;
    explicit Iterator(const T* const* at) : at_(at) {}
    reference operator*() const { return **at_; }
    pointer operator->() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    const T* const* at_ = nullptr;
  };

  explicit References(std::span<const T* const> table) : table_(table) {}
  [[nodiscard]] Iterator begin() const { return Iterator(table_.data()); }
  [[nodiscard]] Iterator end() const { return Iterator(table_.data() + table_.size()); }
  [[nodiscard]] std::size_t size() const { return table_.size(); }

 private:
  std::span<const T* const> table_;
};

}  // namespace gatherbench::collectives
