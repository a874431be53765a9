// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "algorithms/cost/models.h"
#include "formats/text/input_error.h"

namespace gatherbench::cost {
namespace {

TEST(Hockney, IsReadAsItIsWritten) {
  const std::string text = text_of({.alpha = 1.5e-6, .beta = 2.25e-10, .tau = 3e-8});
  EXPECT_EQ(text, "hockney:alpha=1.5e-06,beta=2.25e-10,tau=3e-08");
  const Hockney model =
      parse_hockney("--model", std::string_view(text).substr(hockney_prefix.size()));
  EXPECT_EQ(model.alpha, 1.5e-6);
  EXPECT_EQ(model.beta, 2.25e-10);
  EXPECT_EQ(model.tau, 3e-8);
}

TEST(Hockney, TauMayBeMissing) {
  EXPECT_EQ(parse_hockney("--model", "alpha=1,beta=2").tau, 0);
  EXPECT_THROW(parse_hockney("--model", "alpha=1"), text::InputError);
}

}  // namespace
}  // namespace gatherbench::cost
