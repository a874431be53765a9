// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "bench/model/measure_model.h"

namespace gatherbench::bench {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t sizes[] = {16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576};

/// What a machine has that is as the model says, but for a factor on the messages of one size.
std::vector<ExchangeTime> times_of(const cost::Hockney& model, std::int64_t odd_bytes = 0,
                                   double factor = 1) {
  std::vector<ExchangeTime> times;
  for (const std::int64_t bytes : sizes) {
    for (const int messages : {1, 16}) {
      const double seconds =
          model.alpha + static_cast<double>(bytes) * model.beta + (messages - 1) * model.tau;
      times.push_back({bytes, messages, bytes == odd_bytes ? factor * seconds : seconds});
    }
  }
  return times;
}

TEST(ModelFit, FindsWhatIsExact) {
  for (const double tau : {0.0, 2e-7, 5e-5}) {
    const ModelFit fit = fit_model(times_of({.alpha = 3e-6, .beta = 2e-10, .tau = tau}));
    ASSERT_TRUE(fit.model) << fit.remark;
    EXPECT_NEAR(fit.model->alpha, 3e-6, 1e-12);
    EXPECT_NEAR(fit.model->beta, 2e-10, 1e-16);
    EXPECT_NEAR(fit.model->tau, tau, 1e-12);
    EXPECT_THAT(fit.remark, HasSubstr("off by 0 % at most"));
  }
}

TEST(ModelFit, SmallMessagesCountAsMuchAsLargeOnes) {
  // The absolute error of the largest is a hundred times alpha.
  const ModelFit fit = fit_model(times_of({.alpha = 3e-6, .beta = 1e-9}, 1048576, 1.3));
  ASSERT_TRUE(fit.model);
  EXPECT_NEAR(fit.model->alpha, 3e-6, 0.1 * 3e-6);
  EXPECT_NEAR(fit.model->beta, 1e-9, 0.2 * 1e-9);
}

TEST(ModelFit, OneOddSizeDoesNotMoveTau) {
  const ModelFit fit = fit_model(times_of({.alpha = 3e-6, .beta = 2e-10, .tau = 2e-7}, 4096, 5));
  ASSERT_TRUE(fit.model);
  EXPECT_NEAR(fit.model->tau, 2e-7, 1e-12);
}

TEST(ModelFit, SaysWhereTheModelIsOff) {
  const ModelFit fit = fit_model(times_of({.alpha = 3e-6, .beta = 2e-10}, 4096, 3));
  EXPECT_THAT(fit.remark, HasSubstr("at 4096 bytes"));
}

TEST(ModelFit, TauIsNotNegativeAndSaysSo) {
  const ModelFit fit = fit_model(times_of({.alpha = 3e-6, .beta = 2e-10, .tau = -1e-8}));
  ASSERT_TRUE(fit.model);
  EXPECT_EQ(fit.model->tau, 0);
  EXPECT_THAT(fit.remark, HasSubstr("tau is 0"));
}

TEST(ModelFit, TimesThatFallHaveNone) {
  const ModelFit fit = fit_model(times_of({.alpha = 1e-3, .beta = -5e-10}));
  EXPECT_FALSE(fit.model);
  EXPECT_THAT(fit.remark, HasSubstr("none: "));
}

TEST(WindowFit, FindsWhatIsExact) {
  const auto time = [](std::int64_t bytes) {
    return ExchangeTime{bytes, 1, 2e-7 + static_cast<double>(bytes) / 8e9};
  };
  const WindowFit fit = fit_window(time(16), time(1 << 20));
  ASSERT_TRUE(fit.window) << fit.remark;
  EXPECT_NEAR(fit.window->alpha, 2e-7, 1e-15);
  EXPECT_NEAR(fit.window->bandwidth, 8e9, 1);
}

TEST(WindowFit, IsNoneWhereMoreBytesTakeNoLonger) {
  for (const double small : {1e-3, 2e-3}) {
    const WindowFit fit = fit_window({16, 1, small}, {1 << 20, 1, 1e-3});
    EXPECT_FALSE(fit.window);
    EXPECT_THAT(fit.remark, HasSubstr("none: 16 bytes took"));
  }
  EXPECT_FALSE(fit_window({16, 1, 1e-9}, {1 << 10, 1, 1e-3}).window);  // no alpha is left
}

}  // namespace
}  // namespace gatherbench::bench
