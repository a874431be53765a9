// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/registry.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/choice/parse_algorithms.h"
#include "formats/text/input_error.h"

namespace gatherbench::algorithms {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Optional;

std::vector<std::string> labels(std::string_view list) {
  std::vector<std::string> names;
  for (const Choice& choice : parse_algorithms("--algorithms", list)) {
    names.push_back(choice.label());
  }
  return names;
}

std::string error_of(std::string_view list) {
  try {
    parse_algorithms("--algorithms", list);
  } catch (const text::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Registry, RowsAreComplete) {
  for (const Algorithm& algorithm : all_algorithms()) {
    EXPECT_FALSE(algorithm.name.empty() || algorithm.summary.empty() || algorithm.source.empty())
        << algorithm.name;
    if (algorithm.schedules() == nullptr) continue;
    EXPECT_NE(algorithm.schedules()->of_rank, nullptr) << algorithm.name;
    EXPECT_TRUE(algorithm.steps && algorithm.messages && algorithm.bytes) << algorithm.name;
    std::set<std::string_view> kinds;  // by which a schedule asks for the values, but of phases
    std::size_t phases = 0;
    for (const Parameter& parameter : algorithm.parameters) {
      if (parameter.is_phase) ++phases;
      if (!parameter.is_phase) kinds.insert(kind_of(parameter));
    }
    EXPECT_EQ(kinds.size() + phases, algorithm.parameters.size()) << algorithm.name;
  }
}

TEST(Registry, RowsSayWhetherBlocksAreCut) {
  for (const Algorithm& algorithm : all_algorithms()) {
    Choice choice = choice_of(algorithm);
    for (ParameterValue& value : choice.parameters) {
      if (std::holds_alternative<Count>(value)) value = Count{2};  // one segment is none
    }
    const Problem problem = problem_for(choice, 4);
    if (algorithm.schedules() == nullptr || why_not(algorithm, problem).has_value()) continue;
    const Schedule schedule = make_schedule(algorithm, problem);
    EXPECT_EQ(schedule.segmentation != Segmentation{}, algorithm.cuts_blocks) << algorithm.name;
  }
}

TEST(Registry, NamesAreUnique) {
  for (const collectives::Collective& collective : collectives::all_collectives()) {
    std::set<std::string_view> names;
    for (const Algorithm* const one : algorithms_of(&collective)) {
      EXPECT_TRUE(names.insert(one->name).second) << collective.name << " " << one->name;
      EXPECT_EQ(find_algorithm(one->name, collective), one) << one->name;
    }
  }
}

TEST(Registry, AlgorithmsOfOneNameAreFoundByTheirCollective) {
  const Algorithm* const gathers = find_algorithm("bruck");
  const Algorithm* const exchanges = find_algorithm("bruck", collectives::alltoall);
  EXPECT_EQ(gathers->kind, &collectives::allgather);
  EXPECT_EQ(exchanges->kind, &collectives::alltoall);
  EXPECT_EQ(find_algorithm("sparbit", collectives::alltoall), nullptr);
  EXPECT_EQ(find_algorithm("native", collectives::alltoall), find_algorithm("native"));
  EXPECT_EQ(std::ranges::count(algorithm_names(nullptr), "bruck"), 1);
}

TEST(Registry, DefaultsAreToldAsTheyAreWritten) {
  std::vector<std::string> defaults;
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.parameters.empty()) continue;
    std::string spelled(algorithm.name);
    for (const Parameter& parameter : algorithm.parameters) {
      defaults.push_back(to_text(parameter.default_value));
      spelled += fmt::format(":{}={}", parameter.name, defaults.back());
    }
    const collectives::Collective& collective =
        algorithm.kind == nullptr ? collectives::allgather : *algorithm.kind;
    EXPECT_EQ(parse_algorithms("--algorithms", spelled, collective).front().parameters,
              default_values(algorithm))
        << spelled;
  }
  // One of each kind of value.
  EXPECT_THAT(defaults,
              IsSupersetOf({"2", "32K", "auto", "binomial", "bruck_in_place", "measured"}));
  EXPECT_EQ(to_text(MessageTime{std::chrono::nanoseconds(1500)}), "1.5us");
  EXPECT_EQ(to_text(StartTime{std::chrono::microseconds(20)}), "20us");
}

TEST(Registry, ListsKeepTheirOrderAndEachOnce) {
  EXPECT_THAT(labels("sparbit,ring,sparbit,native:linear,native"),
              ElementsAre("sparbit", "ring", "native:linear", "native"));
}

TEST(Registry, RefusesWhatItHasNot) {
  EXPECT_THAT(error_of("sparbyt"), HasSubstr("did you mean 'sparbit'"));
  EXPECT_THAT(error_of("ring:k=2"), HasSubstr("ring takes none"));
  EXPECT_THAT(error_of("bruck:n=2"), HasSubstr("bruck:k=..., the one parameter that bruck takes"));
  EXPECT_THAT(error_of("bruck:4"), HasSubstr("is not bruck:k="));
  EXPECT_THAT(error_of("bruck:k=1"), HasSubstr("'1' is not between 2"));
  EXPECT_THAT(error_of("bruck:k=two"), HasSubstr("bruck:k: 'two'"));
  EXPECT_THAT(
      error_of("clairvoyant:segments=few"),
      HasSubstr("clairvoyant:segments: 'few' is neither auto nor a whole number; legal: auto, 1 "
                "to 64"));
  EXPECT_THAT(error_of("clairvoyant:segments=0"), HasSubstr("'0' is not between 1"));
  EXPECT_THAT(error_of("circulant:segments=auto"), HasSubstr("'auto' is not a whole number"));
  EXPECT_THAT(error_of("pipelined_ring:segment=0"), HasSubstr("smallest size is 1 byte"));
  EXPECT_THAT(error_of("leader:inner=rign"), HasSubstr("did you mean 'ring'"));
  EXPECT_THAT(error_of("leader:inner=bruck"), HasSubstr("bruck_in_place"));  // it has a scratch
  EXPECT_THAT(error_of("native:"), HasSubstr("no algorithm of the library"));
  EXPECT_THAT(error_of(""), HasSubstr("legal: loch2021, proficz2021, regular, arrival_aware, all, "
                                      "linear-steps, logarithmic-steps, library, "
                                      "library-calls, ring"));
}

TEST(Registry, TheBroadcastAtTheEndMayBeTheLibrarys) {
  const char* const three =
      "gather_bcast:bcast=native,linear_gather_bcast:bcast=native,bslb:bcast=native";
  for (const Choice& choice : parse_algorithms("--algorithms", three)) {
    EXPECT_EQ(why_not(*choice.algorithm, problem_for(choice, 5)), std::nullopt) << choice.label();
  }
  for (const char* const one : {"gather_bcast:bcast=native_nonblocking",
                                "gather_bcast:bcast=library_gather_bcast", "leader:inner=native"}) {
    EXPECT_THAT(error_of(one), HasSubstr("is no inner algorithm")) << one;
  }
}

TEST(Registry, WhatFollowsAPolicyIsThePolicys) {
  const auto policy = [](std::string_view text) {
    return std::string(parse_algorithms("--algorithms", text).front().policy());
  };
  EXPECT_EQ(policy("adaptive:policy=star:iterations=0"), "star:iterations=0");
  EXPECT_EQ(policy("adaptive:policy=agstar:noncontiguous=packed"), "agstar:noncontiguous=packed");
}

TEST(Registry, AWindowLeavesTheFormOfMessagesToTheLaunch) {
  const Choice window = parse_algorithms("-a", "bruck:via=window:k=4").front();
  EXPECT_EQ(window.label(), "bruck:via=window:k=4");
  EXPECT_EQ(window.via, Via::window);
  EXPECT_EQ(form_of(window, Noncontiguous::datatype), (MessageForm{Noncontiguous::datatype, 0}));
  const Choice both = parse_algorithms("-a", "sparbit:batch=2:via=window").front();
  EXPECT_EQ(both.form, (MessageForm{Noncontiguous::packed, 2}));
  EXPECT_EQ(both.via, Via::window);
  EXPECT_TRUE(window.says_form());
  EXPECT_FALSE(parse_algorithms("-a", "ring:via=messages").front().says_form());
}

TEST(Registry, AnOrderOfTheRanksIsPartOfTheName) {
  EXPECT_THAT(labels("ring@switch,bruck@paired:k=4,ring,ring@switch"),
              ElementsAre("ring@switch", "bruck@paired:k=4", "ring"));
  EXPECT_EQ(parse_algorithms("--algorithms", "ring@node").front().order, find_order("node"));
  EXPECT_THAT(error_of("ring@swich"), HasSubstr("did you mean 'switch'?); legal: switch, node"));
  EXPECT_THAT(error_of("ring@"), HasSubstr("legal: switch, node, paired, cyclic"));
  EXPECT_THAT(error_of("rign@switch"), HasSubstr("no algorithm"));
  for (const char* const one : {"lane@node", "topology_ring@switch", "bdr@paired", "native@switch",
                                "library_gather_bcast@node", "adaptive@node:policy=star"}) {
    EXPECT_THAT(error_of(one), HasSubstr("gives an order of the ranks, but")) << one;
  }
}

TEST(Registry, FilesGoByTheirNames) {
  EXPECT_THAT(
      labels("file:a/b.c.json,file:./d,file:e:f/g.json:noncontiguous=datatype:batch=3,"
             "file:h:batch=2"),
      ElementsAre("file:b.c", "file:d", "file:g:noncontiguous=datatype:batch=3", "file:h:batch=2"));
  const Choice choice = parse_algorithms("-a", "file:e:f/g.json:batch=3").front();
  EXPECT_EQ(choice.path, "e:f/g.json");
  EXPECT_EQ(choice.form, (MessageForm{Noncontiguous::packed, 3}));
  EXPECT_EQ(parse_algorithms("-a", "file:e:f/g.json:via=window").front().path, "e:f/g.json");
  EXPECT_THAT(labels("file:a.json,file:a.json,file"), ElementsAre("file:a", "file"));
  EXPECT_EQ(error_of("file:x/a.json,ring,file:y/a.json"),
            "--algorithms: 'file:y/a.json' is called file:a in results, and so is x/a.json; legal: "
            "files with different names");
  for (const std::string_view text : {"file:", "file:a/", "file:a b", "file::batch=2"}) {
    EXPECT_THAT(error_of(text), HasSubstr("names no file that results can be called by")) << text;
  }
  EXPECT_THAT(error_of("file:a:batch=0"), HasSubstr("'0'"));
}

TEST(Registry, NeedsAreSaidWithTheRanks) {
  const auto reason = [](std::string_view text, int ranks) {
    const Choice choice = parse_algorithms("--algorithms", text).front();
    return why_not(*choice.algorithm, problem_for(choice, ranks));
  };
  EXPECT_EQ(reason("recursive_doubling", 6), "needs a power-of-two number of ranks; ranks = 6");
  EXPECT_EQ(reason("neighbor_exchange", 5), "needs an even number of ranks; ranks = 5");
  EXPECT_EQ(reason("recursive_doubling", 1), std::nullopt);
  EXPECT_EQ(reason("sparbit", 7), std::nullopt);
  EXPECT_THAT(reason("mesh2d", 7), Optional(HasSubstr("product of two numbers")));
  EXPECT_EQ(reason("mesh3d", 12), std::nullopt);
  EXPECT_THAT(reason("mesh3d", 10), Optional(HasSubstr("product of three numbers")));
  EXPECT_THAT(reason("shift_n_barriers:n=1", 2), Optional(HasSubstr("3 or more ranks")));
  EXPECT_THAT(reason("pair_n_barriers", 2), Optional(HasSubstr("4 or more")));
  EXPECT_THAT(reason("topology_ring", 4), Optional(HasSubstr("--topology FILE")));
  EXPECT_THAT(reason("ring@switch", 4), Optional(HasSubstr("--topology FILE")));
  EXPECT_EQ(reason("recursive_doubling@node", 6), reason("recursive_doubling", 6));
  EXPECT_EQ(reason("leader:inner=recursive_doubling", 7), std::nullopt);  // one node
}

std::string out_of_range(std::string_view text, int ranks) {
  try {
    require_parameter("--algorithms", parse_algorithms("--algorithms", text).front(), ranks);
  } catch (const text::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Registry, RangesOfParametersDependOnTheRanks) {
  EXPECT_EQ(out_of_range("shift_n_barriers:n=6", 8), "no error");
  EXPECT_EQ(out_of_range("shift_n_barriers:n=7", 8),
            "--algorithms: 'shift_n_barriers:n=7' is out of range: n is 1 to p-2 = 6 with 8 ranks");
  EXPECT_EQ(out_of_range("shift_n_barriers:n=1", 2), "no error");  // it cannot run at all
}

TEST(Registry, LabelsAreWhatWasWritten) {
  EXPECT_THAT(labels("bruck,bruck:k=4,leader:inner=ring,pipelined_ring:segment=64K"),
              ElementsAre("bruck", "bruck:k=4", "leader:inner=ring", "pipelined_ring:segment=64K"));
}

}  // namespace
}  // namespace gatherbench::algorithms
