// SPDX-License-Identifier: BSD-3-Clause
#include "formats/crc32.h"

#include <array>
#include <cstddef>

namespace gatherbench::formats {
namespace {

// Bytes that are taken at once ("slicing", Kounavis and Berry 2005): faster than one by one.
constexpr std::size_t slice = 8;

using Table = std::array<std::uint32_t, 256>;

/// tables[k][byte]: what the byte makes of the checksum when k others follow it.
constexpr std::array<Table, slice> make_tables() {
  constexpr std::uint32_t polynomial = 0xedb88320U;  // of IEEE 802.3, lowest bit first
  std::array<Table, slice> tables{};
  for (std::uint32_t byte = 0; byte < tables[0].size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) {
      rest = (rest & 1U) != 0 ? (rest >> 1U) ^ polynomial : rest >> 1U;
    }
    tables[0][byte] = rest;
  }
  for (std::size_t more = 1; more < slice; ++more) {
    for (std::size_t byte = 0; byte < tables[0].size(); ++byte) {
      const std::uint32_t before = tables[more - 1][byte];
      tables[more][byte] = tables[0][before & 0xffU] ^ (before >> 8U);
    }
  }
  return tables;
}

constexpr std::array<Table, slice> tables = make_tables();

std::uint32_t byte_at(std::string_view bytes, std::size_t place) {
  return static_cast<unsigned char>(bytes[place]);
}

/// Four bytes from `place` on, the first one lowest.
std::uint32_t word_at(std::string_view bytes, std::size_t place) {
  return byte_at(bytes, place) | byte_at(bytes, place + 1) << 8U |
         byte_at(bytes, place + 2) << 16U | byte_at(bytes, place + 3) << 24U;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t rest = ~before;
  std::size_t place = 0;
  for (; place + slice <= bytes.size(); place += slice) {
    const std::uint32_t low = rest ^ word_at(bytes, place);
    const std::uint32_t high = word_at(bytes, place + 4);
    rest = tables[7][low & 0xffU] ^ tables[6][low >> 8U & 0xffU] ^ tables[5][low >> 16U & 0xffU] ^
           tables[4][low >> 24U] ^ tables[3][high & 0xffU] ^ tables[2][high >> 8U & 0xffU] ^
           tables[1][high >> 16U & 0xffU] ^ tables[0][high >> 24U];
  }
  for (; place < bytes.size(); ++place) {
    rest = tables[0][(rest ^ byte_at(bytes, place)) & 0xffU] ^ (rest >> 8U);
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
