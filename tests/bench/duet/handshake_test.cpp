// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>

#include "bench/duet/join.h"
#include "tests/message_of.h"

namespace gatherbench::bench {
namespace {

using testing::HasSubstr;

const DuetHello ann{"ann", "1111", "", 0, {{"warmup", "1"}, {"sizes", "1,2"}}, "71", false};
const DuetHello bob{"bob", "2222", "", 0, {{"warmup", "1"}, {"sizes", "1,2"}}, "72", false};

/// What `own` says of `partner`.
std::string refusal(const DuetHello& own, const DuetHello& partner) {
  return message_of([&] { agree("me@/tmp/s", own, partner); });
}

/// Two connected ends.
std::array<DuetLink, 2> links() {
  std::array<int, 2> ends{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  return {DuetLink(Descriptor(ends[0]), true), DuetLink(Descriptor(ends[1]), false)};
}

TEST(DuetTerms, IsTheSameOnBothSides) {
  const DuetTerms first = agree("ann@x", ann, bob);
  const DuetTerms second = agree("bob@x", bob, ann);
  EXPECT_EQ(first.partner, "bob");
  EXPECT_EQ(second.partner, "ann");
  EXPECT_EQ(first.pair, "1111");
  EXPECT_EQ(second.pair, "1111");
  EXPECT_TRUE(first.begins);
  EXPECT_FALSE(second.begins);
  DuetHello later = ann;
  later.new_pair = "3333";
  EXPECT_FALSE(agree("ann@x", later, bob).begins);
  EXPECT_TRUE(agree("bob@x", bob, later).begins);
  EXPECT_EQ(agree("bob@x", bob, later).pair, "2222");
}

TEST(DuetTerms, NamesWhatDiffers) {
  DuetHello other = bob;
  other.must_agree[0].second = "2";
  EXPECT_THAT(refusal(ann, other),
              HasSubstr("--duet: 'me@/tmp/s' warmup differs: '1' here, '2' of bob"));
  EXPECT_THAT(refusal(other, ann), HasSubstr("warmup differs: '2' here, '1' of ann"));
  other = bob;
  other.must_agree.pop_back();
  EXPECT_THAT(refusal(ann, other), HasSubstr("sizes differs: '1,2' here, 'nothing' of bob"));
  EXPECT_THAT(refusal(other, ann), HasSubstr("sizes differs: 'nothing' here, '1,2' of ann"));
  EXPECT_THAT(refusal(ann, ann), HasSubstr("the partner has the same name"));
}

TEST(DuetTerms, BothTakeTheSeedOfWhoBegins) {
  EXPECT_EQ(agree("", ann, bob).seed, "71");
  EXPECT_EQ(agree("", bob, ann).seed, "71");
}

TEST(DuetTerms, ASeedThatWasGivenIsForBoth) {
  DuetHello given = bob;
  given.seed_is_fixed = true;
  EXPECT_EQ(agree("", ann, given).seed, "72");
  EXPECT_EQ(agree("", given, ann).seed, "72");
  DuetHello other = ann;
  other.seed_is_fixed = true;
  EXPECT_THAT(refusal(other, given), HasSubstr("seed differs: '71' here, '72' of bob"));
  EXPECT_THAT(refusal(given, other), HasSubstr("seed differs: '72' here, '71' of ann"));
  other.seed = given.seed;
  EXPECT_EQ(agree("", other, given).seed, "72");
}

TEST(DuetTerms, ResumesWhatBothHold) {
  DuetHello here = ann;
  DuetHello there = bob;
  here.resumed_pair = there.resumed_pair = "old";
  here.finished = 4;
  there.finished = 3;  // it was killed before it wrote the fourth
  EXPECT_EQ(agree("", here, there).finished, 3U);
  EXPECT_EQ(agree("", there, here).finished, 3U);
  EXPECT_EQ(agree("", here, there).pair, "old");
  there.finished = 2;
  EXPECT_THAT(refusal(here, there), HasSubstr("4 cases are finished here, 2 of bob"));
  there.finished = 4;
  there.resumed_pair = "older";
  EXPECT_THAT(refusal(here, there), HasSubstr("is of duet old, that of bob is of duet older"));
  // Killed before the second file was begun.
  there = bob;
  here.finished = 0;
  EXPECT_EQ(agree("", here, there).pair, "old");
  EXPECT_EQ(agree("", there, here).pair, "old");
}

TEST(DuetHello, ArrivesAsItWasSent) {
  auto [here, there] = links();
  DuetHello sent = ann;
  sent.resumed_pair = "3333";
  sent.finished = 7;
  sent.must_agree.emplace_back("distribution_file_1", "file:a=b 1 2");
  ASSERT_TRUE(here.send(format_hello(sent)));
  const DuetHello received = receive_hello(there, Deadline(10));
  EXPECT_EQ(received.name, "ann");
  EXPECT_EQ(received.new_pair, "1111");
  EXPECT_EQ(received.resumed_pair, "3333");
  EXPECT_EQ(received.finished, 7U);
  EXPECT_EQ(received.must_agree, sent.must_agree);
  EXPECT_EQ(received.seed, "71");
  EXPECT_FALSE(received.seed_is_fixed);
  sent.seed_is_fixed = true;
  ASSERT_TRUE(here.send(format_hello(sent)));
  EXPECT_TRUE(receive_hello(there, Deadline(10)).seed_is_fixed);
}

TEST(DuetHello, OfSomethingElseIsRefused) {
  const auto answer_to = [](std::string_view text) {
    auto [here, there] = links();
    EXPECT_TRUE(here.send(text));
    return message_of([&link = there] { receive_hello(link, Deadline(10)); });
  };
  EXPECT_THAT(answer_to("HTTP/1.1 400 Bad Request\n"), HasSubstr("'HTTP/1.1 400 Bad Request'"));
  EXPECT_THAT(answer_to("gatherbench duet 99\n"), HasSubstr("another version"));
  EXPECT_THAT(answer_to("gatherbench duet 2\nnonsense\n"), HasSubstr("instead of its name"));
  EXPECT_THAT(answer_to("gatherbench duet 2\nname=a\nnew_pair=\nresumed_pair=\nfinished=-1\n\n"),
              HasSubstr("'-1'"));
}

// A time that no clock can count is not over at once.
TEST(DuetLink, WaitsHoweverLongItMay) {
  for (const double allowed : {9.2e9, 1e10, 1e30}) {
    auto [here, there] = links();
    EXPECT_GT(Deadline(allowed).end, std::chrono::steady_clock::now()) << allowed;
    ASSERT_TRUE(here.send("late\n"));
    EXPECT_EQ(there.receive_line(Deadline(allowed)), "late");
  }
}

TEST(DuetLink, TellsThatThePartnerIsGoneOrSilent) {
  auto [here, there] = links();
  EXPECT_THROW(there.receive_line(Deadline(0.01)), DuetError);
  ASSERT_TRUE(here.send("one\ntwo\nhal"));
  here = DuetLink();
  EXPECT_EQ(there.receive_line(Deadline(10)), "one");
  EXPECT_EQ(there.receive_line(Deadline(10)), "two");
  EXPECT_THAT(message_of<DuetError>([&link = there] { link.receive_line(Deadline(10)); }),
              HasSubstr("has ended"));
  EXPECT_FALSE(there.send("more\n"));
}

}  // namespace
}  // namespace gatherbench::bench
