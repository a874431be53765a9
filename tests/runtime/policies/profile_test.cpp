// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/text/input_error.h"
#include "tests/runtime/policies/star_machines.h"

namespace gatherbench::policies {
namespace {

using std::chrono::days;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::chrono::sys_days today{std::chrono::year{2026} / 11 / 22};

ProfileRow row(std::int64_t bytes, std::string algorithm, std::int64_t median_ns,
               std::chrono::sys_days date = today) {
  return {.key = {.collective = "allgather",
                  .ranks = 8,
                  .nodes = 2,
                  .placement = 0xabc,
                  .switches = 0,
                  .bytes = bytes},
          .algorithm = std::move(algorithm),
          .values = 9,
          .median_ns = median_ns,
          .date = date};
}

Profile profile(std::vector<ProfileRow> rows) {
  return {.suite = "0.2.0", .mpi = "Open MPI 4.1.4", .hosts = "", .rows = std::move(rows)};
}

const std::string_view small_text =
    "#@agstar_profile=1\n"
    "#@suite=0.2.0\n"
    "#@mpi=Open MPI 4.1.4\n"
    "#@hosts=\n"
    "collective,ranks,nodes,placement,switches,bytes,algorithm,values,median_ns,date\n"
    "allgather,8,2,0000000000000abc,0000000000000000,512,native,9,2000,2026-11-22\n"
    "allgather,8,2,0000000000000abc,0000000000000000,512,ring,9,1000,2026-11-22\n";

TEST(Profile, IsWrittenAndReadTheSame) {
  const Profile two = profile({row(512, "native", 2000), row(512, "ring", 1000)});
  EXPECT_EQ(text_of(two), small_text);
  EXPECT_EQ(read_profile("p.csv", small_text), two);
  Profile odd = profile({row(1, "bruck:k=4,\"", 1, today - days(20000))});
  odd.hosts = "two\nlines";
  const std::string text = text_of(odd);
  EXPECT_EQ(text_of(read_profile("p.csv", text)), text);
  EXPECT_EQ(read_profile("p.csv", text).rows, odd.rows);
}

TEST(Profile, RowsAreSortedWhateverTheirOrderInTheFile) {
  std::string text = text_of(profile({row(64, "ring", 5), row(512, "native", 7)}));
  const std::size_t first = text.find("allgather,8");
  const std::size_t second = text.find("allgather,8", first + 1);
  const std::string swapped =
      text.substr(0, first) + text.substr(second) + text.substr(first, second - first);
  EXPECT_EQ(read_profile("p.csv", swapped), read_profile("p.csv", text));
}

std::string fault(const std::string& text) {
  try {
    read_profile("p.csv", text);
  } catch (const text::InputError& error) {
    return error.what();
  }
  return "";
}

/// The small profile with a part of it replaced.
std::string with(std::string_view part, std::string_view other) {
  std::string text(small_text);
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), other);
}

TEST(Profile, ABadFileIsRefusedWithItsLine) {
  EXPECT_EQ(fault(std::string(small_text)), "");
  const std::string format = "'#@agstar_profile=1' has to";
  EXPECT_EQ(fault("\n"), "p.csv:1: '' stands where " + format);
  EXPECT_EQ(fault(""), "p.csv:1: the file ends where '#@agstar_profile=1' has to stand");
  EXPECT_EQ(fault(with("profile=1", "profile=2")),
            "p.csv:1: '#@agstar_profile=2' stands where " + format);
  EXPECT_THAT(fault(with("#@mpi", "#@mpy")), HasSubstr("p.csv:3: '#@mpy=Open MPI 4.1.4' stands"));
  EXPECT_THAT(fault(with(",date\n", ",day\n")), HasSubstr("p.csv:5: 'collective,"));
  EXPECT_THAT(fault(with(",native,", ",native,1,")), HasSubstr("p.csv:6: has 11 cells, not 10"));
  EXPECT_THAT(fault(with("allgather,", "allgatter,")),
              HasSubstr("p.csv:6: collective: 'allgatter' is no collective (did you mean"));
  EXPECT_EQ(fault(with(",8,2,", ",0,2,")), "p.csv:6: ranks: '0' is not between 1 and 2147483647");
  EXPECT_EQ(fault(with(",8,2,", ",8,9,")), "p.csv:6: has 9 nodes for 8 ranks");
  EXPECT_THAT(fault(with("0000abc", "0000abg")), HasSubstr("placement: '0000000000000abg' is not"));
  EXPECT_THAT(fault(with("0000abc", "abc")), HasSubstr("is not 16 hexadecimal digits"));
  EXPECT_THAT(fault(with(",512,", ",0,")), HasSubstr("p.csv:6: bytes: '0' is not between 1"));
  EXPECT_THAT(fault(with(",native,", ",,")), HasSubstr("algorithm: '' is no name"));
  EXPECT_THAT(fault(with(",9,", ",nine,")), HasSubstr("values: 'nine' is not a whole number"));
  EXPECT_THAT(fault(with(",2000,", ",-1,")), HasSubstr("median_ns: '-1' is not between"));
  for (const std::string_view date : {"2026-13-22", "2026-02-30", "26-11-22", "2026-11-2x", ""}) {
    EXPECT_THAT(fault(with("2026-11-22", date)), HasSubstr("p.csv:6: date: '")) << date;
  }
  EXPECT_EQ(fault(with(",ring,", ",native,")),
            "p.csv:7: 'native' stands a second time with this key");
  EXPECT_EQ(fault(std::string(small_text.substr(0, small_text.size() - 1))),
            "p.csv:7: the last line has no end: the file is cut off");
  EXPECT_THAT(fault(std::string(most_profile_bytes + 1, 'x')), HasSubstr("p.csv:1: is no profile"));
  // One line, whatever stands in the file.
  EXPECT_THAT(fault(with(",native,9", ",native,\x1b[2J\r")), testing::Not(HasSubstr("\x1b")));
}

TEST(Profile, OfAnotherMpiOrOtherHostsIsRefused) {
  const Profile one = profile({});
  EXPECT_EQ(why_not(one, "Open MPI 4.1.4", ""), std::nullopt);
  EXPECT_EQ(why_not(one, "MPICH 4.0.2", ""),
            "it is of another MPI library: 'Open MPI 4.1.4', not 'MPICH 4.0.2'");
  EXPECT_EQ(why_not(one, "Open MPI 4.1.4", "x"), "it is of other hosts: '', not 'x'");
}

std::vector<std::int64_t> known_bytes(const Profile& of, std::int64_t bytes) {
  std::vector<std::int64_t> found;
  for (const ProfileRow& each : find_known(of, row(bytes, "", 1).key, today).rows) {
    found.push_back(each.key.bytes);
  }
  return found;
}

TEST(Profile, KnowsTheNearestSize) {
  const Profile sizes = profile({row(1000, "native", 5), row(1000, "ring", 5),
                                 row(1100, "bruck", 6), row(100000, "ring", 7)});
  EXPECT_THAT(known_bytes(sizes, 1000), ElementsAre(1000, 1000));
  EXPECT_THAT(known_bytes(sizes, 1048), ElementsAre(1000, 1000));
  EXPECT_THAT(known_bytes(sizes, 1049), ElementsAre(1100));
  EXPECT_THAT(known_bytes(sizes, 841), ElementsAre(1000, 1000));  // 1.189.. times is 1000.1
  EXPECT_THAT(known_bytes(sizes, 840), IsEmpty());
  EXPECT_THAT(known_bytes(sizes, 118920), ElementsAre(100000));
  EXPECT_THAT(known_bytes(sizes, 118921), IsEmpty());
  EXPECT_EQ(find_known(sizes, row(1, "", 1).key, today).reason, "it says nothing of such calls");
}

TEST(Profile, KnowsNothingOfOtherCalls) {
  const Profile one = profile({row(1000, "ring", 5)});
  const auto known = [&](auto change) {
    ProfileKey key = row(1000, "", 1).key;
    change(key);
    return find_known(one, key, today).rows.size();
  };
  EXPECT_EQ(known([](ProfileKey&) {}), 1U);
  EXPECT_EQ(known([](ProfileKey& key) { key.collective = "allgatherv"; }), 0U);
  EXPECT_EQ(known([](ProfileKey& key) { key.ranks = 9; }), 0U);
  EXPECT_EQ(known([](ProfileKey& key) { key.nodes = 1; }), 0U);
  EXPECT_EQ(known([](ProfileKey& key) { key.placement = 1; }), 0U);
  EXPECT_EQ(known([](ProfileKey& key) { key.switches = 1; }), 0U);
}

TEST(Profile, OldRowsAreNotBelieved) {
  const Profile some =
      profile({row(1000, "bruck", 5, today - days(90)), row(1000, "ring", 5, today - days(91)),
               row(9000, "ring", 5, today - days(91))});
  EXPECT_THAT(find_known(some, row(1000, "", 1).key, today).rows, SizeIs(1));
  EXPECT_EQ(find_known(some, row(9000, "", 1).key, today).reason,
            "what it says of such calls is older than 90 days");
  EXPECT_THAT(without_old(some, today).rows, SizeIs(1));
}

// A size with old rows alone hides no other one near it.
TEST(Profile, AnOldSizeGivesWayToOneFartherAway) {
  const Profile some =
      profile({row(1000, "ring", 5, today - days(91)), row(1100, "ring", 6, today)});
  EXPECT_THAT(known_bytes(some, 1000), ElementsAre(1100));
}

// Only native ran there, as in a short program: what is worth trying is not known.
TEST(Profile, ASizeWithNativeAloneIsNotKnown) {
  const Profile two =
      profile({row(1000, "native", 5), row(1100, "native", 6), row(1100, "ring", 4)});
  EXPECT_THAT(known_bytes(two, 1000), ElementsAre(1100, 1100));
  const Profile some = profile({row(1000, "native", 5), row(1000, "ring", 4, today - days(91))});
  const Known known = find_known(some, row(1000, "", 1).key, today);
  EXPECT_THAT(known.rows, IsEmpty());
  EXPECT_EQ(known.reason, "of such calls it has the time of native alone");
}

TEST(Profile, MergingKeepsTheLaterOfEach) {
  const Profile before = profile({row(64, "native", 1, today), row(64, "ring", 2, today - days(1)),
                                  row(512, "ring", 3, today)});
  Profile now = profile({row(64, "ring", 20, today), row(64, "native", 10, today - days(1)),
                         row(64, "bruck", 30, today), row(512, "ring", 40, today)});
  now.suite = "0.3.0";
  const Profile both = merged(before, now);
  EXPECT_EQ(both.suite, "0.3.0");
  EXPECT_THAT(both.rows, ElementsAre(row(64, "bruck", 30), row(64, "native", 1),
                                     row(64, "ring", 20), row(512, "ring", 40)));
}

TEST(Profile, ExpectsWhatWasFoundAndLeavesOutTheRest) {
  const std::vector<Candidate> candidates{
      {"native", 0, 77}, {"ring", 1, 77}, {"bruck", 2, 77}, {"pair", 3, 77}, {"mesh2d", 4, {}}};
  const std::vector<ProfileRow> rows{row(64, "bruck", 100), row(64, "mesh2d", 150),
                                     row(64, "pair", 151), row(64, "sparbit", 90)};
  const std::vector<Candidate> found = expected_of(candidates, rows);
  // The least of those that can run here is 100.
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].name, "native");
  EXPECT_EQ(found[0].prior_ns, std::nullopt);
  EXPECT_EQ(found[1].name, "bruck");
  EXPECT_EQ(found[1].prior_ns, 100);
  EXPECT_EQ(found[2].name, "mesh2d");
  EXPECT_EQ(found[2].prior_ns, 150);
}

TEST(ProfileKey, TellsPlacementsApart) {
  const auto key = [](std::vector<int> node) {
    return profile_key("allgather", {.node = std::move(node), .network = {}, .host = {}}, 4, 64);
  };
  EXPECT_EQ(key({5, 5, 2, 2}), key({0, 0, 1, 1}));  // what nodes are called does not matter
  EXPECT_EQ(key({5, 5, 2, 2}).nodes, 2);
  EXPECT_NE(key({0, 0, 1, 1}), key({0, 1, 0, 1}));
  EXPECT_NE(key({0, 0, 1, 1}), key({0, 0, 0, 1}));
  EXPECT_EQ(key({}), key({3, 3, 3, 3}));
  EXPECT_EQ(key({}).switches, 0U);
  const auto on = [](const StarMachine& machine) {
    return profile_key("allgather", machine.placement, machine.ranks, 64).switches;
  };
  EXPECT_NE(on(star_b()), 0U);
  StarMachine other = star_b();
  std::swap(other.placement.host[0], other.placement.host[1]);
  EXPECT_NE(on(star_b()), on(other));
  EXPECT_EQ(on(star_b()), on(star_b()));
}

}  // namespace
}  // namespace gatherbench::policies
