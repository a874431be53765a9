// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/message_phases.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "algorithms/topology/switch_tree.h"

namespace gatherbench::topology {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAreArray;
using Phases = std::vector<std::vector<RankMessage>>;

/// A tree, and ranks on it: rank r is on host n<r>, or the host that is given.
struct Ranks {
  SwitchTree tree;
  std::vector<int> host;

  Ranks(const std::string& text, int ranks) : tree(SwitchTree::parse("test", text)) {
    for (int rank = 0; rank < ranks; ++rank) {
      host.push_back(tree.require_host("test", fmt::format("n{}", rank)));
    }
  }
  Ranks(SwitchTree of, std::vector<int> hosts) : tree(std::move(of)), host(std::move(hosts)) {}

  [[nodiscard]] Phases phases() const { return message_phases(tree, host); }
};

/// Switches with as many hosts each, n0 on the first one: in a chain, or all below the first.
Ranks even_tree(int switches, int hosts, bool chain) {
  std::string text;
  for (int i = 0; i < switches; ++i) {
    text += fmt::format("SwitchName=s{} Nodes=n[{}-{}]", i, i * hosts, (i + 1) * hosts - 1);
    if (chain && i + 1 < switches) text += fmt::format(" Switches=s{}", i + 1);
    if (!chain && i == 0) text += fmt::format(" Switches=s[1-{}]", switches - 1);
    text += '\n';
  }
  return {text, switches * hosts};
}

// Figure 3.2 of Faraj 2006, from its root.
Ranks figure_3_2() {
  return {
      "SwitchName=s1 Switches=s0,s3 Nodes=n5\nSwitchName=s0 Nodes=n0 Switches=s2\n"
      "SwitchName=s2 Nodes=n1,n2\nSwitchName=s3 Nodes=n3,n4\n",
      6};
}

/// "0>4 3>5".
std::vector<std::string> texts(const std::vector<RankMessage>& phase) {
  std::vector<std::string> all;
  for (const auto& [from, to] : phase) all.push_back(fmt::format("{}>{}", from, to));
  return all;
}

TEST(MessagePhases, AreThoseOfTable3_4) {
  const std::vector<std::vector<std::string>> table{{"0>4", "3>5", "5>1", "1>0"},
                                                    {"1>3", "4>5", "5>2", "2>1"},
                                                    {"2>4", "5>0", "0>2"},
                                                    {"0>3", "3>2", "2>0"},
                                                    {"1>4", "3>0", "0>1", "4>3"},
                                                    {"2>3", "3>1", "1>2"},
                                                    {"0>5", "4>0"},
                                                    {"1>5", "4>1", "5>3", "3>4"},
                                                    {"2>5", "4>2", "5>4"}};
  const Phases phases = figure_3_2().phases();
  ASSERT_EQ(phases.size(), table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_THAT(texts(phases[i]), UnorderedElementsAreArray(table[i])) << i;
  }
}

// Figure 3.19.
TEST(MessagePhases, OfAChainBeginAndEndAsPublished) {
  const Phases phases = even_tree(4, 2, true).phases();
  ASSERT_EQ(phases.size(), 16U);
  const std::vector<std::string> first{"4>0", "3>5", "0>2", "2>3", "5>4"};
  const std::vector<std::string> last{"7>3", "1>7", "2>1", "3>2"};
  EXPECT_THAT(texts(phases.front()), UnorderedElementsAreArray(first));
  EXPECT_THAT(texts(phases.back()), UnorderedElementsAreArray(last));
}

// Table 3.2: six senders and four receivers.
TEST(MessagePhases, RotateSenders) {
  const Ranks ranks(
      "SwitchName=t Switches=s0,s1,s2\nSwitchName=s0 Nodes=n[0-5]\nSwitchName=s1 Nodes=n[6-9]\n"
      "SwitchName=s2 Nodes=n[10-12]\n",
      13);
  std::vector<int> senders;
  for (const std::vector<RankMessage>& phase : ranks.phases()) {
    for (const auto& [from, to] : phase) {
      if (from < 6 && to >= 6 && to < 10) senders.push_back(from);
    }
  }
  EXPECT_THAT(senders,
              ElementsAre(0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0));
}

TEST(MessagePhases, AreAsManyAsTheMostLoadedLinkHasMessages) {
  EXPECT_EQ(most_messages_on_a_link(even_tree(4, 8, true).tree, even_tree(4, 8, true).host), 256);
  EXPECT_EQ(most_messages_on_a_link(even_tree(4, 8, false).tree, even_tree(4, 8, false).host), 192);
  EXPECT_EQ(most_messages_on_a_link(even_tree(2, 8, true).tree, even_tree(2, 8, true).host), 64);
  EXPECT_EQ(most_messages_on_a_link(even_tree(3, 8, true).tree, even_tree(3, 8, true).host), 128);
  EXPECT_EQ(most_messages_on_a_link(even_tree(1, 16, true).tree, even_tree(1, 16, true).host), 15);
}

/// Every message once, no link twice in a phase, no rank twice, as many phases as there have to be.
void require_right(const Ranks& ranks) {
  const Phases phases = ranks.phases();
  const auto p = ranks.host.size();
  EXPECT_EQ(std::ssize(phases), most_messages_on_a_link(ranks.tree, ranks.host));
  std::set<RankMessage> seen;
  for (const std::vector<RankMessage>& phase : phases) {
    std::set<int> links;
    std::set<int> senders;
    std::set<int> receivers;
    for (const RankMessage& message : phase) {
      EXPECT_NE(message.from, message.to);
      EXPECT_TRUE(seen.insert(message).second) << message.from << ">" << message.to;
      EXPECT_TRUE(senders.insert(message.from).second);
      EXPECT_TRUE(receivers.insert(message.to).second);
      std::vector<int> path;
      ranks.tree.add_links(ranks.host[static_cast<std::size_t>(message.from)],
                           ranks.host[static_cast<std::size_t>(message.to)], path);
      for (const int link : path) EXPECT_TRUE(links.insert(link).second);
    }
  }
  EXPECT_EQ(seen.size(), p * (p - 1));
}

TEST(MessagePhases, OfRandomTreesAreFreeOfContention) {
  std::mt19937 random(5);
  const auto below = [&](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  for (int number = 0; number < 400; ++number) {
    const int switches = 1 + below(8);
    const int hosts = 3 + below(20);
    std::vector<std::string> children(static_cast<std::size_t>(switches));
    std::vector<std::string> nodes(static_cast<std::size_t>(switches));
    const auto add = [](std::string& list, const std::string& name) {
      list += (list.empty() ? "" : ",") + name;
    };
    for (int i = 1; i < switches; ++i) {
      add(children[static_cast<std::size_t>(below(i))], fmt::format("s{}", i));
    }
    for (int i = 0; i < hosts; ++i) {
      add(nodes[static_cast<std::size_t>(below(switches))], fmt::format("n{}", i));
    }
    std::string text;
    for (int i = 0; i < switches; ++i) {
      const auto index = static_cast<std::size_t>(i);
      text += fmt::format("SwitchName=s{}", i);
      if (!nodes[index].empty()) text += " Nodes=" + nodes[index];
      if (!children[index].empty()) text += " Switches=" + children[index];
      if (nodes[index].empty() && children[index].empty()) text += fmt::format(" Nodes=x{}", i);
      text += '\n';
    }
    SwitchTree tree = SwitchTree::parse("random", text);
    // Every third one with several ranks on some hosts, and none on others.
    std::vector<int> host;
    for (int i = 0; i < hosts; ++i) {
      const int on = number % 3 == 0 ? below(hosts) : i;
      host.push_back(tree.require_host("random", fmt::format("n{}", on)));
    }
    std::ranges::shuffle(host, random);
    SCOPED_TRACE(text);
    require_right(Ranks(std::move(tree), std::move(host)));
    if (HasFailure()) return;
  }
}

TEST(MessagePhases, OfFewRanks) {
  for (const int p : {1, 2, 3}) require_right(even_tree(1, p, true));
  const SwitchTree tree = SwitchTree::parse("test", "SwitchName=s Nodes=n[0-3]\n");
  require_right({tree, {2, 2, 2, 2}});
  require_right({tree, {0, 3}});
}

struct Counts {
  std::size_t needed;
  std::ptrdiff_t sender;
  std::ptrdiff_t receiver;
  bool operator==(const Counts&) const = default;
};
void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.needed << " " << counts.sender << " " << counts.receiver;
}

/// Tokens between phases that are not of one block of so many.
Counts counts(const Ranks& ranks, int block = 1) {
  const Phases phases = ranks.phases();
  std::vector<Conflict> needed = needed_orders(ranks.tree, ranks.host, phases);
  const std::size_t all = needed.size();
  std::erase_if(needed,
                [&](const Conflict& one) { return one.phase / block == one.later_phase / block; });
  const auto tokens = [&](int RankMessage::*end) {
    return std::ranges::count_if(
        needed, [&](const Conflict& one) { return one.message.*end != one.later.from; });
  };
  return {all, tokens(&RankMessage::from), tokens(&RankMessage::to)};
}

TEST(MessagePhases, NeedAsManyTokensAsWereCounted) {
  EXPECT_EQ(counts(figure_3_2()), (Counts{47, 28, 47}));
  EXPECT_EQ(counts(figure_3_2(), 2), (Counts{47, 17, 29}));
  EXPECT_EQ(counts(figure_3_2(), 3), (Counts{47, 10, 17}));
  EXPECT_EQ(counts(figure_3_2(), 8), (Counts{47, 3, 5}));
  EXPECT_EQ(counts(even_tree(1, 16, true)), (Counts{448, 224, 448}));
  EXPECT_EQ(counts(even_tree(2, 8, true)), (Counts{442, 225, 442}));
  EXPECT_EQ(counts(even_tree(4, 4, true)), (Counts{386, 224, 386}));
  EXPECT_EQ(counts(even_tree(4, 4, false)), (Counts{318, 181, 318}));
  EXPECT_EQ(counts(even_tree(3, 8, true)), (Counts{781, 437, 781}));
}

/// Returns the conflicts, without those that follow from two others in a row, by trying all pairs.
std::set<Conflict> needed_by_all_pairs(const Ranks& ranks, const Phases& phases) {
  struct Numbered {
    int phase;
    RankMessage message;
    std::set<int> links;
  };
  std::vector<Numbered> all;
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    for (const RankMessage& message : phases[phase]) {
      std::vector<int> path;
      ranks.tree.add_links(ranks.host[static_cast<std::size_t>(message.from)],
                           ranks.host[static_cast<std::size_t>(message.to)], path);
      all.push_back({static_cast<int>(phase), message, {path.begin(), path.end()}});
    }
  }
  const std::size_t n = all.size();
  std::vector<std::vector<char>> before(n, std::vector<char>(n, 0));
  std::vector<std::vector<char>> reaches = before;
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) {
      before[i][j] =
          all[i].phase < all[j].phase &&
          std::ranges::any_of(all[i].links, [&](int link) { return all[j].links.contains(link); });
      if (before[i][j] == 0) continue;
      reaches[i][j] = 1;
      for (std::size_t k = j + 1; k < n; ++k) reaches[i][k] |= reaches[j][k];
    }
  }
  std::set<Conflict> needed;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      bool follows = false;
      for (std::size_t k = i + 1; k < j; ++k) follows |= before[i][k] != 0 && reaches[k][j] != 0;
      if (before[i][j] != 0 && !follows) {
        needed.insert({all[i].phase, all[i].message, all[j].phase, all[j].message});
      }
    }
  }
  return needed;
}

TEST(MessagePhases, NeedTheOrdersThatFollowFromNoOthers) {
  for (const Ranks& ranks : {figure_3_2(), even_tree(4, 2, true), even_tree(3, 3, false)}) {
    const Phases phases = ranks.phases();
    const std::vector<Conflict> found = needed_orders(ranks.tree, ranks.host, phases);
    EXPECT_EQ(std::set<Conflict>(found.begin(), found.end()), needed_by_all_pairs(ranks, phases));
  }
}

}  // namespace
}  // namespace gatherbench::topology
