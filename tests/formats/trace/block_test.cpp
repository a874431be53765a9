// SPDX-License-Identifier: BSD-3-Clause
#include "formats/trace/block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace gatherbench::formats {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

using Fields = std::vector<std::int64_t>;

Fields fields(const TraceRecord& one) {
  return {one.arrival_ns,   one.exit_ns, one.bytes, one.total_bytes,
          one.communicator, one.call,    one.site,  static_cast<std::int64_t>(one.operation),
          one.flags};
}

std::vector<Fields> fields(const std::vector<TraceRecord>& records) {
  std::vector<Fields> all;
  for (const TraceRecord& one : records) all.push_back(fields(one));
  return all;
}

/// Packed and unpacked, in blocks of so many.
std::vector<TraceRecord> round_trip(const std::vector<TraceRecord>& records, std::size_t each) {
  TracePacker packer;
  TraceUnpacker unpacker;
  std::vector<TraceRecord> found;
  for (std::size_t at = 0; at < records.size(); at += each) {
    const std::size_t count = std::min(each, records.size() - at);
    EXPECT_TRUE(unpacker.unpack(packer.pack({&records[at], count}), found));
  }
  return found;
}

TraceRecord like(std::int64_t arrival_ns, std::uint32_t call, std::uint32_t communicator = 0) {
  return {arrival_ns, arrival_ns + 5, 8, 16, communicator, call, 3, TraceOperation::Allreduce, 0};
}

TEST(TraceBlock, OddRecordsComeOutAsTheyWere) {
  std::vector<TraceRecord> records = {
      {0, 0, 0, 0, 0, 0, 0, TraceOperation::Allgather, 0},
      {highest, lowest, lowest, highest, 4294967295, 4294967295, 4294967295,
       static_cast<TraceOperation>(65535), 65535},
      {lowest, highest, std::int64_t{1} << 40, highest, 7, 0, 1, TraceOperation::Scatterv, 3},
      {-1, 1, 0, std::int64_t{1} << 40, 7, 5, 1, TraceOperation::Barrier, 0},
      {1000, 2000, 1, 1, 0, 9, 1, TraceOperation::Barrier, 1},
      {999, 1999, 1, 1, 0, 8, 1, TraceOperation::Barrier, 1},  // of a thread that was overtaken
      {500, 501, 1, 1, 0, 10, 1, TraceOperation::Barrier, 1},  // the clock stepped back
  };
  for (const std::size_t each : {1UL, 2UL, 3UL, 7UL}) {
    EXPECT_EQ(fields(round_trip(records, each)), fields(records)) << each;
  }
}

TEST(TraceBlock, RecordsAtRandomComeOutAsTheyWere) {
  std::mt19937_64 draw(1);
  const auto number = [&](int bits) { return static_cast<std::int64_t>(draw() >> (64 - bits)); };
  std::vector<TraceRecord> records;
  for (int i = 0; i < 3000; ++i) {
    const int bits = static_cast<int>(1 + draw() % 60);
    records.push_back(
        {number(bits), number(bits), number(bits), number(bits),
         static_cast<std::uint32_t>(number(3)), static_cast<std::uint32_t>(number(20)),
         static_cast<std::uint32_t>(number(5)), static_cast<TraceOperation>(number(4)),
         static_cast<std::uint16_t>(number(2))});
  }
  EXPECT_EQ(fields(round_trip(records, 1000)), fields(records));
}

TEST(TraceBlock, ALoopOfEqualCallsTakesAFewBytesACall) {
  std::vector<TraceRecord> records;
  for (std::uint32_t i = 0; i < 4000; ++i) records.push_back(like(1000 * i + i % 7 * 90, i));
  TracePacker packer;
  EXPECT_LT(packer.pack(records).bytes.size(), 4000 * 5);
}

TEST(TraceBlock, ACommunicatorForEachCallTakesAFewBytesACall) {
  std::vector<TraceRecord> records;
  for (std::uint32_t i = 0; i < 4000; ++i) records.push_back(like(1000 * i + i % 7 * 90, 0, i));
  TracePacker packer;
  const TraceBlock block = packer.pack(records);
  EXPECT_EQ(block.kinds, 4000);
  EXPECT_LT(block.bytes.size(), 4000 * 5);
}

TEST(TraceBlock, KindsInALoopAreNumberedAsTheyCome) {
  std::vector<TraceRecord> records;
  for (std::uint32_t i = 0; i < 30; ++i) {
    records.push_back(like(1000 * i, i));
    records.back().site = i % 3;
  }
  TracePacker packer;
  EXPECT_EQ(packer.pack(records).kinds, 3);
  EXPECT_EQ(packer.pack(records).kinds, 3);  // a block has a table of its own
  EXPECT_EQ(fields(round_trip(records, 30)), fields(records));
}

TEST(TraceBlock, RefusesBytesThatAreNone) {
  const std::vector<TraceRecord> records = {like(10, 0), like(30, 1), like(31, 2)};
  TracePacker packer;
  const TraceBlock packed = packer.pack(records);
  const std::string bytes(packed.bytes);
  const auto is_block = [](const std::string& text, std::size_t count, std::size_t kinds) {
    std::vector<TraceRecord> found;
    const bool taken = TraceUnpacker().unpack({count, kinds, text}, found);
    EXPECT_EQ(found.size(), taken ? count : 0);
    return taken;
  };
  EXPECT_TRUE(is_block(bytes, 3, 1));
  EXPECT_FALSE(is_block(bytes, 3, 0));
  EXPECT_FALSE(is_block(bytes, 3, 4));
  EXPECT_FALSE(is_block(bytes, 0, 1));
  EXPECT_FALSE(is_block(bytes, 4, 1));
  EXPECT_FALSE(is_block(bytes, TraceBlock::most_records + 1, 1));
  EXPECT_FALSE(is_block(bytes + '\0', 3, 1));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(is_block(bytes.substr(0, size), 3, 1)) << size;
  }
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    for (int other = 1; other < 256; other += 7) {  // read or refused, within its bounds
      std::string damaged = bytes;
      damaged[place] = static_cast<char>(damaged[place] ^ other);
      (void)is_block(damaged, 3, 1);
    }
  }
  std::string wide = bytes;
  wide[16] = 9;  // the width of the first column
  EXPECT_FALSE(is_block(wide, 3, 1));
  std::string far = bytes;
  far[4] = 1;  // a communicator of 2^32
  EXPECT_FALSE(is_block(far, 3, 1));
  std::string unknown = bytes;
  unknown[6 * 17] = 1;  // the kind of the first record
  EXPECT_FALSE(is_block(unknown, 3, 1));
}

}  // namespace
}  // namespace gatherbench::formats
