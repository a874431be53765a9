// SPDX-License-Identifier: BSD-3-Clause
#include "distributions/arrivals/prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "formats/text/input_error.h"
#include "tests/message_of.h"

namespace gatherbench::arrivals {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<double> predicted(std::string_view text, const std::vector<double>& arrivals,
                              std::uint64_t seed = 1, std::uint64_t iteration = 0) {
  return predicted_us(parse_prediction("--prediction", text), arrivals, seed, iteration, 100);
}

TEST(Prediction, RightAndWrongOnes) {
  const std::vector<double> arrivals{5, 0, 20, 1};
  EXPECT_EQ(predicted("perfect", arrivals), arrivals);
  EXPECT_THAT(predicted("wrong:reversed", arrivals), ElementsAre(15, 20, 0, 19));
  bool differs = false;
  for (std::uint64_t iteration = 0; iteration < 8; ++iteration) {
    const std::vector<double> shuffled = predicted("wrong:shuffled", arrivals, 1, iteration);
    EXPECT_TRUE(std::ranges::is_permutation(shuffled, arrivals));
    EXPECT_EQ(shuffled, predicted("wrong:shuffled", arrivals, 1, iteration));
    differs = differs || shuffled != predicted("wrong:shuffled", arrivals, 2, iteration);
  }
  EXPECT_TRUE(differs);
}

TEST(Prediction, NoiseHasTheErrorThatIsAskedFor) {
  const std::vector<double> arrivals(4000, 7.0);
  const std::vector<double> noisy = predicted("noise:0.3t", arrivals);
  double sum = 0;
  double squares = 0;
  for (const double one : noisy) {
    sum += one - 7;
    squares += (one - 7) * (one - 7);
  }
  EXPECT_NEAR(sum / 4000, 0, 3);  // the mean of 4000 has a standard error of 0.5
  EXPECT_NEAR(std::sqrt(squares / 4000), 30, 3);
  // Twice the error is twice that of each, and another iteration has others.
  const std::vector<double> twice = predicted("noise:60us", arrivals);
  EXPECT_NEAR(twice[17] - 7, 2 * (noisy[17] - 7), 1e-9);
  EXPECT_NE(predicted("noise:0.3t", arrivals, 1, 1), noisy);
  EXPECT_EQ(predicted("noise:0", arrivals), arrivals);
}

TEST(Prediction, WhatItNeeds) {
  EXPECT_TRUE(parse_prediction("", "noise:1t").needs_message_time());
  EXPECT_FALSE(parse_prediction("", "noise:1ms").needs_message_time());
  for (const auto& [name, from] : predictor_names) {
    const std::string text = from == Predictor::noise ? "noise:1us" : std::string(name);
    const Prediction prediction = parse_prediction("", text);
    EXPECT_EQ(prediction.from, from);
    EXPECT_EQ(prediction.label, text);
    EXPECT_EQ(prediction.is_of_pattern(), from != Predictor::edge && from != Predictor::sma);
  }
  EXPECT_EQ(Prediction().label, "edge");
}

TEST(Prediction, Refusals) {
  const auto refusal = [](std::string_view text) {
    return message_of([&] { parse_prediction("--prediction", text); });
  };
  constexpr const char* legal = "edge, sma, perfect, wrong:shuffled, wrong:reversed, noise:SIGMA";
  EXPECT_THAT(refusal("perfet"), HasSubstr("'perfet'"));
  EXPECT_THAT(refusal("perfet"), HasSubstr(legal));
  EXPECT_THAT(refusal("wrong"), HasSubstr(legal));
  EXPECT_THAT(refusal(""), HasSubstr(legal));
  EXPECT_THAT(refusal("noise"), HasSubstr(legal));
  EXPECT_THAT(refusal("noise:SIGMA"), HasSubstr("noise:0.3t"));
  EXPECT_THAT(refusal("noise:3"), HasSubstr("has no unit"));
  EXPECT_THAT(refusal("noise:-1us"), HasSubstr("--prediction: '-1us'"));
  EXPECT_THAT(refusal("noise:1h"), HasSubstr("none of us, ms, s, t"));
}

}  // namespace
}  // namespace gatherbench::arrivals
