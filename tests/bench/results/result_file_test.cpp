// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/result_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/results/result_rows.h"
#include "formats/columns.h"
#include "formats/gzip.h"
#include "formats/text/input_error.h"
#include "tests/message_of.h"

namespace gatherbench::bench {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// A case's last line, with the checksum of all before it.
auto ends_with_case(int bytes) {
  return ContainsRegex("\n#@case_end=allgather,regular,none,sequential,2," + std::to_string(bytes) +
                       " crc32:[0-9a-f]{8}\n$");
}

const formats::Metadata identity{{"seed", "1"}, {"ranks", "2"}};

formats::CaseKey key(std::int64_t bytes) {
  return {"allgather", "regular", "none", "sequential", 2, 1, bytes, 2 * bytes};
}

formats::Iteration iteration(double min_us, double imbalance_us) {
  return {{"min_us", min_us},
          {"avg_us", 2},
          {"max_us", 3},
          {"run_us", 4},
          {"imbalance_us", imbalance_us},
          {"clock_error_us", 0}};
}

CaseResult results() {
  Timings timings{{iteration(1, 0.5), iteration(1.0004, 0)}, {{1}, {3}, {1}, {3}}};
  timings.iterations[1].late = true;
  timings.steps = {{{{formats::part_before, -1}, {formats::part_after, 0}},
                    {{formats::part_before, -1},
                     {formats::part_step, 0, "0", "0-2;5", 8, 32, 1},
                     {formats::part_after, 1}}},
                   {{0, {0, 1, 2}}, {0.25, {0, 1.5, 3, 4}}}};
  timings.iterations[1].number = 1;
  Series series{.ranks = {0, 1}, .total_bytes = 16};
  Series timed = series;
  timed.timings = std::move(timings);
  return {{{"ring", formats::Status::ok, "", 7.5, {timed}},
           {"bruck", formats::Status::skipped, "why, \"so\" # and so", 0, {series}}}};
}

class ResultFileTest : public testing::Test {
 protected:
  ResultFileTest() { std::filesystem::create_directories(folder_); }
  ~ResultFileTest() override { std::filesystem::remove_all(folder_); }

  ResultFile open(bool resume, const formats::Metadata& must_agree = identity,
                  std::span<const formats::File> recorded = {}) const {
    formats::Metadata metadata = must_agree;
    metadata.emplace_back("start", "today");
    return {path_, metadata, resume, recorded};
  }
  [[nodiscard]] std::string error_of(bool resume,
                                     const formats::Metadata& must_agree = identity) const {
    try {
      open(resume, must_agree);
    } catch (const text::InputError& error) {
      return error.what();
    }
    return "no error";
  }
  [[nodiscard]] std::string content() const { return content_of(path_); }
  static std::string content_of(const std::string& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void add_to_file(const std::string& text) const { std::ofstream(path_, std::ios::app) << text; }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("result_file_" + std::to_string(getpid()));
  std::string path_ = folder_ / "out.csv";
};

TEST_F(ResultFileTest, RowsAreTheDocumentedOnes) {
  EXPECT_EQ(rows_of(formats::File::results, key(8), results()),
            "allgather,ring,regular,none,sequential,all,nothing,\"0,0\",2,1,8,16,0,1.000,2.000,3."
            "000,4.000,"
            ",,,,0.500,,,,,0.000,,,,,,,,7.500,ok,\n"
            "allgather,ring,regular,none,sequential,all,nothing,\"0,0\",2,1,8,16,1,1.000,2.000,3."
            "000,4.000,"
            ",,,,0.000,,,,,0.000,,,,,,,,7.500,late,a rank missed the agreed start\n"
            "allgather,bruck,regular,none,sequential,all,nothing,\"0,0\",2,1,8,16,,,,,,,,,,,,,,,,,,"
            ",,,,,,skipped,"
            "\"why, \"\"so\"\" # and so\"\n");
  CaseResult delayed = results();
  delayed.message_us = 12.5;
  delayed.algorithms[0].series[0].timings.iterations[0]["clock_error_us"] = 0.25;
  delayed.algorithms[0].series[0].timings.iterations[0]["asked_imbalance_us"] = 70;
  delayed.algorithms[0].series[0].timings.iterations[0]["asked_run_us"] = 72;
  delayed.algorithms[0].series[0].timings.iterations[0]["delay_error_us"] = 3;
  EXPECT_THAT(rows_of(formats::File::results, key(8), delayed),
              HasSubstr(",4.000,,,,,0.500,70.000,72.000,3.000,12.500,0.250,,,,,,,,7.500,ok,\n"));
  formats::Iteration& cycled = delayed.algorithms[0].series[0].timings.iterations[1];
  cycled["cycle_us"] = 9;
  cycled["write_us"] = 1.5;
  cycled["read_us"] = 2.5;
  cycled["line_before_us"] = 0.1;
  cycled["line_after_us"] = 0.45;
  EXPECT_THAT(
      rows_of(formats::File::results, key(8), delayed),
      HasSubstr(",4.000,,9.000,1.500,2.500,0.000,,,,12.500,0.000,0.100,0.450,,,,,,7.500,late,"));
  delayed.algorithms[0].series[0].timings.iterations[0]["prediction_error_us"] = 1.5;
  delayed.algorithms[0].series[0].timings.iterations[0]["helper_us"] = 20;
  EXPECT_THAT(rows_of(formats::File::results, key(8), delayed),
              HasSubstr(",0.250,,,1.500,20.000,,,,7.500,ok,\n"));
  delayed.algorithms[0].series[0].timings.iterations[0]["schedule_us"] = 5;
  delayed.algorithms[0].series[0].timings.chosen = {"sparbit", "ring"};
  EXPECT_THAT(rows_of(formats::File::results, key(8), delayed),
              HasSubstr(",20.000,5.000,,sparbit,7.500,ok,\n"));
  delayed.algorithms[0].series[0].timings.ranks[1] = {3, 5, 5.5, 105.5};
  EXPECT_THAT(rows_of(formats::File::ranks, key(8), delayed),
              HasSubstr(",0,1,3.000,5.000,5.500,105.500\n"));
}

TEST_F(ResultFileTest, DescribesItselfAndMarksFinishedCases) {
  ResultFile file = open(false);
  file.append(key(8), results());
  EXPECT_THAT(content(), testing::StartsWith("#@seed=1\n#@ranks=2\n#@start=today\ncollective,"));
  EXPECT_THAT(content(), ends_with_case(8));
  EXPECT_TRUE(file.is_done(key(8)));
  EXPECT_FALSE(file.is_done(key(16)));
}

TEST_F(ResultFileTest, TheLoadAtTheEndStays) {
  {
    ResultFile file = open(false);
    file.append(key(8), results());
    file.add_load("0.50");
  }
  EXPECT_THAT(content(), ContainsRegex("\n#@load_end=0.50 crc32:[0-9a-f]{8}\n$"));
  const std::string before = content();
  ResultFile file = open(true);
  EXPECT_TRUE(file.is_done(key(8)));
  EXPECT_THAT(content(), testing::StartsWith(before + "#@resumed="));
}

TEST_F(ResultFileTest, NeverOverwrites) {
  open(false);
  const std::string before = content();
  EXPECT_THAT(error_of(false), HasSubstr("exists and is not overwritten"));
  EXPECT_EQ(content(), before);
}

// A member a case: what a kill cut off is one that has no end.
TEST_F(ResultFileTest, CompressedFilesAreCutAtTheirMembers) {
  path_ += ".gz";
  const auto text = [&] {
    const std::string data = content();
    std::string all;
    std::string member;
    for (std::size_t at = 0; at < data.size();) {
      const std::size_t length =
          formats::read_gzip_member(std::string_view(data).substr(at), member).value();
      if (length == 0) return all + "CUT OFF";
      at += length;
      all += member;
    }
    return all;
  };
  open(false).append(key(8), results());
  EXPECT_THAT(text(), testing::StartsWith("#@seed=1\n"));
  EXPECT_THAT(text(), ends_with_case(8));
  EXPECT_LT(content().size(), text().size());
  const std::string whole = content();
  for (const std::string& tail :
       {formats::gzip_member("rows").substr(0, 12), formats::gzip_member("allgather,ring,1\n")}) {
    std::ofstream(path_, std::ios::trunc | std::ios::binary) << whole << tail;
    ResultFile file = open(true);
    EXPECT_TRUE(file.is_done(key(8)));
    EXPECT_THAT(content(), testing::StartsWith(whole));
    file.append(key(16), results());
    EXPECT_THAT(text(), ContainsRegex("sequential,2,8 crc32:.{8}\n#@resumed=after 1 cases"));
    EXPECT_THAT(text(), ends_with_case(16));
  }
}

// What is behind the fault may be whole, and must not be cut off without a word.
TEST_F(ResultFileTest, DamagedFilesAreRefused) {
  path_ += ".gz";
  std::vector<std::size_t> ends;
  {
    ResultFile file = open(false);
    for (const int bytes : {8, 16, 32}) {
      file.append(key(bytes), results());
      ends.push_back(content().size());
    }
  }
  const std::string whole = content();
  std::string damaged = whole;
  damaged[ends[0] + 30] = static_cast<char>(damaged[ends[0] + 30] ^ 4);
  const std::string no_member = whole + "xyz";
  for (const auto& [data, from] : {std::pair(damaged, ends[0]), std::pair(no_member, ends[2])}) {
    std::ofstream(path_, std::ios::trunc | std::ios::binary) << data;
    EXPECT_THAT(message_of([&] { open(true); }),
                HasSubstr("is damaged from byte " + std::to_string(from) + " on"));
    EXPECT_EQ(content(), data);
  }
}

TEST_F(ResultFileTest, FilesThatOthersCompressedAreRefused) {
  open(false).append(key(8), results());
  const std::string plain = content();
  path_ += ".gz";
  std::ofstream(path_, std::ios::binary) << formats::gzip_member(plain + "allgather,ring,1\n");
  EXPECT_THAT(message_of([&] { open(true); }), HasSubstr("was compressed by another program"));
}

TEST_F(ResultFileTest, LongTextsSurviveCompression) {
  std::string text;
  for (int i = 0; text.size() < 300000; ++i) text += std::to_string(i * 7919 % 10007) + ',';
  std::string found;
  for (const std::string& each : {text, std::string("a"), std::string()}) {
    const std::string member = formats::gzip_member(each);
    EXPECT_EQ(formats::read_gzip_member(member, found), member.size());
    EXPECT_EQ(found, each);
    EXPECT_EQ(
        formats::read_gzip_member(std::string_view(member).substr(0, member.size() - 1), found),
        0U);
  }
}

TEST_F(ResultFileTest, ResumeCutsWhatIsUnfinished) {
  open(false).append(key(8), results());
  const std::string whole = content();
  add_to_file(
      "allgather,ring,regular,none,sequential,all,nothing,\"0,0\",2,1,16,32,0,1.0,2.0,3."
      "0\nallgath");
  ResultFile file = open(true);
  EXPECT_TRUE(file.is_done(key(8)));
  EXPECT_FALSE(file.is_done(key(16)));
  EXPECT_THAT(content(),
              testing::StartsWith(whole + "#@resumed=after 1 cases; start today crc32:"));
  file.append(key(16), results());
  EXPECT_THAT(content(), ends_with_case(16));
}

TEST_F(ResultFileTest, AnEndMarkWithoutItsNewlineIsTorn) {
  open(false);
  const std::string whole = content();
  add_to_file("#@case_end=allgather,regular,none,sequential,2,8");
  EXPECT_FALSE(open(true).is_done(key(8)));
  EXPECT_THAT(content(), testing::StartsWith(whole + "#@resumed="));
}

TEST_F(ResultFileTest, ResumeWithoutAFileBeginsOne) {
  open(true);
  EXPECT_THAT(content(), Not(HasSubstr("resumed")));
}

TEST_F(ResultFileTest, ResumeRefusesAnotherRun) {
  open(false).append(key(8), results());
  const std::string before = content();
  EXPECT_THAT(error_of(true, {{"seed", "2"}, {"ranks", "2"}}),
              HasSubstr("its seed is '1', now it is '2'"));
  EXPECT_THAT(error_of(true, {{"order", "x"}}), HasSubstr("its order is 'nothing'"));
  EXPECT_EQ(content(), before);
}

// A launch before it meets its partner knows nothing of them yet.
TEST_F(ResultFileTest, ResumeRefusesARunWithKeysThatThisOneLacks) {
  const std::pair<std::string, std::string> more{"preload", "libagstar.so"};
  const std::pair<std::string, std::string> device{"device", "card"};
  for (const auto& [entry, now] : {std::pair(more, "nothing"), std::pair(device, "none")}) {
    formats::Metadata began = identity;
    began.push_back(entry);
    open(false, began).append(key(8), results());
    const std::string before = content();
    EXPECT_THAT(error_of(true), HasSubstr("its " + entry.first + " is '" + entry.second +
                                          "', now it is '" + now + "'"));
    EXPECT_EQ(content(), before);
    EXPECT_EQ(ResultFile::look(path_, identity, true).cases, 1U);
    EXPECT_TRUE(open(true, began).is_done(key(8)));
    std::filesystem::remove(path_);
  }
}

// A launch with such a value goes on, and the file stays readable.
TEST_F(ResultFileTest, AValueThatEndsAsAChecksumIsNone) {
  formats::Metadata metadata = identity;
  metadata.emplace_back("note.data", "set crc32:1a2b3c4d");
  open(false, metadata).append(key(8), results());
  EXPECT_THAT(content(), HasSubstr("#@note.data=set crc32: 1a2b3c4d\n"));
  EXPECT_TRUE(open(true, metadata).is_done(key(8)));
}

TEST_F(ResultFileTest, ResumeRefusesWhatWasAltered) {
  {
    ResultFile file = open(false);
    file.append(key(8), results());
    file.append(key(16), results());
  }
  const std::string whole = content();
  const std::vector<std::pair<std::string, std::string>> changes{
      {"start=today", "start=monday"},
      {"collective,algorithm", "algorithm,collective"},
      {"ring,regular,none,sequential,all,nothing,\"0,0\",2,1,8,16,0,1.000",
       "ring,regular,none,sequential,all,nothing,\"0,0\",2,1,8,16,0,1.001"},
      {"2,8 crc32:", "2,9 crc32:"},
      {"\n#@case_end=allgather,regular,none,sequential,2,16", "\n#case"},
  };
  for (const auto& [from, to] : changes) {
    std::string altered = whole;
    altered.replace(altered.find(from), from.size(), to);
    std::ofstream(path_, std::ios::trunc) << altered;
    const bool lost_its_end = to == "\n#case";  // as a case that a kill cut off
    EXPECT_EQ(error_of(true).find("was altered: line") != std::string::npos, !lost_its_end) << to;
    if (!lost_its_end) {
      EXPECT_EQ(content(), altered);
    }
  }
}

TEST_F(ResultFileTest, GoesOnWithWhatWasResumed) {
  open(false).append(key(8), results());
  open(true).append(key(16), results());
  ResultFile file = open(true);
  EXPECT_TRUE(file.is_done(key(8)) && file.is_done(key(16)));
}

// Such as an earlier version wrote.
TEST_F(ResultFileTest, GoesOnWithAFileWithoutChecksums) {
  add_to_file("#@seed=1\n#@ranks=2\n" + formats::header(formats::File::results) + "\n" +
              rows_of(formats::File::results, key(8), results()) +
              "#@case_end=allgather,regular,none,sequential,2,8\n");
  open(true).append(key(16), results());
  EXPECT_TRUE(open(true).is_done(key(16)));
}

TEST_F(ResultFileTest, ResumeRefusesOtherFiles) {
  using namespace std::string_literals;
  for (const std::string& text :
       {""s, "hello\n"s, "a,b,c\n1,2,3\n"s, "no end of line"s, "\0\1\2"s}) {
    std::ofstream(path_, std::ios::trunc | std::ios::binary) << text;
    EXPECT_THAT(error_of(true), HasSubstr("is not a result file"));
    EXPECT_EQ(content(), text);
  }
}

TEST_F(ResultFileTest, ResumeRemembersWrongResults) {
  const std::vector<Series> series{{.ranks = {0, 1}}};
  const CaseResult wrong{{{"ring", formats::Status::wrong, "rank 1, block 0", 0, series},
                          {"bruck", formats::Status::skipped, "a,wrong,reason", 0, series}}};
  open(false).append(key(8), wrong);
  add_to_file(
      "allgather,ring,regular,none,sequential,all,nothing,\"0,0\",2,1,16,32,,,,,,,,,,,,,,,,,,,"
      "wrong,"
      "unfinished\n");
  EXPECT_EQ(open(true).wrong_before(), 1);
}

TEST_F(ResultFileTest, FilesBesideItKeepStep) {
  const std::string ranks = folder_ / "out.ranks.csv";
  const std::string steps = folder_ / "out.steps.csv";
  const std::array both{formats::File::ranks, formats::File::steps};
  std::optional<ResultFile> file = open(false, identity, both);
  file->append(key(8), results());
  const std::string first_has = content();
  const std::array one_case{content_of(ranks), content_of(steps)};
  EXPECT_THAT(one_case[0], HasSubstr("2,1,8,16,1,1,3.000,,,\n"));
  EXPECT_THAT(one_case[1], HasSubstr("2,1,8,16,0,1,step,0,0,0-2;5,8,32,1,0.250,1.500,3.000\n"));
  // Killed after the others got a case and before the first did.
  file->append(key(16), results());
  file.reset();
  std::ofstream(path_, std::ios::trunc) << first_has;
  open(true, identity, both);
  EXPECT_EQ(content_of(ranks), one_case[0]);
  EXPECT_EQ(content_of(steps), one_case[1]);
}

// Whoever began it, or resumed it last, is named.
TEST_F(ResultFileTest, AFileInUseIsLeftAlone) {
  const auto as = [&](const std::string& writer, bool resume) {
    return ResultFile(path_, {{"seed", "1"}, {"writer", writer}}, resume, {});
  };
  const auto refusal = [&] { return message_of([&] { as("process 3 on host c", true); }); };
  std::optional<ResultFile> file = as("process 1 on host a", false);
  file->append(key(8), results());
  const std::string held = content();
  EXPECT_EQ(refusal(),
            "--resume: '" + path_ + "' is in use by another launch: process 1 on host a");
  EXPECT_EQ(content(), held);
  file.reset();
  file = as("process 2 on host b", true);
  EXPECT_THAT(refusal(), testing::EndsWith(": process 2 on host b"));
  file->append(key(16), results());
  file.reset();
  EXPECT_TRUE(as("process 3 on host c", true).is_done(key(16)));
}

TEST_F(ResultFileTest, NoPipeIsResumed) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(error_of(true), HasSubstr("is a device or a pipe"));
}

// No file is cut before each is found good.
TEST_F(ResultFileTest, AFileThatLacksACaseStopsAll) {
  const std::array both{formats::File::ranks, formats::File::steps};
  std::string steps_without_a_case;
  {
    ResultFile file = open(false, identity, both);
    steps_without_a_case = content_of(folder_ / "out.steps.csv");
    file.append(key(8), results());
  }
  std::ofstream(folder_ / "out.ranks.csv", std::ios::app) << "unfinished";
  const std::string ranks = content_of(folder_ / "out.ranks.csv");
  std::ofstream(folder_ / "out.steps.csv", std::ios::trunc) << steps_without_a_case;
  EXPECT_THAT(message_of([&] { open(true, identity, both); }), HasSubstr("lacks cases that"));
  EXPECT_EQ(content_of(folder_ / "out.ranks.csv"), ranks);
}

TEST_F(ResultFileTest, StepsAreARowForEachPartOfARank) {
  EXPECT_EQ(
      rows_of(formats::File::steps, key(8), results()),
      "allgather,ring,regular,none,sequential,all,nothing,\"0,0\",2,1,8,16,0,0,before,-1,,,0,0,0,0."
      "000,0.000,1.000\n"
      "allgather,ring,regular,none,sequential,all,nothing,\"0,0\",2,1,8,16,0,0,after,0,,,0,0,0,0."
      "000,"
      "1.000,2.000\n"
      "allgather,ring,regular,none,sequential,all,nothing,\"0,0\",2,1,8,16,0,1,before,-1,,,0,0,0,0."
      "250,0.000,1.500\n"
      "allgather,ring,regular,none,sequential,all,nothing,\"0,0\",2,1,8,16,0,1,step,0,0,0-2;5,8,32,"
      "1,"
      "0.250,1.500,"
      "3.000\n"
      "allgather,ring,regular,none,sequential,all,nothing,\"0,0\",2,1,8,16,0,1,after,1,,,0,0,0,0."
      "250,"
      "3.000,4.000\n");
}

TEST_F(ResultFileTest, CountersAreARowForEachOfAHost) {
  CaseResult result = results();
  result.counted = {{std::string(formats::together),
                     {{"h0", "net/eth0/tx_bytes", "B", 4096, 1234.5, 20},
                      {"h1", "energy/a,b", "uJ", {}, 1234, 20, "went backwards: it was reset"}}}};
  EXPECT_EQ(formats::header(formats::File::counters),
            "collective,algorithm,distribution,arrival,mapping,group,beside,buffer_offset,"
            "ranks,nodes,bytes,"
            "total_bytes,host,counter,unit,difference,between_us,calls,reason");
  EXPECT_EQ(rows_of(formats::File::counters, key(8), result),
            "allgather,together,regular,none,sequential,all,nothing,\"0,0\",2,1,8,16,h0,net/eth0/"
            "tx_bytes,"
            "B,4096,1234.500,20,\n"
            "allgather,together,regular,none,sequential,all,nothing,\"0,0\",2,1,8,16,h1,\"energy/"
            "a,b\",uJ,,"
            "1234.000,20,went backwards: it was reset\n");
}

TEST_F(ResultFileTest, WhatDoesNotFitIsTakenBack) {
  ResultFile file = open(false);
  file.append(key(8), results());
  const std::string whole = content();
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = before;
  tight.rlim_cur = whole.size() + 100;  // the next case would be cut in two
  setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THROW(file.append(key(16), results()), std::system_error);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(content(), whole);
}

}  // namespace
}  // namespace gatherbench::bench
