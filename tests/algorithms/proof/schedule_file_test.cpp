// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/schedule_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "algorithms/choice/parse_algorithms.h"
#include "algorithms/proof/proof.h"
#include "tests/message_of.h"
#include "tests/schedule_of.h"
#include "tools/allgather_schedule/common/show_schedule.h"

namespace gatherbench::proof {
namespace {

using testing::HasSubstr;

/// Reads a file "x/NAME.json" with this text.
std::vector<algorithms::Choice> read(const std::string& name, const std::string& text) {
  auto choices = algorithms::parse_algorithms("-a", fmt::format("file:x/{}.json", name));
  read_schedules("-a", choices, [&](const std::string& path) {
    EXPECT_EQ(path, fmt::format("x/{}.json", name));
    return text;
  });
  return choices;
}

// The output of show for every algorithm is read as the same schedules, which are proven.
TEST(ScheduleFile, IsReadAsItIsShown) {
  int read_back = 0;
  int cut = 0;
  for (const algorithms::Choice& chosen : algorithms::parse_algorithms("-a", "all")) {
    if (chosen.algorithm->schedules() == nullptr) continue;
    for (int ranks = 1; ranks <= 9; ++ranks) {
      const algorithms::Problem problem = algorithms::problem_for(chosen, ranks);
      if (algorithms::why_not(*chosen.algorithm, problem).has_value() ||
          algorithms::parameter_out_of_range(chosen, ranks) != nullptr) {
        continue;
      }
      allgather_schedule::Shown shown{
          chosen.label(), collectives::allgather, ranks, std::nullopt, {}, {}};
      shown.schedules = algorithms::make_schedules(*chosen.algorithm, problem);
      const algorithms::Segmentation& segmentation = shown.schedules[0].segmentation;
      if (segmentation.bytes > 0) continue;  // how many segments there are depends on the blocks
      const std::vector<std::int64_t> bytes(static_cast<std::size_t>(ranks), 100);
      shown.segments = algorithms::cut(bytes, segmentation);
      cut += segmentation.near_equal > 1 ? 1 : 0;
      const auto choices = read("a", allgather_schedule::show_json(shown));
      EXPECT_EQ(*choices[0].schedules, shown.schedules) << chosen.label() << " at " << ranks;
      EXPECT_EQ(message_of([&] { require_proven("-a", choices[0]); }), "no error");
      const algorithms::Problem from_file = algorithms::problem_for(choices[0], ranks);
      EXPECT_EQ(prove(*choices[0].algorithm, from_file).fault, "");
      ++read_back;
    }
  }
  EXPECT_GT(read_back, 150);
  EXPECT_GT(cut, 5);
}

/// What show prints for all ranks, with the rounds in which they meet.
std::string shown_with_rounds(std::string_view algorithm, int ranks) {
  const auto chosen = algorithms::parse_algorithms("-a", algorithm);
  const algorithms::Problem problem = algorithms::problem_for(chosen[0], ranks);
  allgather_schedule::Shown shown{
      chosen[0].label(), collectives::allgather, ranks, std::nullopt, {}, {}};
  shown.schedules = algorithms::make_schedules(*chosen[0].algorithm, problem);
  shown.rounds = find_rounds(shown.schedules, {});
  return allgather_schedule::show_json(shown);
}

// Each number of a round in the file is changed in turn.
TEST(ScheduleFile, RoundsAreHeldAgainstTheSchedules) {
  const std::string text = shown_with_rounds("ring", 4);
  EXPECT_EQ(message_of([&] { read("ring", text); }), "no error");
  std::size_t changed = 0;
  for (std::size_t at = text.find("\"round"); at != std::string::npos;
       at = text.find("\"round", at + 1)) {
    const std::size_t number = text.find_first_of("0123456789", at);
    const std::size_t end = text.find_first_not_of("0123456789", number);
    for (const std::string_view other : {"7", "99", "-1", "1e3", "1.5", "99999999999999999999"}) {
      std::string planted = text;
      planted.replace(number, end - number, other);
      const std::string message = message_of([&] { read("ring", planted); });
      EXPECT_THAT(message, testing::StartsWith("-a file:x/ring.json: ")) << planted;
      EXPECT_THAT(message, HasSubstr("\"round"));
    }
    ++changed;
  }
  EXPECT_EQ(changed, 1 + 4 * 3 * 3);  // "rounds"; of 4 ranks 3 steps with two messages each
  std::string planted = text;
  const std::size_t from_last = planted.rfind("\"round\":");
  planted.replace(planted.find_first_of("0123456789", from_last), 1, "0");
  EXPECT_EQ(message_of([&] { read("ring", planted); }),
            "-a file:x/ring.json: rank 3, step 2: \"round\" is 0; legal: 2, in which the message "
            "from 2 passes, or no \"round\"");
}

TEST(ScheduleFile, RunsWithItsRanksOnly) {
  const auto choices = read("two", R"({"ranks": 1, "schedules": [[]]})");
  const algorithms::Algorithm& row = *choices[0].algorithm;
  EXPECT_EQ(choices[0].label(), "file:two");
  EXPECT_EQ(why_not(row, algorithms::problem_for(choices[0], 1)), std::nullopt);
  EXPECT_EQ(why_not(row, algorithms::problem_for(choices[0], 2)),
            "has the schedule of 1 ranks in its file; ranks = 2");
  EXPECT_EQ(why_not(row, {.ranks = 2}), "needs a schedule that was read from a file: file:PATH");
}

/// Two ranks that exchange their blocks, with what a step of rank 1 says in place of its own.
std::string exchange(const std::string& of_rank_1) {
  return fmt::format(R"({{"ranks": 2, "schedules": [
      [{{"sends": [{{"peer": 1, "blocks": [[0, 1]]}}],
        "receives": [{{"peer": 1, "blocks": [[1, 1]]}}]}}],
      [{}]]}})",
                     of_rank_1);
}

TEST(ScheduleFile, IsProven) {
  struct {
    std::string of_rank_1;
    std::string_view fault;
  } const rows[] = {
      {R"({"sends": [{"peer": 0, "blocks": [[1, 1]]}], "receives":
          [{"peer": 0, "blocks": [[0, 1]]}]})",
       ""},
      {R"({"sends": [{"peer": 0, "blocks": [[0, 1]]}], "receives": []})",
       "rank 1 in step 0 sends block 0 to 0 but does not hold it"},
      {R"({"sends": [{"peer": 9, "blocks": [[1, 1]]}], "receives": []})",
       "rank 1 in step 0: peer 9 is no other rank"},
      {R"({"sends": [{"peer": 0, "blocks": [[1, 7]]}], "receives": []})",
       "rank 1 in step 0: blocks [1, +7) do not exist"},
      {R"({"sends": [{"peer": 0, "blocks": [[1, 1]]}], "receives": []})",
       "rank 0 in step 0 waits for ever for 1 to receive"},
      {"", "rank 0 in step 0 waits for ever for 1 to receive"},
  };
  for (const auto& row : rows) {
    const auto choices = read("two", exchange(row.of_rank_1));
    const std::string expected =
        row.fault.empty() ? "no error"
                          : fmt::format("-a file:x/two.json: is no allgather: {}", row.fault);
    EXPECT_EQ(message_of([&] { require_proven("-a", choices[0]); }), expected);
  }
}

/// Three ranks: the blocks of the others to rank 0, which sends `blocks` to both.
std::string by_way_of_rank_0(std::string_view blocks, std::string_view scratch_first_blocks) {
  return fmt::format(R"({{"ranks": 3, "scratch_first_block": {1}, "schedules": [
      [{{"sends": [], "receives":
         [{{"peer": 1, "blocks": [[1, 1]]}}, {{"peer": 2, "blocks": [[2, 1]]}}]}},
       {{"sends": [{{"peer": 1, "blocks": {0}}}, {{"peer": 2, "blocks": {0}}}], "receives": []}}],
      [{{"sends": [{{"peer": 0, "blocks": [[1, 1]]}}], "receives": []}},
       {{"sends": [], "receives": [{{"peer": 0, "blocks": {0}}}]}}],
      [{{"sends": [{{"peer": 0, "blocks": [[2, 1]]}}], "receives": []}},
       {{"sends": [], "receives": [{{"peer": 0, "blocks": {0}}}]}}]]}})",
                     blocks, scratch_first_blocks);
}

// Otherwise the two ends would cut the transfer into other messages.
TEST(ScheduleFile, BlocksLieInTheSameOrderAtBothEnds) {
  struct {
    std::string_view blocks;
    std::string_view scratch_first_blocks;
    std::string_view fault;
  } const rows[] = {
      {"[[0, 3]]", "[0, 0, 0]", ""},
      {"[[0, 3]]", "[1, 1, 1]", ""},
      {"[[2, 1], [1, 1], [0, 1]]", "[2, 2, 2]", ""},
      {"[[0, 3]]", "[0, 1, 0]",
       "rank 0 in step 1 sends blocks to 1 that lie in another order there: scratch_first_block is "
       "0 and 1"},
      {"[[1, 2], [0, 1]]", "[1, 1, 2]",
       "rank 0 in step 1 sends blocks to 2 that lie in another order there: scratch_first_block is "
       "1 and 2"},
  };
  for (const auto& row : rows) {
    const auto choices = read("three", by_way_of_rank_0(row.blocks, row.scratch_first_blocks));
    const std::string expected =
        row.fault.empty() ? "no error"
                          : fmt::format("-a file:x/three.json: is no allgather: {}", row.fault);
    EXPECT_EQ(message_of([&] { require_proven("-a", choices[0]); }), expected);
  }
}

TEST(ScheduleFile, SaysWhatIsWrong) {
  struct {
    std::string text;
    std::string_view part;
  } const rows[] = {
      {"", "is no JSON at byte 1; legal: what allgather_schedule show --format json prints"},
      {R"({"ranks": 1e999})", "is no JSON that can be read"},
      {"[]", "is no object {...}"},
      {"{}", "has no \"ranks\""},
      {R"({"ranks": 2})", "has no \"schedules\""},
      {R"({"ranks": 2, "ranks": 2})", "the key 'ranks' stands twice in one object"},
      {R"({"ranks": 0})", "\"ranks\" is no whole number from 1 to 2048"},
      {R"({"ranks": 1.5})", "\"ranks\" is no whole number"},
      {R"({"ranks": 18446744073709551615})", "\"ranks\" is no whole number"},
      {R"({"ranks": 2, "rank": 1})", "has the schedule of one rank"},
      {R"({"ranks": 2, "sizes": 1})", "'sizes' is no key; legal: algorithm, collective, "},
      {R"({"ranks": 2, "schedules": 1})", "\"schedules\" is no list [...]"},
      {R"({"ranks": 2, "schedules": [[]]})", "\"schedules\" has 1 for 2 ranks"},
      {R"({"ranks": 2, "segments": [2, 3], "schedules": [[], []]})",
       "cuts blocks into different numbers of \"segments\"; legal: each into as many"},
      {R"({"ranks": 2, "segments": [32769, 32769], "schedules": [[], []]})",
       "\"segments\" is no whole number from 1 to 32768"},
      {R"({"ranks": 2, "scratch_first_block": [0], "schedules": [[], []]})",
       "\"scratch_first_block\" has 1 numbers for 2 ranks"},
      {R"({"ranks": 2, "scratch_first_block": [0, 2], "schedules": [[], []]})",
       "\"scratch_first_block\" is no whole number from 0 to 1"},
      {R"({"ranks": 1, "broadcast_at_end": 1, "schedules": [[]]})",
       "\"broadcast_at_end\" is neither true nor false"},
      {R"({"ranks": 1, "broadcast_at_end": true, "broadcast_root": 1, "schedules": [[]]})",
       "\"broadcast_root\" is no whole number from 0 to 0"},
      {R"({"ranks": 1, "broadcast_root": 0, "schedules": [[]]})",
       "has a \"broadcast_root\" of no broadcast"},
      {R"({"ranks": 1, "broadcast_at_end": false, "broadcast_root": 0, "schedules": [[]]})",
       "has a \"broadcast_root\" of no broadcast"},
      {R"({"ranks": 1, "algorithm": 1, "schedules": [[]]})", "\"algorithm\" is no text"},
      {R"({"ranks": 1, "fault": null, "schedules": [[]]})", "\"fault\" is no text"},
      {R"({"ranks": 1, "background_steps": [-1], "schedules": [[]]})",
       "\"background_steps\" is no whole number from 0"},
      {R"({"ranks": 1, "rounds": 1, "schedules": [[]]})", "\"rounds\" is 1; legal: 0, or no"},
      {exchange("[]"), ": rank 1, step 0: is no object {...}"},
      {exchange(R"({"sends": []})"), ": rank 1, step 0: has no \"receives\""},
      {exchange(R"({"sends": [{"peer": -1, "blocks": []}], "receives": []})"),
       ": rank 1, step 0: \"peer\" is no whole number from 0"},
      {exchange(R"({"sends": [{"peer": 0}], "receives": []})"), "step 0: has no \"blocks\""},
      {exchange(R"({"sends": [{"peer": 0, "blocks": [1]}], "receives": []})"),
       "step 0: \"blocks\" are no pairs [first, count]"},
      {exchange(R"({"sends": [{"peer": 0, "blocks": [[1, 0]]}], "receives": []})"),
       "step 0: \"blocks\" is no whole number from 1"},
      {exchange(R"({"sends": [{"peer": 0, "blocks": [[1, 1]]}, {"peer": 0, "blocks": [[0, 1]]}],
                    "receives": []})"),
       "step 0: peer 0 stands twice in \"sends\""},
      {exchange(R"({"sends": [], "receives": [], "barier": true})"), "(did you mean 'barrier'?)"},
  };
  for (const auto& row : rows) {
    const std::string message = message_of([&] { read("two", row.text); });
    EXPECT_THAT(message, testing::StartsWith("-a file:x/two.json: "));
    EXPECT_THAT(message, HasSubstr(std::string(row.part)));
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace gatherbench::proof
