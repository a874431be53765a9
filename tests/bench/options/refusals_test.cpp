// SPDX-License-Identifier: BSD-3-Clause
//
// What the command line of a benchmark alone is refused for. test_bad_options.py in
// tests/program/options/ launches a few of these, and what is found later.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "formats/text/parse.h"
#include "tests/bench/options/parse_words.h"

namespace gatherbench::bench {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Refusal {
  const collectives::Collective& of;
  std::string arguments;  ///< with one blank between two; what ends with one has an empty word
  std::vector<std::string> parts;  ///< of the message
};

void expect_refused(std::initializer_list<Refusal> refusals) {
  for (const auto& [of, arguments, parts] : refusals) {
    SCOPED_TRACE(testing::Message() << of.executable << " " << arguments);
    std::vector<std::string> words;
    for (const std::string_view word : text::split(arguments, ' ')) words.emplace_back(word);
    const auto parsed = parse_words(of, std::move(words));
    const auto* const ending = std::get_if<Ending>(&parsed);
    if (ending == nullptr) {
      ADD_FAILURE() << "accepted";
      continue;
    }
    EXPECT_EQ(ending->exit_code, 2);
    EXPECT_THAT(ending->text, StartsWith(std::string(of.executable) + ": "));
    EXPECT_EQ(std::ranges::count(ending->text, '\n'), 1) << ending->text;
    EXPECT_TRUE(ending->text.ends_with('\n')) << ending->text;
    for (const std::string& part : parts) EXPECT_THAT(ending->text, HasSubstr(part));
  }
}

const collectives::Collective& gather = collectives::allgather;
const collectives::Collective& gatherv = collectives::allgatherv;
const collectives::Collective& bcast = collectives::bcast;
const collectives::Collective& reduce = collectives::reduce;

TEST(Refusals, OfSizes) {
  expect_refused({
      {gather, "--sizes 0", {"--sizes: '0' is 0"}},
      {gather, "--sizes 1K,0", {"--sizes: '0' is 0"}},
      {gather, "--sizes -1", {"--sizes: '-1' is negative"}},
      {gather, "--sizes abc", {"--sizes: 'abc' is not a size"}},
      {gather, "--sizes 1.5", {"--sizes: '1.5' is not a size"}},
      {gather, "--sizes 1K,", {"--sizes: '' is not a size"}},
      {gather, "--sizes 1K,1K", {"--sizes: '1K'", "twice"}},
      {gather, "--sizes 1K,1024", {"--sizes: '1024'", "twice"}},
      {gather, "--sizes 99999999999999999999", {"--sizes: '99999999999999999999'", "2^63"}},
      {gather, "--sizes 16E", {"--sizes: '16E' is not a size"}},
      {gather, "--sizes 9999999T", {"--sizes: '9999999T'", "2^63"}},
      {gather, "-m 4:2", {"--message-size: '4:2' is reversed"}},
      {gather, "-m 0:2", {"--message-size: '0' is 0"}},
      {gather, "-m 1:2:3", {"--message-size: '1:2:3'", "[MIN:]MAX"}},
      {gather, "-m 2M:", {"--message-size: '2M:' is reversed"}},
      {gather, "-m 1:x", {"--message-size: 'x' is not a size"}},
      {gather, "-m 8 --sizes 8", {"--sizes: does not go with --message-size: "}},
      {gather, "-m 2 -T int", {"--message-size: '2' is less than MIN, which is 4"}},
      {gather, "-m 6: -T int", {"--message-size: '6' is no whole number of elements"}},
      {reduce, "-m 4", {"--message-size: '4' is less than MIN, which is 8 if it is not given"}},
      {gather, "--datatype int --sizes 6", {"--sizes: '6' is no whole number of elements"}},
      {reduce, "--sizes 8,6", {"--sizes: '6' is no whole number of elements; legal: multiples of"}},
  });
}

TEST(Refusals, OfNumbers) {
  expect_refused({
      {gather, "-i 0", {"--iterations: '0' is not between 1 and"}},
      {gather, "-i -5", {"--iterations: '-5' is not between 1 and"}},
      {gather, "-i 1e3", {"--iterations: '1e3' is not a whole number"}},
      {gather, "-i 99999999999999999999", {"--iterations: '99999999999999999999'"}},
      {gather, "-x -1", {"--warmup: '-1' is not between 0 and"}},
      {gather, "-z 0", {"--tail-lat: '0' is not between 0 and 100"}},
      {gather, "-z 50,100", {"--tail-lat: '100' is not between 0 and 100"}},
      {gather, "-z 50,x", {"--tail-lat: 'x' is not a number"}},
      // CLI11 alone would take it for -i with "nf".
      {gather, "-z -inf", {"--tail-lat: '-inf' is not a number"}},
      {gather, "-z -inf -f", {"--tail-lat: '-inf' is not a number"}},
      {gather, "--tail-lat -inf", {"--tail-lat: '-inf' is not a number"}},
      {gather, "-z 10,20,30,40,50,60", {"--tail-lat: '10,20,30,40,50,60' has more than 5 parts"}},
      {gather, "--precision 0", {"--precision: '0'"}},
      {gather, "--precision 150%", {"--precision: '150%'", "100%"}},
      {gather, "--precision nan", {"--precision: 'nan' is not a number"}},
      {gather, "--max-time 0", {"--max-time: '0' is 0"}},
      {gather, "--max-time 0s", {"--max-time: '0s' is 0"}},
      {gather, "--max-time -1s", {"--max-time: '-1s' is negative"}},
      {gather, "--max-time 3parsec", {"--max-time: '3parsec'", "ms, s, m, h"}},
      {gather,
       "--max-time 5",
       {"--max-time: '5' has no unit of time; legal: 5us, 5ms, 5s, 5m, 5h"}},
      {gather, "--compute 5", {"--compute: '5' has no unit of time"}},
      {gather, "--timeout 0s", {"--timeout: '0s' is 0"}},
      {gather, "--timeout soon", {"--timeout: 'soon'"}},
      {gather, "--compute -1ms", {"--compute: '-1ms' is negative"}},
      {gather, "--seed -1", {"--seed: '-1' is not between 0 and"}},
      {gather, "--mem-limit 0", {"--mem-limit: '0' is 0"}},
      {gather, "-M none", {"--mem-limit: 'none' is not a size"}},
      {gather, "--ranks-per-node 0", {"--ranks-per-node: '0' is not between 1 and"}},
      {gather, "--ranks-per-node -2", {"--ranks-per-node: '-2' is not between 1 and"}},
      {gatherv, "--ranks-per-node two", {"--ranks-per-node: 'two' is not a whole number"}},
      {gather, "--overlap -1", {"--overlap: '-1' is not between 0 and"}},
      {gather, "--buffer-offset 4096", {"--buffer-offset: '4096' is no place", "0 to 4095"}},
      {gather, "--buffer-offset 0,4096", {"--buffer-offset: '0,4096' is no place"}},
      {gather, "--buffer-offset 1,2,3", {"--buffer-offset: '1,2,3' is no place", "SEND,RECEIVE"}},
      {bcast, "--root -1", {"--root: '-1' is not between 0 and"}},
      {reduce, "--gamma 1", {"--gamma: '1' is too large; legal: seconds, up to 0.001"}},
  });
}

TEST(Refusals, OfNames) {
  expect_refused({
      {gather, "--order interleave", {"--order", "mean 'interleaved", "sequential"}},
      {gather, "--order interleaved:0", {"--order: '0' is not between 1 and"}},
      {gather, "--order interleaved:x", {"--order", "'x'"}},
      {gather, "--order sequential:2", {"--order", "takes no calls", "interleaved:CALLS"}},
      {gather, "--size-order shufled", {"--size-order", "mean 'shuffled'", "legal: given, "}},
      {gather, "--mapping cylic", {"--mapping", "mean 'cyclic'", "sequential, cyclic"}},
      {gather, "--launched-mapping round-robin", {"--launched-mapping", "sequential, cyclic"}},
      {gather,
       "--noncontiguous pack",
       {"--noncontiguous: 'pack'", "mean 'packed'", "legal: pipelined, packed, datatype"}},
      {gather, "--buffers frsh", {"--buffers", "mean 'fresh'", "same, fresh, rotate:BYTES, cold"}},
      {gather, "--buffers rotate", {"--buffers: 'rotate'", "how many bytes", "rotate:BYTES"}},
      {gatherv, "--buffers same:1K", {"--buffers: 'same:1K' takes no bytes"}},
      {gather, "--buffers cold:-1", {"--buffers: '-1' is negative"}},
      {gather, "--pages large", {"--pages: 'large'"}},
      {gather,
       "--buffers-in windw",
       {"--buffers-in", "mean 'window'", "legal: private, window, cuda, cuda-managed, hip"}},
      {gather, "--table osu2", {"--table", "mean 'osu'", "legal: osu, side-by-side"}},
      {gather, "--wait slep", {"--wait", "mean 'sleep'", "legal: busy, sleep, work"}},
      {gather,
       "--sync barier",
       {"--sync", "mean 'barrier'", "legal: barrier, double-barrier, dissemination, window, none"}},
      {gather, "--groups odd", {"--groups: 'odd'", "legal: mod:N|div:N|node|file:PATH"}},
      {gather, "--datatype real", {"--datatype: 'real'"}},
      {gather, "--datatype vector:8:4", {"--datatype: 'vector:8:4'", "legal: from BLOCK, 8"}},
      {gatherv, "--displacements sparse", {"--displacements: 'sparse'"}},
      {gatherv, "--displacements gaps:0", {"--displacements: '0' is 0"}},
      {gatherv, "--displacements gaps:2G", {"--displacements", "legal: up to 1G"}},
      {reduce, "--op summ", {"--op: 'summ' is no operator", "mean 'sum'?); legal: sum, prod"}},
      {reduce, "--type real", {"--type: 'real' is no type; legal: char, int, long, float, double"}},
      {gather, "--record rank", {"--record: 'rank'", "mean 'ranks'"}},
      {gather, "--record all --output f", {"--record: 'all'", "legal: ranks, steps, counters"}},
      {gather, "--record step --output f", {"--record: 'step'", "mean 'steps'"}},
      {gather, "--record ranks,step --output f", {"legal: ranks, steps, counters"}},
      {gather, "--algorithms bdr --prediction perfet", {"--prediction", "mean 'perfect'", "edge"}},
      {gatherv, "--algorithms bdr --prediction noise", {"--prediction", "noise:SIGMA"}},
      {gather, "--algorithms bdr --prediction noise:3", {"--prediction: '3' has no unit"}},
      {gather, "--replay t --replay-gaps some", {"--replay-gaps: 'some'"}},
      {gather, "--replay t --replay-calls 0", {"--replay-calls: '0' is not between 1 and"}},
      {gather, "--duet A", {"--duet: 'A' has no @", "NAME@HOST:PORT"}},
      {gather, "--note launch --output f", {"--note: 'launch' has no '='", "KEY=VALUE"}},
      {gather, "--note a=1 --note a=2 --output f", {"--note: 'a' is given twice"}},
  });
}

TEST(Refusals, OfAlgorithms) {
  expect_refused({
      {gather,
       "--algorithms ringg",
       {"--algorithms: 'ringg'", "mean 'ring'?); legal: the ",
        " of allgather_bench --list and --help"}},
      {gather,
       "--algorithms xyzzy",
       {"--algorithms: 'xyzzy' is no algorithm", "; legal: loch2021, "}},
      {gatherv, "--algorithms sparbut", {"--algorithms: 'sparbut'", "mean 'sparbit'"}},
      {gather, "--algorithms ring,xyzzyxyzzy", {"--algorithms: 'xyzzyxyzzy'", "legal: loch2021, "}},
      {gather, "--algorithms ,", {"--algorithms: '' is no algorithm", "legal: loch2021, "}},
      {collectives::alltoall,
       "--algorithms sparbit",
       {"--algorithms: 'sparbit' is no algorithm of alltoall", "topology_phases_sender"}},
      {bcast, "--algorithms ring", {"--algorithms: 'ring' is no algorithm of bcast"}},
      {gather, "--algorithms native:", {"--algorithms: 'native:'"}},
      {gather, "--algorithms native_persistent:ring", {"--algorithms: 'native_persistent:ring'"}},
      // Parameters; tests/program/options/test_parameters.py has all that one algorithm has.
      {gather, "--algorithms ring:k=2", {"--algorithms: 'ring:k=2'", "ring takes none"}},
      {gather, "--algorithms bruck:k=3,2", {"--algorithms: '2' is no algorithm"}},
      {gather,
       "--algorithms ring,bruck:k=3,bruck:k=0,sparbit",
       {"--algorithms bruck:k: '0' is not between 2 and"}},
      // How their messages are formed.
      {gather, "--algorithms sparbit:batch=0", {"--algorithms", "sparbit:batch=0", "1"}},
      {gather, "--algorithms sparbit:batch=2:batch=3", {"--algorithms", "gives batch twice"}},
      {gather, "--algorithms gather_bcast:batch=x", {"--algorithms", "'x'"}},
      {gather,
       "--algorithms sparbit:noncontiguous=zip",
       {"--algorithms", "'zip'", "pipelined, packed, datatype"}},
      {gather,
       "--algorithms sparbit:noncontiguous=pipelined:batch=2",
       {"--algorithms", "contradicts itself"}},
      {gather,
       "--algorithms ring:via=windw",
       {"--algorithms ring:via=windw: 'windw'", "mean 'window'", "legal: messages, window"}},
      {gather,
       "--algorithms ring:via=window:via=messages",
       {"--algorithms: 'ring:via=window:via=messages' gives via twice"}},
      {gather,
       "--algorithms native,ring:stage=disk",
       {"--algorithms ring:stage=disk: 'disk' is no value", "legal: host"}},
      {gather, "--algorithms native:stage=", {"--algorithms native:stage=: ''", "legal: host"}},
      {gather,
       "--algorithms ring:stage=host:via=messages:stage=host",
       {"--algorithms ring:stage=host:via=messages:stage=host: 'stage=host' is given twice",
        "legal: once"}},
      {gather,
       "--algorithms ring:pieces=4",
       {"--algorithms ring:pieces=4: 'pieces=4' is about copies", "legal: with stage=host"}},
      {gather,
       "--algorithms ring:stage=host:pieces=1",
       {"--algorithms ring:stage=host:pieces=1: '1'", "between 2 and 1024"}},
      {gather,
       "--algorithms ring:pieces=2:stage=host:pieces=3",
       {"--algorithms ring:pieces=2:stage=host:pieces=3: 'pieces=3' is given twice",
        "legal: once"}},
      {gather,
       "--algorithms native_persistent,library_gather_bcast:via=window",
       {"--algorithms: 'library_gather_bcast:via=window'", "calls into the MPI library"}},
      {gather,
       "--algorithms library_gather_bcast:batch=2",
       {"--algorithms", "calls into the MPI library"}},
      {reduce,
       "--algorithms local_redirect:batch=2",
       {"--algorithms: 'local_redirect:batch=2' has whole vectors as its messages"}},
      {gather,
       "--algorithms adaptive:",
       {"--algorithms", "names no policy; legal: adaptive, adaptive:policy=POLICY"}},
      {gather, "--algorithms adaptive:policy=", {"--algorithms", "names no policy"}},
      {gather, "--algorithms adaptive:k=2", {"--algorithms", "names no policy"}},
  });
}

TEST(Refusals, OfWhatIsNoOption) {
  expect_refused({
      {gather, "--sizess 1", {"'--sizess'", "mean '--sizes'?", "legal: the options that --help"}},
      {gather, "stray", {"'stray' is no option; legal: --message-size, --sizes, --algorithms, "}},
      {gather, "--algoritms=ring", {"'--algoritms'", "mean '--algorithms'?"}},
      {gather, "stray", {"'stray' is no option; legal"}},
      {gather, "-q", {"'-q' is no option; legal: --message-size, --sizes, "}},
      {gather, "-q", {"--help, --config, -m, -l, -T, -i, -x, -M, "}},
      {gather, "--note a=1 b=1 --output f", {"'b' is no option"}},
      {gather, "--sizess\r=1", {"'--sizess\\r'"}},
      // Of other collectives.
      {gather,
       "--distributions spike",
       {"'--distributions' is no option of allgather_bench, but an option of allgatherv_bench; "
        "legal: the options that --help lists"}},
      {gather, "--distribution=spike", {"did you mean '--distributions' of allgatherv_bench?)"}},
      {gather, "--itertions 5", {"did you mean '--iterations'?); legal: the options that --help"}},
      {gather, "--displacements permuted", {"'--displacements' is no option"}},
      {gather, "--root 1", {"'--root' is no option", "an option of bcast_bench, reduce_bench;"}},
      {bcast, "--in-place", {"'--in-place' is no option"}},
      {bcast, "--datatype int", {"'--datatype' is no option"}},
      {collectives::alltoall, "--replay t", {"'--replay' is no option"}},
  });
}

// What the OSU benchmarks have and this suite spells otherwise.
TEST(Refusals, OfOptionsOfTheOsuBenchmarksSayWhatToWriteHere) {
  expect_refused({
      {gather, "-u 5", {"command line: '-u' is OSU's number of warm-up", "legal: --warmup N"}},
      {gather, "-u5", {"command line: '-u' is OSU's number of warm-up"}},
      {gather, "--validation-warmup=5", {"'--validation-warmup' is OSU's", "--warmup N"}},
      {gather, "-d cuda", {"'-d' is OSU's option for buffers in the memory of a device"}},
      {gather, "--accelerator rocm", {"'--accelerator' is OSU's", "legal: --buffers-in cuda"}},
      {gather, "-D vect:8:4", {"'-D' is OSU's option", "legal: --datatype vector:BLOCK:STRIDE"}},
      {bcast, "-D cont", {"'-D' is OSU's option", "legal: without it, or allgather_bench"}},
      {gather, "-P PAPI_L2_TCM:f", {"'-P' is OSU's", "--record counters"}},
      {gather, "-I", {"'-I' is OSU's option to begin MPI by a session"}},
      {gather, "-G png", {"'-G' is OSU's plot", "agreport page FILE"}},
      {gather, "-t 10", {"'-t' is OSU's number of MPI_Test calls", "--overlap TESTS"}},
      {bcast, "-k rotate", {"'-k' is OSU's option for the root", "--root R"}},
      {bcast, "-T mpi_int", {"'-T' is OSU's type of the buffers; here they are of MPI_CHAR"}},
      {gather, "-T all", {"--datatype: 'all' is no datatype; legal: byte, int, float, double"}},
      {reduce, "-T all", {"--type: 'all' is no type; legal: char, int"}},
  });
}

TEST(Refusals, OfValuesThatAreNotThere) {
  expect_refused({
      {gather, "--sizes", {"--sizes: its value is missing; legal: --sizes LIST"}},
      {gather, "--topology", {"--topology: its value is missing"}},
      {gather, "--output", {"--output: its value is missing"}},
      {gather, "--output= --resume", {"--output: '' is no value"}},
      {gather, "--topology ", {"--topology: '' is no file name"}},
      {gather, "--config nosuch.ini", {"--config: nosuch.ini was not readable"}},
      {gather, "--config /", {"--config: / was not readable"}},
  });
  for (const char* const name : {"x.csv.zst", "x.csv.lz4", "x.csv.GZ", "x.gz", "x.zip"}) {
    expect_refused({{gather, fmt::format("--output {}", name), {"--output: '", "; legal: .csv"}}});
  }
}

TEST(Refusals, QuoteWhatWouldEndTheirLine) {
  expect_refused({
      {gather, "--sizes a\nb", {"--sizes: 'a\\nb' is not a size"}},
      {gather, "--note a\nb --output f", {"--note: 'a\\nb'"}},
  });
}

// They stand in lines of the result file.
TEST(Refusals, OfNamesOfFilesThatWouldEndALine) {
  for (const auto& [letter, shown] : {std::pair("\n", "\\n"), std::pair("\x1b", "\\x1b")}) {
    expect_refused({{gatherv,
                     fmt::format("--algorithms file:{}/b.json", letter),
                     {fmt::format("--algorithms: 'file:{}/b.json' has a line break or another "
                                  "control character; legal: ",
                                  shown)}}});
  }
}

TEST(Refusals, OfWhatContradictsItself) {
  expect_refused({
      {gather, "--progress --no-progress", {"--no-progress: does not go with --progress"}},
      {gather, "-c --check-up-to 8", {"--check-up-to: does not go with --validation: "}},
      {gather, "--table side-by-side -f", {"--table: 'side-by-side'"}},
      {gather, "--table side-by-side -c", {"--table: 'side-by-side'"}},
      {gather, "--table side-by-side -z", {"--table: 'side-by-side'"}},
      {gather, "--table side-by-side --std-dev", {"--table: 'side-by-side'"}},
      {gather, "--mapping cyclic --launched-mapping cyclic", {"--launched-mapping: ", "--mapping"}},
      {gather, "--measure-model --mapping cyclic", {"--measure-model: ", "--mapping", "legal: "}},
      {gather, "--measure-model --duet A@/tmp/s", {"--measure-model: ", "--duet", "legal: "}},
      {gather, "--duet A@/s --max-time 1s", {"--duet: does not go with --max-time", "--iter"}},
      {gather, "--duet A@/s --precision 5%", {"--duet: does not go with --precision"}},
      {gather, "--duet A@/s --order sequential", {"--order: 'sequential' does not go with --duet"}},
      {gather, "--algorithms ring --prediction sma", {"--prediction: 'sma' has no effect"}},
      {gather, "--sync none --arrival uniform:max=1ms", {"--sync: 'none' does not go with --arr"}},
      {gather, "--sync window --beside allreduce:1K", {"--sync: 'window' does not go with --bes"}},
      {gather, "--sync none --congest 1:2:shift:1K", {"--sync: 'none' does not go with --cong"}},
      {gather,
       "--buffers-in window --pages small",
       {"--buffers-in: 'window' does not go with --pages", "legal: private"}},
      {gather,
       "--datatype double --sizes 64 --buffer-offset 4",
       {"--buffer-offset: '4' would cut elements in two"}},
      {gatherv,
       "--datatype vector:4:8 --sizes 64 --displacements gaps:4",
       {"--displacements: 'gaps:4' is no whole number of elements"}},
      {gather,
       "--datatype double --sizes 64 --buffer-offset 8,4",
       {"--buffer-offset: '8,4' would cut elements in two"}},
      {gather,
       "--buffers rotate:1M --buffer-offset 0,16",
       {"--buffer-offset: '0,16' places two buffers, and --buffers rotate has", "legal: BYTES"}},
      {gather,
       "--buffers rotate:1M --buffer-offset random",
       {"--buffer-offset: 'random' places two buffers", "legal: BYTES"}},
      {gather,
       "--in-place --buffer-offset 0,16",
       {"--buffer-offset: '0,16' places a send buffer too, and in place", "legal: BYTES"}},
      {bcast, "--buffer-offset 0,16", {"--buffer-offset: '0,16' places a send buffer too"}},
      {reduce,
       "--buffer-offset 2",
       {"--buffer-offset: '2'", "legal: multiples of the 4 bytes of int"}},
      {reduce, "--op bor --type float", {"--op: 'bor' is of integers, and --type is float"}},
      {reduce,
       "--prediction edge --charge-schedule --algorithms clairvoyant",
       {"--prediction: 'edge' does not go with --charge-schedule"}},
  });
}

TEST(Refusals, OfWhatCannotBeRecorded) {
  expect_refused({
      {gather, "--resume", {"--resume: needs --output FILE"}},
      {gather, "--note a=1", {"--note: needs --output FILE"}},
      {gather, "--record ranks", {"--record: needs --output FILE"}},
      {gather, "--record steps", {"--record: needs --output FILE"}},
      {gather, "--record counters", {"--record: needs --output FILE"}},
      {gather,
       "--record ranks,steps -o f --duet A@/s --groups mod:2",
       {"--record: 'steps' does not go with --groups: "}},
  });
  for (const std::string_view option : {"--groups=mod:2", "--beside=allreduce:8",
                                        "--congest=1:2:shift:1K", "--overlap=1", "--duet=A@/s"}) {
    const std::string_view name = option.substr(0, option.find('='));
    expect_refused({{gather,
                     fmt::format("--record steps,counters --output f {}", option),
                     {fmt::format("--record: 'counters' does not go with {}: ", name)}}});
    if (name == "--duet") continue;  // a turn has room for the calls with steps
    expect_refused({{gather,
                     fmt::format("--record steps --output f {}", option),
                     {fmt::format("--record: 'steps' does not go with {}: ", name)}}});
  }
}

TEST(Refusals, OfWhatATraceSays) {
  for (const std::string_view words :
       {"--sizes 8", "--message-size 8", "--size-order shuffled", "--distributions spike",
        "--check-up-to 8", "--arrival uniform:max=1ms", "--compute 1ms", "--prediction edge",
        "--displacements dense", "--mapping cyclic", "--groups mod:2", "--beside alltoall:8",
        "--overlap 2"}) {
    const std::string_view name = words.substr(0, words.find(' '));
    expect_refused(
        {{gatherv,
          fmt::format("--replay t {}", words),
          {fmt::format("{}: does not go with --replay: ", name), "legal: one of the two"}}});
  }
  expect_refused({
      {gather, "--replay t --datatype byte", {"--datatype: does not go with --replay"}},
      {gather, "--replay t -o o.csv --record steps", {"--record: 'steps' does not go with --re"}},
      {gather, "--replay t -o o.csv --record counters", {"--record: 'counters' does not go with"}},
      {gather, "--replay t --wait work", {"--wait: 'work' does not go with --replay"}},
      {gather, "--replay t --buffers cold", {"--buffers: 'cold' does not go with --replay"}},
      {gather, "--replay-gaps none", {"--replay-gaps: needs --replay DIR"}},
      {gather, "--replay-calls 3", {"--replay-calls: needs --replay DIR"}},
  });
}

/// Of a file of options with this text.
void expect_refused_file(std::string_view text, std::vector<std::string> parts) {
  const std::string path = testing::TempDir() + "options_" + std::to_string(getpid()) + ".ini";
  std::ofstream(path) << text;
  expect_refused({{gather, "--config " + path, std::move(parts)}});
  std::filesystem::remove(path);
}

TEST(Refusals, OfFilesOfOptions) {
  expect_refused_file("sizes=1\niteratons=5\n",
                      {"--config /", ".ini", "'iteratons'", "did you mean 'iterations'"});
  expect_refused_file("sizes=abc\n", {"--sizes: 'abc' is not a size"});
  expect_refused_file("distributions=spike\n",
                      {"'distributions' is no option of", "an option of allgatherv_bench"});
  expect_refused_file("distribution=spike\n",
                      {"did you mean 'distributions' of allgatherv_bench?)"});
}

}  // namespace
}  // namespace gatherbench::bench
