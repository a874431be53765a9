// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "bench/options/command_line.h"

namespace gatherbench::bench {

/// What becomes of the words behind a program's name.
inline std::variant<Options, Ending> parse_words(const collectives::Collective& collective,
                                                 std::vector<std::string> words) {
  words.insert(words.begin(), "program");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return parse_options(collective, static_cast<int>(words.size()), argv.data());
}

}  // namespace gatherbench::bench
