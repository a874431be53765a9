// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/torus.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <queue>
#include <set>
#include <utility>

#include "tests/message_of.h"

namespace gatherbench::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

Torus torus_of(std::string_view text) { return Torus::parse("--topology", text); }

std::string error(std::string_view text) {
  return message_of([&] { torus_of(text); });
}

int host(const Torus& torus, std::string_view name) { return torus.find_host(name).value(); }

/// "n0 n1 n2": the hosts of a path, from its links in order.
std::vector<std::string> walk(const Torus& torus, std::string_view from, std::string_view to) {
  std::vector<int> links;
  torus.add_links(host(torus, from), host(torus, to), links);
  std::vector<std::string> hosts{std::string(from)};
  for (const int link : links) {
    EXPECT_EQ(torus.link_ends(link).from, hosts.back());
    hosts.emplace_back(torus.link_ends(link).to);
  }
  EXPECT_EQ(hosts.back(), to);
  return hosts;
}

constexpr std::string_view tori[] = {"torus:4x4",   "torus:2x3",   "torus:3x2",  "torus:2x2",
                                     "torus:5x3x2", "torus:2x4x3", "torus:2x2x2"};

// Links of 3 x 2: rows of two hosts, n0 n1, n2 n3, n4 n5, and columns of three.
TEST(Torus, HasAPairOfLinksForEachPairOfNeighbours) {
  const Torus torus = torus_of("torus:3x2");
  std::vector<std::string> links;
  for (int link = 0; link < torus.links(); ++link) {
    EXPECT_EQ(torus.link_speed(link), 1);
    const auto [from, to] = torus.link_ends(link);
    if (from < to) links.push_back(fmt::format("{}-{}", from, to));
  }
  EXPECT_THAT(links, UnorderedElementsAre("n0-n1", "n2-n3", "n4-n5", "n0-n2", "n2-n4", "n0-n4",
                                          "n1-n3", "n3-n5", "n1-n5"));
  EXPECT_EQ(torus.links(), 18);
}

TEST(Torus, NoLinkStandsTwiceAndEachHasItsOpposite) {
  for (const std::string_view text : tori) {
    const Torus torus = torus_of(text);
    std::set<std::pair<std::string_view, std::string_view>> all;
    for (int link = 0; link < torus.links(); ++link) {
      const auto [from, to] = torus.link_ends(link);
      EXPECT_TRUE(all.emplace(from, to).second) << text << ": " << from << " " << to;
    }
    for (const auto& [from, to] : all) EXPECT_TRUE(all.contains({to, from})) << text;
  }
}

TEST(Torus, GoesTheShorterWayRound) {
  const Torus torus = torus_of("torus:5x7");
  EXPECT_THAT(walk(torus, "n0", "n2"), ElementsAre("n0", "n1", "n2"));
  EXPECT_THAT(walk(torus, "n0", "n5"), ElementsAre("n0", "n6", "n5"));
  EXPECT_THAT(walk(torus, "n6", "n1"), ElementsAre("n6", "n0", "n1"));
  EXPECT_THAT(walk(torus, "n0", "n21"), ElementsAre("n0", "n28", "n21"));
  EXPECT_THAT(walk(torus, "n3", "n3"), ElementsAre("n3"));
}

TEST(Torus, GoesTowardsHigherCoordinatesIfBothWaysAreAsShort) {
  const Torus torus = torus_of("torus:2x4");
  EXPECT_THAT(walk(torus, "n0", "n2"), ElementsAre("n0", "n1", "n2"));
  EXPECT_THAT(walk(torus, "n2", "n0"), ElementsAre("n2", "n3", "n0"));
  EXPECT_THAT(walk(torus, "n1", "n3"), ElementsAre("n1", "n2", "n3"));
  EXPECT_THAT(walk(torus, "n3", "n1"), ElementsAre("n3", "n0", "n1"));
}

TEST(Torus, GoesAlongTheLastDimensionFirst) {
  EXPECT_THAT(walk(torus_of("torus:3x5"), "n0", "n6"), ElementsAre("n0", "n1", "n6"));
  EXPECT_THAT(walk(torus_of("torus:2x2x2"), "n7", "n0"), ElementsAre("n7", "n6", "n4", "n0"));
}

/// Returns how many links away each host is, by a search over the links.
std::map<std::string_view, int> distances(const Torus& torus, std::string_view from) {
  std::map<std::string_view, int> found{{from, 0}};
  std::queue<std::string_view> open({from});
  for (; !open.empty(); open.pop()) {
    for (int link = 0; link < torus.links(); ++link) {
      const auto ends = torus.link_ends(link);
      if (ends.from != open.front() || found.contains(ends.to)) continue;
      found[ends.to] = found[open.front()] + 1;
      open.push(ends.to);
    }
  }
  return found;
}

TEST(Torus, NoWayIsShorter) {
  for (const std::string_view text : tori) {
    const Torus torus = torus_of(text);
    for (int from = 0; from < torus.hosts(); ++from) {
      const auto away = distances(torus, torus.host_name(from));
      for (int to = 0; to < torus.hosts(); ++to) {
        const auto hosts = walk(torus, torus.host_name(from), torus.host_name(to));
        EXPECT_EQ(std::ssize(hosts) - 1, away.at(torus.host_name(to))) << text;
      }
    }
  }
}

TEST(Torus, FindsItsHostsByTheirNames) {
  const Torus torus = torus_of("torus:4x3");
  EXPECT_EQ(torus.hosts(), 12);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(torus.find_host(torus.host_name(i)), i);
  for (const char* const name : {"", "n", "n12", "n-1", "n01", "n1x", "h1", "n99999999999"}) {
    EXPECT_EQ(torus.find_host(name), std::nullopt) << name;
  }
  EXPECT_THAT(message_of([&] { (void)torus.require_host("--hosts", "n12"); }),
              HasSubstr("--hosts: 'n12' is no host of --topology"));
}

TEST(Torus, RefusesWhatIsNone) {
  EXPECT_EQ(error("torus:4"),
            "--topology: 'torus:4' has one side; legal: two or more, as torus:4x4");
  for (const char* const text :
       {"torus:", "torus:x", "torus:4x", "torus:x4", "torus:0x4", "torus:1x4", "torus:-4x4",
        "torus:4x 4", "torus:4X4", "torus:4,4", "torus:99999999999999999999x4", "torus:4x4x"}) {
    const std::string said = error(text);
    EXPECT_TRUE(said.starts_with(fmt::format("--topology: '{}' has a side '", text))) << said;
    EXPECT_THAT(said, HasSubstr("legal: sides of 2 or more hosts"));
  }
  for (const char* const text : {"torus:1024x1025", "torus:4000000000x4000000000x4000000000"}) {
    EXPECT_THAT(error(text), HasSubstr("is too large; legal: up to 1048576 hosts")) << text;
  }
  EXPECT_EQ(error("torus:1024x1024"), "no error");
}

TEST(Torus, IsNoSwitchTree) {
  EXPECT_EQ(torus_of("torus:4x4").tree(), nullptr);
  EXPECT_EQ(message_of([] { require_no_torus("--topology", "torus:4x4"); }),
            "--topology: 'torus:4x4' is a torus, for allgather_schedule; legal: the file of a "
            "switch tree");
  EXPECT_EQ(message_of([] { require_no_torus("--topology", "./torus:4x4"); }), "no error");
}

}  // namespace
}  // namespace gatherbench::topology
