// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/hockney.h"

#include <fmt/format.h>

#include <array>

#include "algorithms/cost/model_parameters.h"

namespace gatherbench::cost {
namespace {

constexpr std::array parameters{
    ModelParameter<Hockney>{"alpha", "SECONDS", &Hockney::alpha, false},
    ModelParameter<Hockney>{"beta", "SECONDS_A_BYTE", &Hockney::beta, false},
    ModelParameter<Hockney>{"tau", "SECONDS", &Hockney::tau, true},
    ModelParameter<Hockney>{"gamma", "SECONDS_A_BYTE", &Hockney::gamma, true},
};

}  // namespace

std::string text_of(const Hockney& model) {
  std::string text(hockney_prefix);
  for (const ModelParameter<Hockney>& parameter : parameters) {
    if (parameter.member == &Hockney::gamma && model.gamma == 0) continue;
    text += fmt::format("{}{}={:.6g}", text.ends_with(':') ? "" : ",", parameter.name,
                        model.*parameter.member);
  }
  return text;
}

std::string hockney_forms() { return forms_of<Hockney>(parameters); }

Hockney parse_hockney(std::string_view option, std::string_view text) {
  return parse_model<Hockney>(option, "hockney", parameters, text, "alpha=1e-6,beta=1e-9");
}

}  // namespace gatherbench::cost
