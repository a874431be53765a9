// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gatherbench::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::variant<Options, Ending> parse(
    std::vector<std::string> words,
    const collectives::Collective& collective = collectives::allgatherv) {
  words.insert(words.begin(), "program");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return parse_options(collective, static_cast<int>(words.size()), argv.data());
}

Options options_of(std::vector<std::string> words) {
  const auto parsed = parse(std::move(words));
  if (const auto* const ending = std::get_if<Ending>(&parsed)) ADD_FAILURE() << ending->text;
  return std::get<Options>(parsed);
}

/// The message of a refusal, which must be one line and end with exit code 2.
std::string refusal(std::vector<std::string> words) {
  const auto parsed = parse(std::move(words));
  const auto* const ending = std::get_if<Ending>(&parsed);
  if (ending == nullptr) return "accepted";
  EXPECT_EQ(ending->exit_code, 2);
  EXPECT_EQ(std::ranges::count(ending->text, '\n'), 1) << ending->text;
  return ending->text;
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

TEST(Options, SeveralAlgorithmsStandSideBySideUnlessOsusColumnsAreAskedFor) {
  EXPECT_EQ(options_of({"--algorithms", "ring,bruck"}).table_form(), TableForm::side_by_side);
  EXPECT_EQ(options_of({"--algorithms", "ring"}).table_form(), TableForm::osu);
  EXPECT_EQ(options_of({"--algorithms", "ring,bruck", "-f"}).table_form(), TableForm::osu);
  EXPECT_EQ(options_of({"--algorithms", "ring,bruck", "--table", "osu"}).table_form(),
            TableForm::osu);
  EXPECT_EQ(options_of({"--algorithms", "ring", "--table", "side-by-side"}).table_form(),
            TableForm::side_by_side);
}

TEST(Options, DescribedTellsRunsApart) {
  EXPECT_NE(options_of({"--size-order", "shuffled"}).describe(), options_of({}).describe());
  EXPECT_FALSE(options_of({}).seed.has_value());
  EXPECT_EQ(options_of({"--seed", "1"}).seed, 1);
  EXPECT_NE(options_of({"--seed", "1"}).describe(), options_of({"--seed", "2"}).describe());
  EXPECT_EQ(options_of({"--output", "a"}).describe(), options_of({"-o", "b"}).describe());
}

TEST(Options, RefusalsNameOptionValueAndWhatIsLegal) {
  EXPECT_THAT(refusal({"--sizse", "4"}),
              HasSubstr("'--sizse' is no option (did you mean '--sizes'?)"));
  EXPECT_THAT(refusal({"stray"}), HasSubstr("'stray' is no option; legal"));
  EXPECT_THAT(refusal({"-d"}), HasSubstr("'-d' is no option; legal: --message-size, --sizes, "));
  EXPECT_THAT(refusal({"-d"}), HasSubstr("--help, --config, -m, -l, -i, -x, -M, "));
  // A value that CLI11 alone would take for -i with "nf", and one that is missing.
  EXPECT_THAT(refusal({"--tail-lat", "-inf"}), HasSubstr("--tail-lat: '-inf' is not a number"));
  EXPECT_THAT(refusal({"-z", "-inf", "-f"}), HasSubstr("--tail-lat: '-inf' is not a number"));
  EXPECT_THAT(refusal({"--sizes"}),
              HasSubstr("--sizes: its value is missing; legal: --sizes LIST"));
  EXPECT_THAT(refusal({"--output=", "--resume"}), HasSubstr("--output: '' is no value"));
  EXPECT_THAT(refusal({"--config", "/"}), HasSubstr("--config: / was not readable"));
  EXPECT_THAT(refusal({"--progress", "--no-progress"}), HasSubstr("--no-progress: contradicts"));
  EXPECT_THAT(refusal({"--table", "osu2"}), HasSubstr("did you mean 'osu'?); legal: osu, side-by"));
  for (const char* const column : {"-f", "-c", "-z", "--std-dev"}) {
    EXPECT_THAT(refusal({"--table", "side-by-side", column}), HasSubstr("--table: 'side-by-side'"));
  }
  EXPECT_THAT(refusal({"--sizes", "4,0"}), HasSubstr("--sizes: '0' is 0"));
  EXPECT_THAT(refusal({"--sizes", "4", "-m", "8"}), HasSubstr("excludes"));
  EXPECT_THAT(refusal({"-m", "8:4"}), HasSubstr("--message-size: '8:4' is reversed"));
  EXPECT_THAT(refusal({"-i", "0"}), HasSubstr("--iterations: '0' is not between 1 and"));
  EXPECT_THAT(refusal({"-i", "many"}), HasSubstr("--iterations: 'many' is not a whole number"));
  EXPECT_THAT(refusal({"--order", "random"}), HasSubstr("legal: interleaved, sequential"));
  EXPECT_THAT(refusal({"--mapping", "cylic"}), HasSubstr("did you mean 'cyclic'"));
  EXPECT_THAT(refusal({"--noncontiguous", "x"}), HasSubstr("legal: pipelined, packed, datatype"));
  EXPECT_THAT(refusal({"--precision", "0"}), HasSubstr("--precision: '0'"));
  EXPECT_THAT(refusal({"--max-time", "0s"}), HasSubstr("--max-time: '0s' is 0"));
  EXPECT_THAT(refusal({"--timeout", "soon"}), HasSubstr("--timeout: 'soon'"));
  EXPECT_THAT(refusal({"-M", "none"}), HasSubstr("--mem-limit: 'none'"));
  EXPECT_THAT(refusal({"-z", "0"}), HasSubstr("--tail-lat: '0' is not between 0 and 100"));
  EXPECT_THAT(refusal({"-z", "1,2,3,4,5,6"}), HasSubstr("more than 5"));
  EXPECT_THAT(refusal({"--seed", "-1"}), HasSubstr("--seed: '-1' is not between"));
  EXPECT_THAT(refusal({"--record", "all", "--output", "f"}), HasSubstr("legal: ranks"));
  EXPECT_THAT(refusal({"--record", "ranks,step", "--output", "f"}),
              HasSubstr("legal: ranks, steps, counters"));
  EXPECT_THAT(refusal({"--record", "ranks"}), HasSubstr("--record: needs --output"));
  EXPECT_THAT(refusal({"--record", "steps"}), HasSubstr("--record: needs --output"));
  for (const char* const option : {"--groups=mod:2", "--overlap=1", "--duet=A@/s"}) {
    EXPECT_THAT(refusal({"--record", "steps,counters", "--output", "f", option}),
                HasSubstr("--record: 'counters' does not go with --"));
  }
  EXPECT_THAT(refusal({"--note", "a=1"}), HasSubstr("--note: needs --output"));
  EXPECT_THAT(refusal({"--note", "a", "--output", "f"}), HasSubstr("--note: 'a' has no '='"));
  EXPECT_THAT(refusal({"--note", "a=1", "b=1", "--output", "f"}), HasSubstr("'b' is no option"));
  EXPECT_THAT(refusal({"--duet", "x"}), HasSubstr("--duet: 'x' has no @"));
  EXPECT_THAT(refusal({"--duet", "A@/s", "--max-time", "1s"}),
              HasSubstr("--duet: does not go with --max-time"));
  EXPECT_THAT(refusal({"--duet", "A@/s", "--precision", "5%"}),
              HasSubstr("--duet: does not go with --precision"));
  for (const char* const name : {"x.csv.zst", "x.csv.lz4", "x.csv.GZ", "x.gz", "x.zip"}) {
    EXPECT_THAT(refusal({"--output", name}), HasSubstr("; legal: .csv"));
  }
  EXPECT_THAT(refusal({"--mapping", "cyclic", "--launched-mapping", "cyclic"}),
              AllOf(HasSubstr("--launched-mapping"), HasSubstr("--mapping")));
  EXPECT_THAT(refusal({"--launched-mapping", "round-robin"}), HasSubstr("sequential, cyclic"));
  EXPECT_THAT(refusal({"--duet", "A@/s", "--order", "sequential"}),
              HasSubstr("--duet: needs --order interleaved"));
  EXPECT_THAT(refusal({"--resume"}), HasSubstr("--resume: needs --output"));
  EXPECT_THAT(refusal({"--output"}), HasSubstr("--output"));
  EXPECT_THAT(refusal({"--config", "/no/such/file"}), HasSubstr("/no/such/file"));
}

TEST(Options, NotesAndDuets) {
  const Options options =
      options_of({"--note", "launch=0", "--note=build=x y", "--output", "f", "--duet", "A@/tmp/s"});
  ASSERT_EQ(options.notes.size(), 2U);
  EXPECT_EQ(options.notes[1].key, "build");
  EXPECT_EQ(options.notes[1].value, "x y");
  EXPECT_EQ(options.duet->path, "/tmp/s");
}

TEST(Options, AllgatherHasNoDistributions) {
  const auto parsed = parse({"--distributions", "spike"}, collectives::allgather);
  EXPECT_EQ(std::get<Ending>(parsed).exit_code, 2);
}

TEST(Options, HelpAndVersionEndWell) {
  EXPECT_EQ(std::get<Ending>(parse({"--help"})).exit_code, 0);
  EXPECT_THAT(std::get<Ending>(parse({"--version"})).text, HasSubstr("allgatherv_bench 0."));
}

}  // namespace
}  // namespace gatherbench::bench
