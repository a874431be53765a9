// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "distributions/arrivals/arrival_pattern.h"
#include "formats/text/named.h"

// The sources of predictions for algorithms that predict arrivals: they tell a bad algorithm from a
// bad prediction.
namespace gatherbench::arrivals {

enum class Predictor : std::uint8_t {
  edge,      ///< each rank extrapolates its progress at half of its computation (Proficz 2021)
  sma,       ///< each rank takes the mean of its last computations (Marendic et al. 2016)
  perfect,   ///< the arrivals that the pattern asks for
  shuffled,  ///< those, dealt out to the ranks at random
  reversed,  ///< the first rank is predicted where the last one is, and so on
  noise,     ///< those, each with a normally distributed error
};

/// The error of `noise` is given as `noise:SIGMA`.
inline constexpr std::array predictor_names{
    text::Named<Predictor>{"edge", Predictor::edge},
    text::Named<Predictor>{"sma", Predictor::sma},
    text::Named<Predictor>{"perfect", Predictor::perfect},
    text::Named<Predictor>{"wrong:shuffled", Predictor::shuffled},
    text::Named<Predictor>{"wrong:reversed", Predictor::reversed},
    text::Named<Predictor>{"noise:SIGMA", Predictor::noise}};

struct Prediction {
  Predictor from = Predictor::edge;
  ArrivalTime sigma = {};      ///< of `noise`
  std::string label = "edge";  ///< as the user spells it

  /// Returns whether the prediction follows from what the arrival pattern asks for, not from what a
  /// rank sees of itself.
  [[nodiscard]] bool is_of_pattern() const {
    return from != Predictor::edge && from != Predictor::sma;
  }
  [[nodiscard]] bool needs_message_time() const { return sigma.messages; }
};

/// Parses one of these names. Throws InputError that names `option`.
Prediction parse_prediction(std::string_view option, std::string_view text);

/// Returns the predicted arrivals of all ranks in an iteration in which they arrive at
/// `arrival_us`, in microseconds; with noise a prediction may be negative. The result is the same
/// for the same seed and iteration. `message_us` is what `t` stands for. The prediction is one that
/// is made from the pattern.
std::vector<double> predicted_us(const Prediction& prediction, std::span<const double> arrival_us,
                                 std::uint64_t seed, std::uint64_t iteration, double message_us);

}  // namespace gatherbench::arrivals
