// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/contention_model.h"

#include <array>

#include "algorithms/cost/model_parameters.h"

namespace gatherbench::cost {
namespace {

constexpr std::array parameters{
    ModelParameter<ContentionModel>{"alpha", "SECONDS", &ContentionModel::alpha},
    ModelParameter<ContentionModel>{"bandwidth", "BYTES_A_SECOND", &ContentionModel::bandwidth},
    ModelParameter<ContentionModel>{"further", "SHARE", &ContentionModel::further, true},
};
// Bytes over it are a finite number.
constexpr double smallest_bandwidth = 1e-100;

}  // namespace

ContentionModel parse_contention(std::string_view option, std::string_view text) {
  const auto model = parse_model<ContentionModel>(option, "contention", parameters, text,
                                                  "alpha=1e-6,bandwidth=1e9");
  if (model.bandwidth < smallest_bandwidth) {
    throw text::bad_value(
        fmt::format("{} contention", option), text,
        fmt::format("has too small a bandwidth: the smallest is {:g}", smallest_bandwidth));
  }
  return model;
}

}  // namespace gatherbench::cost
