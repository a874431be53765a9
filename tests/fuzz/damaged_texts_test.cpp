// SPDX-License-Identifier: BSD-3-Clause
//
// What libFuzzer does for an hour (`make fuzz`), in a second and the same in each run: each text of
// tests/fuzz/texts, damaged at random, goes to the reader that it is for. A reader that neither
// reads nor refuses it ends the program; with sanitizers, so does one that reads beyond it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace gatherbench {
namespace {

void read(const std::string& text) {
  (void)LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

std::vector<std::string> texts() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(GATHERBENCH_SOURCE "/tests/fuzz/texts")) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> found;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    found.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return found;
}

/// Up to five faults: a byte that is another, or missing, or doubled, a part that is repeated, cut
/// off, or taken from another text. The first byte, which names the reader, stays.
class Damage {
 public:
  std::string operator()(std::string text, const std::string& other) {
    for (std::size_t faults = 1 + below(5); faults > 0; --faults) {
      const std::size_t at = 1 + below(text.size());
      const std::size_t length = 1 + below(8);
      const std::size_t kind = below(6);
      if (at == text.size() || kind == 0) {
        text.insert(at, 1, odd_byte());
      } else if (kind == 1) {
        text[at] = odd_byte();
      } else if (kind == 2) {
        text.erase(at, length);
      } else if (kind == 3) {
        text.insert(at, text.substr(at, length));
      } else if (kind == 4) {
        text.insert(at, other.substr(below(other.size()), length));
      } else {
        text.resize(at);
      }
    }
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  char odd_byte() {
    using namespace std::string_view_literals;
    constexpr auto odd = "0123456789-+.,:;=eE \n\t\"'{}[]()#@kKMGi/x*\\\0\x7f\xff"sv;
    return odd[below(odd.size())];
  }
  std::mt19937_64 random_{20261125};
};

TEST(DamagedTexts, AreReadOrRefused) {
  const auto whole = texts();
  ASSERT_EQ(whole.size(), 23U);
  Damage damage;
  for (std::size_t round = 0; round < 1000; ++round) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      read(damage(whole[i], whole[(i + round) % whole.size()]));
    }
  }
}

}  // namespace
}  // namespace gatherbench
