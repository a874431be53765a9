// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace gatherbench::text {

/// The candidate with the fewest edits (insert, delete, replace a character) to `word`, the first
/// one of equals; empty when every candidate differs by more than half of the word's length.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace gatherbench::text
