// SPDX-License-Identifier: BSD-3-Clause
#include "formats/crc32.h"

#include <array>

namespace gatherbench::formats {
namespace {

/// The checksums that each byte makes of one that is 0.
constexpr std::array<std::uint32_t, 256> remainders = [] {
  constexpr std::uint32_t polynomial = 0xedb88320U;  // of IEEE 802.3, lowest bit first
  std::array<std::uint32_t, 256> made{};
  for (std::uint32_t byte = 0; byte < made.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1U ^ ((rest & 1U) != 0 ? polynomial : 0);
    made[byte] = rest;
  }
  return made;
}();

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t rest = ~before;
  for (const char byte : bytes) {
    rest = remainders[(rest ^ static_cast<unsigned char>(byte)) & 0xffU] ^ rest >> 8U;
  }
  return ~rest;
}

std::string RunningChecksum::close(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  add(text);
  std::string end(checksum_mark);
  for (std::uint32_t shift = 32; shift > 0; shift -= 4) end += digits[crc_ >> (shift - 4) & 0xfU];
  end += '\n';
  add(end);
  return std::string(text) + end;
}

}  // namespace gatherbench::formats
