// SPDX-License-Identifier: BSD-3-Clause
#include "formats/crc32.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace gatherbench::formats {
namespace {

/// Computes the CRC by its definition, bit by bit.
std::uint32_t by_bits(std::string_view bytes) {
  std::uint32_t rest = 0xffffffffU;
  for (const char byte : bytes) {
    rest ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      rest = (rest & 1U) != 0 ? (rest >> 1U) ^ 0xedb88320U : rest >> 1U;
    }
  }
  return ~rest;
}

TEST(Crc32, OfAnyLengthIsThatOfItsDefinition) {
  EXPECT_EQ(crc32("123456789"), 0xcbf43926U);  // the check value of every table of CRCs
  std::string bytes;
  for (unsigned i = 0; i < 40; ++i) {
    EXPECT_EQ(crc32(bytes), by_bits(bytes)) << i;
    bytes += static_cast<char>((i * 151 + 17) % 256);
  }
}

TEST(Crc32, GoesOnFromAnyByte) {
  const std::string bytes = "\xff a text of some length, with\na line\x80";
  for (std::size_t i = 0; i <= bytes.size(); ++i) {
    EXPECT_EQ(crc32(bytes.substr(i), crc32(bytes.substr(0, i))), crc32(bytes)) << i;
  }
}

TEST(RunningChecksum, ClosesALineWithEightDigits) {
  RunningChecksum checksum;
  checksum.add("1234567");
  EXPECT_EQ(checksum.close("89"), "89 crc32:cbf43926\n");
  EXPECT_EQ(checksum.value(), crc32("123456789 crc32:cbf43926\n"));
}

}  // namespace
}  // namespace gatherbench::formats
