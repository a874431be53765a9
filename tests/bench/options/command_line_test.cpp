// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/command_line.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench/options/option_groups.h"
#include "formats/metadata.h"
#include "tests/bench/options/parse_words.h"

namespace gatherbench::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Options options_of(std::vector<std::string> words) {
  const auto parsed = parse_words(collectives::allgatherv, std::move(words));
  if (const auto* const ending = std::get_if<Ending>(&parsed)) ADD_FAILURE() << ending->text;
  return std::get<Options>(parsed);
}

TEST(Options, DefaultsAreOsus) {
  const Options options = options_of({});
  EXPECT_EQ(options.sizes.size(), 21U);
  EXPECT_EQ(options.sizes.front(), 1);
  EXPECT_EQ(options.sizes.back(), 1048576);
  EXPECT_EQ(options.iterations_at(8192), 1000);
  EXPECT_EQ(options.iterations_at(8193), 100);
  EXPECT_EQ(options.warmup_at(8192), 100);
  EXPECT_EQ(options.warmup_at(8193), 10);
  EXPECT_EQ(options.algorithms.size(), 5U);  // those of loch2021 for allgatherv, and native
  EXPECT_EQ(options.distributions, "regular");
}

TEST(Options, TakesOsusSpellings) {
  EXPECT_THAT(options_of({"-m", "2:8"}).sizes, ElementsAre(2, 4, 8));
  EXPECT_THAT(options_of({"-m", "4"}).sizes, ElementsAre(1, 2, 4));
  EXPECT_EQ(options_of({"-i", "7"}).iterations_at(1), 7);
  EXPECT_EQ(options_of({"-i", "7"}).iterations_at(1 << 20), 7);
  EXPECT_EQ(options_of({"-x", "0"}).warmup_at(1), 0);
  const Options flags = options_of({"-f", "-c", "-l", "-M", "1G"});
  EXPECT_TRUE(flags.full && flags.validation && flags.in_place);
  EXPECT_EQ(flags.mem_limit, std::int64_t{1} << 30);
  EXPECT_THAT(options_of({"-z"}).percentiles, ElementsAre(50, 90, 99));
  EXPECT_THAT(options_of({"-z", "-f"}).percentiles, ElementsAre(50, 90, 99));
  EXPECT_THAT(options_of({"-z50,99.9"}).percentiles, ElementsAre(50, 99.9));
}

TEST(Options, SizesBeginAtAWholeElement) {
  EXPECT_THAT(options_of({"-m", "16", "-T", "mpi_int"}).sizes, ElementsAre(4, 8, 16));
  EXPECT_THAT(options_of({"-T", "vector:12:16", "-m", "64"}).sizes, ElementsAre(12, 24, 48));
  EXPECT_THAT(options_of({"-m", "8:16", "-T", "int"}).sizes, ElementsAre(8, 16));
  EXPECT_THAT(options_of({"--sizes", "12,4", "-T", "int"}).sizes, ElementsAre(12, 4));
  const std::vector<std::int64_t> all = options_of({"-T", "mpi_float"}).sizes;
  EXPECT_EQ(all.size(), 19U);
  EXPECT_EQ(all.front(), 4);
  EXPECT_EQ(all.back(), 1048576);
  const auto of_reduction = [](std::vector<std::string> words) {
    const auto parsed = parse_words(collectives::reduce, std::move(words));
    if (const auto* const ending = std::get_if<Ending>(&parsed)) ADD_FAILURE() << ending->text;
    return std::get<Options>(parsed).sizes;
  };
  EXPECT_THAT(of_reduction({"-m", "32"}), ElementsAre(8, 16, 32));
  EXPECT_THAT(of_reduction({"-m", "4:8", "-T", "mpi_float"}), ElementsAre(4, 8));
  EXPECT_EQ(of_reduction({}).front(), 8);
  EXPECT_EQ(of_reduction({}).back(), 1048576);
}

TEST(Options, SeveralAlgorithmsStandSideBySideUnlessOsusColumnsAreAskedFor) {
  EXPECT_EQ(options_of({"--algorithms", "ring,bruck"}).table_form(), TableForm::side_by_side);
  EXPECT_EQ(options_of({"--algorithms", "ring"}).table_form(), TableForm::osu);
  EXPECT_EQ(options_of({"--algorithms", "ring,bruck", "-f"}).table_form(), TableForm::osu);
  EXPECT_EQ(options_of({"--algorithms", "ring,bruck", "--table", "osu"}).table_form(),
            TableForm::osu);
  EXPECT_EQ(options_of({"--algorithms", "ring", "--table", "side-by-side"}).table_form(),
            TableForm::side_by_side);
}

/// Of what two runs must agree in if one resumes the other, where they differ: "key: one, other".
std::vector<std::string> differences(const std::vector<std::string>& one,
                                     const std::vector<std::string>& other) {
  constexpr formats::Purpose resume = formats::Purpose::resume;
  const formats::Metadata first = formats::select(describe(options_of(one)), resume);
  const formats::Metadata second = formats::select(describe(options_of(other)), resume);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].first, second.at(i).first);
    if (first[i] == second[i]) continue;
    found.push_back(fmt::format("{}: {}, {}", first[i].first, first[i].second, second[i].second));
  }
  return found;
}

TEST(Options, GivenAreThoseOfTheFileToo) {
  const std::string path = testing::TempDir() + "given_" + std::to_string(getpid()) + ".ini";
  std::ofstream(path) << "# a comment\nsizes = 8,1K\nin-place=true\nwarmup=2\n";
  const Options options =
      options_of({"--warmup", "3", "--config", path, "--resume", "-o", "o.csv"});
  std::filesystem::remove(path);
  EXPECT_EQ(options.config, path);
  EXPECT_EQ(options.given,
            "--sizes=8,1K\n--in-place=true\n--warmup=3\n--output=o.csv\n--resume=true\n");
  EXPECT_EQ(options_of({}).given, "");
}

TEST(Options, DescribedTellsRunsApart) {
  const std::vector<std::string> given{"--sizes", "1,2", "--algorithms", "ring,bruck",
                                       "-i",      "2",   "-x",           "0"};
  const auto changed = [&](std::vector<std::string> words) {
    std::vector<std::string> others = given;
    const auto same = std::ranges::find(others, words[0]);
    if (same != others.end()) others.erase(same, same + 2);
    others.insert(others.end(), words.begin(), words.end());
    return differences(given, others);
  };
  EXPECT_THAT(changed({"--sizes", "1,2,4"}), ElementsAre("sizes: 1,2, 1,2,4"));
  EXPECT_THAT(changed({"--algorithms", "ring"}), ElementsAre("algorithms: ring,bruck, ring"));
  EXPECT_THAT(changed({"-i", "3"}), ElementsAre("iterations: 2, 3"));
  EXPECT_THAT(changed({"-x", "1"}), ElementsAre("warmup: 0, 1"));
  EXPECT_THAT(changed({"--order", "sequential"}), ElementsAre("order: interleaved:10, sequential"));
  EXPECT_THAT(changed({"--order", "interleaved:3"}),
              ElementsAre("order: interleaved:10, interleaved:3"));
  EXPECT_THAT(changed({"--noncontiguous", "packed"}),
              ElementsAre("noncontiguous: pipelined, packed"));
  EXPECT_THAT(changed({"--max-time", "1s"}), ElementsAre("max_time: none, 1 s"));
  EXPECT_THAT(changed({"--precision", "5%"}), ElementsAre("precision: none, 0.05"));
  EXPECT_THAT(changed({"--in-place"}), ElementsAre("in_place: no, yes"));
  EXPECT_THAT(changed({"--groups", "div:2"}), ElementsAre("groups: none, div:2"));
  EXPECT_THAT(changed({"--displacements", "permuted"}),
              ElementsAre("displacements: dense, permuted"));
  EXPECT_THAT(changed({"--record", "ranks", "--output", "a.csv"}),
              ElementsAre("record_ranks: no, yes"));
  EXPECT_NE(describe(options_of({"--size-order", "shuffled"})), describe(options_of({})));
  EXPECT_FALSE(options_of({}).seed.has_value());
  EXPECT_EQ(options_of({"--seed", "1"}).seed, 1);
  EXPECT_NE(describe(options_of({"--seed", "1"})), describe(options_of({"--seed", "2"})));
  EXPECT_EQ(describe(options_of({"--output", "a"})), describe(options_of({"-o", "b"})));
}

TEST(Options, NotesAndDuets) {
  const Options options =
      options_of({"--note", "launch=0", "--note=build=x y", "--output", "f", "--duet", "A@/tmp/s"});
  ASSERT_EQ(options.notes.size(), 2U);
  EXPECT_EQ(options.notes[1].key, "build");
  EXPECT_EQ(options.notes[1].value, "x y");
  EXPECT_EQ(options.duet->path, "/tmp/s");
}

TEST(Options, HelpAndVersionEndWell) {
  EXPECT_EQ(std::get<Ending>(parse_words(collectives::allgatherv, {"--help"})).exit_code, 0);
  EXPECT_THAT(std::get<Ending>(parse_words(collectives::allgatherv, {"--version"})).text,
              HasSubstr("allgatherv_bench 0."));
}

}  // namespace
}  // namespace gatherbench::bench
