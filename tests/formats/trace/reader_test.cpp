// SPDX-License-Identifier: BSD-3-Clause
#include "formats/trace/reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/crc32.h"
#include "formats/trace/block.h"
#include "tests/message_of.h"

namespace gatherbench::formats {
namespace {

using testing::HasSubstr;

/// A file as libagtrace.so writes it.
class File {
 public:
  explicit File(std::string_view version = "3") : is_packed_(version == "3") {
    line(fmt::format("agtrace={}", version));
    line("rank=1");
    line("ranks=3");
    line("program=/bin/app");
    line("operations=MPI_Allgather MPI_Allgatherv");
    if (is_packed_) line(fmt::format("kind={}", TraceBlock::kind_columns));
    line(fmt::format("record={}", is_packed_ ? TraceBlock::record_columns : TraceRecord::layout));
    line("communicator=0 4294967296 1 3");
  }
  void line(const std::string& text) { add("#@" + text + "\n"); }
  void closing_line(const std::string& text) { text_ += sum_.close("#@" + text); }
  void block(const std::vector<TraceRecord>& records) {
    if (is_packed_) {
      const TraceBlock packed = packer_.pack(records);
      line(fmt::format("block={} {} {}", packed.records, packed.kinds, packed.bytes.size()));
      add(packed.bytes);
    } else {
      line(fmt::format("block={}", records.size()));
      add({reinterpret_cast<const char*>(records.data()), records.size() * sizeof(records[0])});
    }
    closing_line(fmt::format("block_end={}", records.size()));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

  void add(std::string_view bytes) {
    text_ += bytes;
    sum_.add(bytes);
  }

 private:
  bool is_packed_;
  TracePacker packer_;
  std::string text_;
  RunningChecksum sum_;
};

TraceRecord record(std::uint32_t call, TraceOperation operation = TraceOperation::Allgather) {
  return {10 * call, 10 * call + 3, 8, 24, 0, call, 0, operation, 0};
}

File whole(std::string_view version = "3") {
  File file(version);
  file.block({record(0), record(1, TraceOperation::Allgatherv)});
  file.block({record(2)});
  file.closing_line("end=finalize 3");
  return file;
}

RankTrace read(const std::string& text, std::string_view operation = "MPI_Allgather") {
  return read_rank_trace("--replay", "t/rank_1.agtrace", text, operation);
}

std::string refusal(const std::string& text) {
  return message_of([&] { (void)read(text); });
}

TEST(TraceReader, KeepsTheRecordsOfOneOperation) {
  const RankTrace trace = read(whole().text());
  EXPECT_EQ(trace.rank, 1);
  EXPECT_EQ(trace.ranks, 3);
  EXPECT_EQ(trace.program, "/bin/app");
  EXPECT_TRUE(trace.is_whole);
  EXPECT_TRUE(trace.is_checked);
  ASSERT_EQ(trace.records.size(), 2);
  EXPECT_EQ(trace.records[0].call, 0);
  EXPECT_EQ(trace.records[1].call, 2);
  EXPECT_EQ(trace.records[1].arrival_ns, 20);
  EXPECT_EQ(trace.calls.at("MPI_Allgatherv"), 1);
  EXPECT_EQ(trace.communicators.at(0).id, 4294967296);
  EXPECT_EQ(trace.communicators.at(0).rank, 1);
  EXPECT_EQ(read(whole().text(), "MPI_Allgatherv").records.at(0).call, 1);
}

TEST(TraceReader, FindsEveryAlteredByteThatAChecksumIsOf) {
  for (const std::string_view version : {"2", "3"}) {
    const std::string text = whole(version).text();
    for (std::size_t place = 0; place < text.find("#@end="); place += 3) {
      std::string altered = text;
      altered[place] = static_cast<char>(altered[place] ^ 1);
      EXPECT_THAT(refusal(altered), HasSubstr("--replay: 't/rank_1.agtrace' ")) << place;
    }
  }
}

TEST(TraceReader, ABlockIsUnpackedWhenItIsProven) {
  std::string text = whole().text();
  const std::size_t width = text.find('\n', text.find("#@block=")) + 17;
  text[width] = 9;
  EXPECT_THAT(refusal(text), HasSubstr("was altered: "));
  File file;
  file.line("block=2 1 10");
  file.add("0123456789");
  file.closing_line("block_end=2");
  EXPECT_THAT(refusal(file.text()), HasSubstr("records 1 to 2: they cannot be unpacked; legal: "));
}

TEST(TraceReader, ReadsVersion2AsTheNewest) {
  const auto calls = [](const RankTrace& trace) {
    std::vector<std::int64_t> found;
    for (const TraceRecord& one : trace.records) found.push_back(one.call * 1000 + one.exit_ns);
    return found;
  };
  const RankTrace old = read(whole("2").text());
  EXPECT_TRUE(old.is_checked);
  EXPECT_EQ(calls(old), calls(read(whole().text())));
  EXPECT_EQ(old.records.size(), 2);
}

TEST(TraceReader, KnowsOfASample) {
  File file;
  EXPECT_EQ(read(file.text()).sample, 1);
  file.line("sample=100");
  EXPECT_EQ(read(file.text()).sample, 100);
  file.line("sample=0");
  EXPECT_THAT(refusal(file.text()), HasSubstr("sample='0' cannot be read"));
}

TEST(TraceReader, SaysWhichRecordsAChecksumIsOf) {
  std::string text = whole().text();
  const std::size_t block = text.find('\n', text.find("#@block=1 "));
  text[block + 20] = static_cast<char>(text[block + 20] ^ 4);
  EXPECT_THAT(refusal(text), HasSubstr("since the checksum before there are records 3 to 3; legal: "
                                       "the file as libagtrace.so wrote it"));
}

TEST(TraceReader, TakesWhatIsProvenOfAFileThatWasCutOff) {
  const std::string text = whole().text();
  const std::size_t second = text.find("#@block=1 ");
  for (std::size_t end = second; end < text.find("#@end="); ++end) {
    const RankTrace trace = read(text.substr(0, end));
    EXPECT_FALSE(trace.is_whole);
    EXPECT_EQ(trace.records.size(), end > text.find("crc32", second) + 14 ? 2 : 1) << end;
  }
}

TEST(TraceReader, RefusesWhatStandsBehindTheEnd) {
  const std::string text = whole().text();
  ASSERT_TRUE(read(text).is_whole);
  for (const std::string_view more : {"#@x=1\n", "x", "#@end=finalize 1\n"}) {
    EXPECT_THAT(refusal(text + std::string(more)),
                HasSubstr("there is more behind its end in line"));
  }
}

TEST(TraceReader, ReadsVersion1WhichHasNoChecksums) {
  File file("1");
  file.line("block=1");
  const RankTrace trace = read(file.text() + std::string(sizeof(TraceRecord), '\0'));
  EXPECT_FALSE(trace.is_checked);
  EXPECT_EQ(trace.records.size(), 1);
}

TEST(TraceReader, RefusesWhatIsNone) {
  EXPECT_THAT(refusal("1,2,3\n"), HasSubstr("line 1 does not begin with #@"));
  EXPECT_THAT(refusal("#@agtrace=2\n#@rank=0\n"), HasSubstr("it has no ranks"));
  EXPECT_THAT(refusal("#@agtrace=4\n"), HasSubstr("line 1: agtrace='4' cannot be read"));
  EXPECT_THAT(refusal("#@block=1\n"), HasSubstr("line 1: block='1' cannot be read"));
  for (const std::string_view numbers : {"1", "1 1", "0 1 9", "1 0 9", "1 1 -9", "1 1 9 9"}) {
    File file;
    file.line(fmt::format("block={}", numbers));
    EXPECT_THAT(refusal(file.text()), HasSubstr("cannot be read")) << numbers;
  }
  EXPECT_THAT(refusal("#@record=call:u4\n"), HasSubstr("line 1: record='call:u4' cannot be read"));
  EXPECT_THAT(refusal("#@communicator=0 1 3 3\n"), HasSubstr("cannot be read"));
}

TEST(TraceReader, RefusesRecordsThatCannotHaveBeen) {
  const auto with = [](TraceRecord one) {
    File file;
    file.block({record(0), one});
    return refusal(file.text());
  };
  TraceRecord wrong = record(1);
  wrong.exit_ns = wrong.arrival_ns - 1;
  EXPECT_THAT(with(wrong), HasSubstr("record 2: it leaves before it arrives"));
  wrong = record(1);
  wrong.bytes = -1;
  EXPECT_THAT(with(wrong), HasSubstr("record 2: negative bytes"));
  wrong = record(1);
  wrong.communicator = 7;
  EXPECT_THAT(with(wrong), HasSubstr("record 2: an unknown communicator"));
  EXPECT_THAT(with(record(1, TraceOperation::Barrier)), HasSubstr("an unknown operation"));
}

TEST(TraceReader, TheCommonClockIsALineThroughTheLastPoints) {
  RankTrace trace;
  EXPECT_EQ(trace.common_ns(5), 5);
  trace.clock = {{0, 0}, {1000, 2000}, {2000, 3500}};
  EXPECT_EQ(trace.common_ns(2000), 3500);
  EXPECT_EQ(trace.common_ns(1000), 2000);
  EXPECT_EQ(trace.common_ns(2200), 3800);
}

}  // namespace
}  // namespace gatherbench::formats
