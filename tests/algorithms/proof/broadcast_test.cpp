// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcasts: proven for every root, in as many stages as Faraj 2006, 3.4, and the proof finds what
// is wrong with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/proof/proof.h"
#include "algorithms/proof/rounds.h"
#include "algorithms/proof/trials.h"
#include "tests/algorithms/topology/random_trees.h"
#include "tests/schedule_of.h"

namespace gatherbench::proof {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::vector<const algorithms::Algorithm*> broadcasts() {
  std::vector<const algorithms::Algorithm*> found = algorithms::algorithms_of(&collectives::bcast);
  std::erase_if(found, [](const auto* one) { return one->schedules() == nullptr; });
  return found;
}

TEST(Broadcast, IsProvenForEveryRoot) {
  for (const algorithms::Algorithm* const algorithm : broadcasts()) {
    std::set<int> roots_of_7;
    for (int p = 1; p <= 40; ++p) {
      for (const Trial& trial : trials(choice_of(*algorithm), p, nullptr)) {
        const algorithms::Problem problem = trial.problem(p);
        if (algorithms::why_not(*algorithm, problem)) continue;
        if (p == 7) roots_of_7.insert(problem.root);
        ASSERT_EQ(prove(*algorithm, problem).fault, "")
            << algorithm->name << ", " << trial.text << ", p = " << p;
      }
    }
    EXPECT_EQ(roots_of_7.size(), 7U) << algorithm->name;
  }
}

struct Situation {
  topology::SwitchTree tree;
  std::vector<int> host;
  int root = 0;
  std::int64_t segments = 1;

  [[nodiscard]] std::vector<algorithms::Schedule> schedules(std::string_view name) const {
    const std::vector<std::int64_t> bytes{segments};
    algorithms::Problem problem{.ranks = static_cast<int>(host.size()),
                                .root = root,
                                .block_bytes = bytes,
                                .network = &tree,
                                .host = host};
    problem.parameters = {algorithms::Bytes{1}};
    const algorithms::Algorithm& algorithm = *algorithms::find_algorithm(name, collectives::bcast);
    EXPECT_EQ(prove(algorithm, problem).fault, "") << name;
    return algorithms::make_schedules(algorithm, problem);
  }
  [[nodiscard]] std::size_t stages(std::string_view name) const {
    const std::vector<std::int64_t> bytes{segments};
    const Rounds rounds = find_rounds(
        schedules(name), {.block_bytes = bytes, .collective = &collectives::bcast, .root = root});
    EXPECT_THAT(rounds.fault, IsEmpty());
    return rounds.count;
  }
};

/// The ranks that each rank sends to, in the order of its first messages to them.
using Edges = std::vector<std::vector<int>>;
Edges edges(const std::vector<algorithms::Schedule>& schedules) {
  Edges found(schedules.size());
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    for (std::size_t s = 0; s < schedules[rank].steps(); ++s) {
      const algorithms::TransferList::Transfers sends = schedules[rank].step(s).sends;
      for (std::size_t i = 0; i < sends.size(); ++i) {
        if (std::ranges::count(found[rank], sends[i].peer) == 0) {
          found[rank].push_back(sends[i].peer);
        }
      }
    }
  }
  return found;
}

/// Returns how many ranks send over the busiest link.
std::size_t senders(const Situation& situation, std::string_view name) {
  const Edges children = edges(situation.schedules(name));
  std::map<int, std::set<std::size_t>> of_link;
  for (std::size_t rank = 0; rank < children.size(); ++rank) {
    for (const int child : children[rank]) {
      std::vector<int> links;
      situation.tree.add_links(situation.host[rank],
                               situation.host[static_cast<std::size_t>(child)], links);
      for (const int link : links) of_link[link].insert(rank);
    }
  }
  std::size_t most = 0;
  for (const auto& [link, ranks] : of_link) most = std::max(most, ranks.size());
  return most;
}

/// Returns when the last rank has the last segment if each rank sends one at a time, to its
/// children in turn, as soon as it has it.
std::size_t simulated(const Edges& children, int root, std::int64_t segments) {
  std::size_t end = 0;
  const std::function<void(int, const std::vector<std::size_t>&)> send =
      [&](int rank, const std::vector<std::size_t>& got) {
        end = std::max(end, got.back());
        const std::vector<int>& to = children[static_cast<std::size_t>(rank)];
        std::vector<std::vector<std::size_t>> arrivals(to.size());
        std::size_t free = 0;
        for (const std::size_t there : got) {
          for (std::vector<std::size_t>& child : arrivals) {
            free = std::max(free, there) + 1;
            child.push_back(free);
          }
        }
        for (std::size_t i = 0; i < to.size(); ++i) send(to[i], arrivals[i]);
      };
  send(root, std::vector<std::size_t>(static_cast<std::size_t>(segments), 0));
  return end;
}

std::vector<int> in_turn(int hosts) {
  std::vector<int> numbers;
  for (int host = 0; host < hosts; ++host) numbers.push_back(host);
  return numbers;
}

constexpr const char* chain_4x8 =
    "SwitchName=s0 Nodes=n[0-7] Switches=s1\nSwitchName=s1 Nodes=n[8-15] Switches=s2\n"
    "SwitchName=s2 Nodes=n[16-23] Switches=s3\nSwitchName=s3 Nodes=n[24-31]\n";

TEST(Broadcast, TakesTheStagesOfFaraj) {
  const std::vector<std::int64_t> segments{1, 16, 64, 1024};
  const auto stages = [&](Situation situation, std::string_view name) {
    std::vector<std::size_t> found;
    for (const std::int64_t each : segments) {
      situation.segments = each;
      found.push_back(situation.stages(name));
    }
    return found;
  };
  const Situation chain{topology::SwitchTree::parse("chain", chain_4x8), in_turn(32)};
  using testing::ElementsAre;
  EXPECT_THAT(stages(chain, "topology_linear"), ElementsAre(31, 46, 94, 1054));
  EXPECT_THAT(stages(chain, "linear_pipeline"), ElementsAre(31, 46, 94, 1054));
  EXPECT_THAT(stages(chain, "topology_binary"), ElementsAre(12, 42, 138, 2058));
  const Situation one{topology::SwitchTree::parse("one", "SwitchName=s Nodes=n[0-15]\n"),
                      in_turn(16)};
  EXPECT_THAT(stages(one, "topology_linear"), ElementsAre(15, 30, 78, 1038));
  EXPECT_THAT(stages(one, "topology_binary"), ElementsAre(8, 38, 134, 2054));
}

// Rank r is on switch r mod 4.
TEST(Broadcast, SharesLinksUnlessItKnowsTheSwitches) {
  const Situation chain{topology::SwitchTree::parse("chain", chain_4x8), in_turn(32)};
  Situation dealt{topology::SwitchTree::parse("chain", chain_4x8), {}};
  for (int rank = 0; rank < 32; ++rank) dealt.host.push_back(rank % 4 * 8 + rank / 4);
  EXPECT_EQ(senders(dealt, "linear_pipeline"), 8U);
  EXPECT_EQ(senders(dealt, "binary"), 8U);
  EXPECT_EQ(senders(chain, "binary"), 9U);
  EXPECT_EQ(senders(dealt, "topology_linear"), 1U);
  EXPECT_EQ(senders(dealt, "topology_binary"), 1U);
}

// The trees are random, with several ranks a host, from any root: no two ranks send over one link,
// and there are as many stages as if nobody ever waited to receive.
TEST(Broadcast, OnRandomTreesHasNoContention) {
  std::mt19937 random(686);
  for (int i = 0; i < 200; ++i) {
    Situation one{topology::random_tree(random, 1 + static_cast<int>(topology::draw(random, 8)),
                                        2 + static_cast<int>(topology::draw(random, 22))),
                  {}};
    for (const int host : topology::random_hosts(random, one.tree)) {
      one.host.insert(one.host.end(), 1 + topology::draw(random, 2), host);
    }
    if (one.host.size() < 2) continue;
    topology::shuffle(random, one.host);
    one.root = static_cast<int>(topology::draw(random, one.host.size()));
    one.segments = 1 + static_cast<std::int64_t>(topology::draw(random, 9));
    for (const char* const name : {"topology_linear", "topology_binary"}) {
      EXPECT_LE(senders(one, name), 1U) << name << " " << i;
      EXPECT_EQ(one.stages(name), simulated(edges(one.schedules(name)), one.root, one.segments))
          << name << " " << i;
    }
  }
}

// All-gathers that gather to rank 0 first.
TEST(Broadcast, IsTheEndOfAllGathers) {
  const auto tree = topology::SwitchTree::parse("chain", chain_4x8);
  int proven = 0;
  for (const char* const name : {"gather_bcast", "linear_gather_bcast", "bslb"}) {
    for (const algorithms::Algorithm* const broadcast : broadcasts()) {
      const algorithms::Choice chosen =
          choice(std::string(name).append(":bcast=").append(broadcast->name));
      for (const std::int64_t bytes : {0, 1, 3000, 100'000}) {
        for (int p = 1; p <= 12; ++p) {
          const std::vector<int> host = in_turn(p);
          const std::vector<std::int64_t> sizes(static_cast<std::size_t>(p), bytes);
          algorithms::Problem problem = problem_for(chosen, p);
          problem.block_bytes = sizes;
          EXPECT_EQ(!why_not(*chosen.algorithm, problem).has_value(),
                    !broadcast->contention_free);  // it needs the tree
          problem.network = &tree;
          problem.host = host;
          if (why_not(*chosen.algorithm, problem)) continue;
          EXPECT_EQ(prove(*chosen.algorithm, problem).fault, "") << chosen.label() << " " << p;
          for (const auto& each : make_schedules(*chosen.algorithm, problem)) {
            EXPECT_FALSE(each.broadcast_at_end);
          }
          ++proven;
        }
      }
    }
  }
  EXPECT_EQ(proven, 3 * 8 * 4 * 12);
}

TEST(Broadcast, OfTheLibraryIsTheEndOfAllGathers) {
  for (const char* const name : {"gather_bcast", "linear_gather_bcast", "bslb"}) {
    const algorithms::Choice chosen = choice(std::string(name).append(":bcast=native"));
    for (int p = 1; p <= 20; ++p) {
      const std::vector<std::int64_t> sizes(static_cast<std::size_t>(p), 3000);
      algorithms::Problem problem = problem_for(chosen, p);
      problem.block_bytes = sizes;
      const ProofResult result = prove(*chosen.algorithm, problem);
      EXPECT_EQ(result.fault, "") << name << " " << p;
      for (const auto& each : make_schedules(*chosen.algorithm, problem)) {
        EXPECT_EQ(each.broadcast_at_end, p > 1) << name << " " << p;
      }
      if (chosen.algorithm->name != "bslb") {
        EXPECT_EQ(result.messages, p - 1) << name;
      }
    }
  }
}

// Small blocks travel together, as large as a segment.
TEST(Broadcast, OfSmallBlocksTakesFewMessages) {
  const algorithms::Choice chosen = choice("linear_gather_bcast:bcast=linear_pipeline");
  for (const auto& [bytes, pieces] : {std::pair{8, 1}, {1024, 2}, {4096, 8}, {8192, 16}}) {
    const std::vector<std::int64_t> sizes(16, bytes);
    algorithms::Problem problem = problem_for(chosen, 16);
    problem.block_bytes = sizes;
    EXPECT_EQ(prove(*chosen.algorithm, problem).messages, 15 + 15 * pieces) << bytes;
  }
}

TEST(Broadcast, FaultsAreFound) {
  for (const algorithms::Algorithm* const algorithm : broadcasts()) {
    if (algorithm->contention_free) continue;
    const algorithms::Problem problem{
        .ranks = 6, .root = 2, .parameters = default_values(*algorithm)};
    const Assumptions assumptions = assumptions_of(*algorithm, {}, 2);
    const auto good = algorithms::make_schedules(*algorithm, problem);
    EXPECT_THAT(prove(good, assumptions).fault, IsEmpty()) << algorithm->name;
    // The root is another one.
    EXPECT_FALSE(prove(good, assumptions_of(*algorithm, {}, 3)).fault.empty()) << algorithm->name;
    // One rank does nothing.
    for (std::size_t rank = 0; rank < good.size(); ++rank) {
      auto lacking = good;
      lacking[rank] = {};
      lacking[rank].segmentation = good[rank].segmentation;
      EXPECT_THAT(prove(lacking, assumptions).fault, HasSubstr("waits for ever"))
          << algorithm->name << " " << rank;
    }
  }
}

TEST(Broadcast, FindsARankThatIsLeftOut) {
  // Ranks 0 and 1 alone.
  std::vector<algorithms::Schedule> schedules(3);
  for (algorithms::Schedule& each : schedules) each.begin_step();
  schedules[0].send(1, {0, 1});
  schedules[1].receive(0, {0, 1});
  EXPECT_EQ(prove(schedules, {.collective = &collectives::bcast}).fault,
            "rank 2 never receives block 0");
  EXPECT_EQ(prove(schedules, {.collective = &collectives::bcast, .root = 1}).fault,
            "rank 0 in step 0 sends block 0 to 1 but does not hold it");
}

}  // namespace
}  // namespace gatherbench::proof
