// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "algorithms/registry.h"
#include "bench/options/option_groups.h"
#include "bench/options/parsers.h"
#include "bench/options/values/words.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

double parse_duration_or_0(std::string_view option, const std::string& text) {
  return text == "0" ? 0 : text::parse_duration(option, text);
}

bool some_predict(const collectives::Collective& collective) {
  return std::ranges::any_of(
      algorithms::algorithms_of(&collective),
      [](const algorithms::Algorithm* one) { return one->is<algorithms::ByArrivals>(); });
}

void add_prediction(text::OptionTable& table, Options& options) {
  table
      .add_with_default(
          "--prediction", alternatives(arrivals::predictor_names), options.prediction.label,
          "Where algorithms that predict arrivals have them from: edge (each rank extrapolates "
          "at half of its computation), sma (the mean of its last 5 computations), perfect (what "
          "--arrival asks for), or that made wrong: wrong:shuffled, wrong:reversed, noise:SIGMA "
          "(200us, 0.3t). All but edge predict when the computation begins",
          into(options.prediction, arrivals::parse_prediction))
      .not_with("--replay", "algorithms that predict arrivals are not replayed")
      .word_not_with("edge", "--charge-schedule",
                     "its schedule is made as soon as the last rank has predicted",
                     "sma, perfect, wrong:shuffled, wrong:reversed, noise:SIGMA");
}

}  // namespace

void add_arrival_options(text::OptionTable& table, Options& options) {
  table
      .add_with_default(
          "--arrival", "LIST", options.arrivals,
          "When ranks arrive, relative to the first: delayed:rank=3,delay=5ms, uniform:max=4t, "
          "trace:FILE and others that --list shows; times in us, ms, s, or t (the time of one "
          "block's message). With any pattern, none is measured too, for comparison",
          into(options.arrivals, parse_later))
      .not_with("--replay", "the trace has the arrivals");
  if (some_predict(*options.collective)) add_prediction(table, options);
  table
      .add("--compute", "TIME",
           "Compute for this time before each rank's delay; algorithms that predict arrivals "
           "watch it [100ms with such algorithms, else 0]",
           into(options.compute, parse_duration_or_0))
      .not_with("--replay", "the trace has what ranks do between the calls");
  const text::Option wait =
      table
          .add("--wait", alternatives(wait_names),
               "Spin or sleep during --compute and delays, or work: --compute is then as much "
               "arithmetic as takes that time on an undisturbed rank 0 [busy, or sleep where "
               "ranks share processors]",
               into(options.wait, word(wait_names)))
          .word_not_with("work", "--replay", "it has another time to pass between any two calls",
                         "busy, sleep");
  if (mpi::rank_model().one_process) {
    wait.refused("work", "takes a processor's time, and a simulation has none", "busy, sleep");
  }
}

void describe_arrivals(const Options& options, Keys& keys) {
  keys.emplace_back("arrivals", options.arrivals);
  keys.emplace_back("prediction", options.prediction.label);
}

}  // namespace gatherbench::bench
