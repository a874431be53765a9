// SPDX-License-Identifier: BSD-3-Clause
#include "distributions/arrivals/prediction.h"

#include <algorithm>
#include <random>

#include "formats/text/input_error.h"

namespace gatherbench::arrivals {
namespace {

constexpr std::string_view noise_prefix = "noise:";

}  // namespace

Prediction parse_prediction(std::string_view option, std::string_view text) {
  Prediction prediction{.label = std::string(text)};
  if (text.starts_with(noise_prefix) && text != text::name_in(predictor_names, Predictor::noise)) {
    prediction.from = Predictor::noise;
    prediction.sigma = parse_arrival_time(option, text.substr(noise_prefix.size()));
    return prediction;
  }
  prediction.from = text::parse_named(option, predictor_names, text);
  if (prediction.from == Predictor::noise) {
    throw text::bad_value(option, text,
                          "says no error; legal: noise:0.3t, noise:200us and the like");
  }
  return prediction;
}

std::vector<double> predicted_us(const Prediction& prediction, std::span<const double> arrival_us,
                                 std::uint64_t seed, std::uint64_t iteration, double message_us) {
  std::vector<double> us(arrival_us.begin(), arrival_us.end());
  // The last word keeps these draws apart from what else the seed is for.
  std::seed_seq words{low_half(seed), high_half(seed), low_half(iteration), high_half(iteration),
                      std::uint32_t{0x9ed1c7}};
  std::mt19937_64 random(words);
  const double sigma_us = prediction.sigma.us(message_us);
  switch (prediction.from) {
    case Predictor::edge:
    case Predictor::sma:
    case Predictor::perfect:
      break;
    case Predictor::shuffled:
      std::ranges::shuffle(us, random);
      break;
    case Predictor::reversed: {
      const auto [first, last] = std::ranges::minmax(arrival_us);
      for (double& one : us) one = first + last - one;
      break;
    }
    case Predictor::noise: {
      // The draws do not depend on sigma, so that twice the sigma makes twice the noise.
      std::normal_distribution<double> error(0, 1);
      for (double& one : us) one += sigma_us * error(random);
      break;
    }
  }
  return us;
}

}  // namespace gatherbench::arrivals
