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

}  // namespace

std::string contention_forms() { return forms_of<ContentionModel>(parameters); }

ContentionModel parse_contention(std::string_view option, std::string_view text) {
  const ParametersWithMemory given = split_host_memory(option, text);
  auto model = parse_model<ContentionModel>(option, "contention", parameters, given.others,
                                            "alpha=1e-6,bandwidth=1e9");
  require_bandwidth(fmt::format("{} contention", option), text, model.bandwidth);
  model.memory = given.memory;
  return model;
}

}  // namespace gatherbench::cost
