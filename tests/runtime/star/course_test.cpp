// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/course.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gatherbench::star {
namespace {

using policies::Timing;
using Times = std::vector<std::int64_t>;

/// Writes down what it is told. Of a successor the name has another letter.
class Recorder final : public policies::Policy {
 public:
  Recorder(std::string name, std::string& heard) : name_(std::move(name)), heard_(heard) {}

  policies::CallPlan next(std::span<const std::int64_t> times_ns) override {
    heard_ += fmt::format("{} next({}); ", name_, fmt::join(times_ns, ","));
    return {{1, 7}};
  }
  void heed_gaps(std::span<const std::int64_t> gaps_ns) override {
    heard_ += fmt::format("{} gaps({}); ", name_, fmt::join(gaps_ns, ","));
  }
  void count_agreement(std::int64_t ns) override {
    heard_ += fmt::format("{} agreement({}); ", name_, ns);
  }
  [[nodiscard]] std::unique_ptr<policies::Policy> successor(std::int64_t unpaid_ns) const override {
    heard_ += fmt::format("{} successor({}); ", name_, unpaid_ns);
    return std::make_unique<Recorder>(name_ + "'", heard_);
  }
  [[nodiscard]] std::size_t leader() const override { return 0; }
  [[nodiscard]] std::vector<policies::Score> scores() const override { return {}; }
  [[nodiscard]] std::int64_t excess_ns() const override { return 0; }

 private:
  std::string name_;
  std::string& heard_;
};

selection::Agreed agreed_on(Times times_ns) {
  selection::Agreed agreed;
  agreed.times_ns = std::move(times_ns);
  return agreed;
}

/// One agreement, and what comes of it.
struct Step {
  policies::CallPlan done = {{0, 1, Timing::each}};
  std::optional<Times> times_ns = {};  ///< None: nothing was timed.
  bool all_know = false;
  bool with_gaps = false;
  bool may_copy = false;
  bool any_objects = false;
  std::string heard = {};  ///< What the policies are told, in its order.
  std::string why = {};
  bool goes_on = true;
};

struct Row {
  std::string name;
  Rules rules = {};
  std::vector<Step> steps;
};

constexpr std::int64_t too_short = 500;
constexpr std::int64_t for_copies = 5'000;
constexpr std::int64_t enough = 50'000;
const std::string passed_on = "; passed on: too short";
const std::string in_device = "; passed on: buffers in a device";
const std::string pays_first = "; short: pays first";
const std::string from_another = "; goes on from another communicator";

std::vector<Row> rows() {
  return {
      {.name = "calls that take long go on, and are not judged again",
       .steps = {{.times_ns = Times{enough}, .heard = "a next(50000); "},
                 {.times_ns = Times{too_short}, .heard = "a agreement(7); a next(500); "}}},
      {.name = "calls too short for anything are passed on",
       .steps =
           {{.times_ns = Times{too_short}, .may_copy = true, .why = passed_on, .goes_on = false}}},
      {.name = "short calls are passed on where nothing copies",
       .steps = {{.times_ns = Times{for_copies}, .why = passed_on, .goes_on = false}}},
      {.name = "short calls pay for copies once, and are judged each time",
       .steps = {{.times_ns = Times{for_copies},
                  .may_copy = true,
                  .heard = "a successor(1000000); a' next(); a' next(5000); ",
                  .why = pays_first},
                 {.times_ns = Times{for_copies},
                  .may_copy = true,
                  .heard = "a' agreement(7); a' next(5000); "},
                 {.times_ns = Times{too_short},
                  .may_copy = true,
                  .heard = "a' agreement(7); ",
                  .why = passed_on,
                  .goes_on = false}}},
      {.name = "the user's limit is below the call",
       .rules = {.least_ns = 100},
       .steps = {{.times_ns = Times{too_short}, .heard = "a next(500); "}}},
      {.name = "the user's limit is above the call, and leaves copies no chance",
       .rules = {.least_ns = 60'000},
       .steps =
           {{.times_ns = Times{enough}, .may_copy = true, .why = passed_on, .goes_on = false}}},
      {.name = "a policy that weighs no times goes on whatever they are",
       .rules = {.weighs_times = false},
       .steps = {{.times_ns = Times{too_short}, .heard = "a next(500); "}}},
      {.name = "all know what another communicator learnt",
       .steps = {{.times_ns = Times{enough},
                  .all_know = true,
                  .heard = "b successor(9); b' next(); b' next(50000); ",
                  .why = from_another},
                 {.times_ns = Times{enough}, .heard = "b' agreement(7); b' next(50000); "}}},
      {.name = "short calls go on from another communicator, and pay first",
       .steps = {{.times_ns = Times{for_copies},
                  .all_know = true,
                  .may_copy = true,
                  .heard = "b successor(9); b' next(); b' successor(1000000); b'' next(); "
                           "b'' next(5000); ",
                  .why = from_another + pays_first}}},
      {.name = "calls too short are passed on whatever another communicator learnt",
       .steps = {{.times_ns = Times{too_short},
                  .all_know = true,
                  .heard = "b successor(9); b' next(); ",
                  .why = passed_on,
                  .goes_on = false}}},
      {.name = "buffers in a device are left to the library whatever another communicator learnt",
       .steps = {{.times_ns = Times{enough},
                  .all_know = true,
                  .any_objects = true,
                  .heard = "b successor(9); b' next(); ",
                  .why = from_another + in_device,
                  .goes_on = false}}},
      {.name = "buffers in a device are left to the library, also by a policy that weighs no times",
       .rules = {.weighs_times = false},
       .steps = {{.times_ns = Times{enough}, .heard = "a next(50000); "},
                 {.times_ns = Times{enough},
                  .any_objects = true,
                  .heard = "a agreement(7); ",
                  .why = in_device,
                  .goes_on = false}}},
      {.name = "a plan without times is no agreement, so the first one is still to come",
       .steps = {{.done = {{0, 100, Timing::none}}, .heard = "a next(); "},
                 {.times_ns = Times{too_short}, .why = passed_on, .goes_on = false}}},
      {.name = "gaps are told behind the agreement and before the times",
       .steps = {{.times_ns = Times{enough},
                  .with_gaps = true,
                  .heard = "a gaps(3); a next(50000); "},
                 {.times_ns = Times{enough},
                  .with_gaps = true,
                  .heard = "a agreement(7); a gaps(3); a next(50000); "}}},
      {.name = "calls of others say nothing of the library's own",
       .steps = {{.done = {{1, 1, Timing::each}},
                  .times_ns = Times{too_short},
                  .heard = "a next(500); "}}},
      {.name = "nor does a sum of calls",
       .steps = {{.done = {{0, 100, Timing::summed}},
                  .times_ns = Times{too_short},
                  .heard = "a next(500); "}}},
      {.name = "of the library's own the median counts, over all its phases",
       .steps = {{.done = {{0, 2, Timing::each}, {1, 1, Timing::each}, {0, 1, Timing::each}},
                  .times_ns = Times{too_short, enough, too_short, enough},
                  .heard = "a next(500,50000,500,50000); "}}},
  };
}

TEST(Course, GoesOnAsItsRowSays) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    std::string heard;
    const Recorder learnt("b", heard);
    Course course(row.rules);
    EXPECT_FALSE(course.has_begun());
    course.begin(std::make_unique<Recorder>("a", heard));
    std::int64_t agreements = 0;
    for (const Step& step : row.steps) {
      heard.clear();
      Course::Told told{.done = step.done,
                        .learnt = &learnt,
                        .with_gaps = step.with_gaps,
                        .may_copy = step.may_copy};
      if (step.times_ns) {
        ++agreements;
        told.agreed = agreed_on(*step.times_ns);
        told.agreed->gaps_ns = {3};
        told.agreed->former_ns = 7;
        told.agreed->all_know = step.all_know;
        told.agreed->unpaid_ns = 9;
        told.agreed->any_objects = step.any_objects;
      }
      const Course::Decision decision = course.decide(told);
      EXPECT_EQ(heard, step.heard);
      EXPECT_EQ(decision.why, step.why);
      EXPECT_EQ(decision.next.has_value(), step.goes_on);
      if (decision.next) {
        EXPECT_EQ(*decision.next, (policies::CallPlan{{1, 7}}));
      }
      EXPECT_EQ(course.agreements(), agreements);
    }
  }
}

TEST(Course, IsShortFromThenOn) {
  std::string heard;
  Course course({});
  course.begin(std::make_unique<Recorder>("a", heard));
  EXPECT_FALSE(course.is_short());
  course.decide(
      {.done = {{0, 1, Timing::each}}, .agreed = agreed_on({for_copies}), .may_copy = true});
  EXPECT_TRUE(course.is_short());
}

TEST(Course, AddsUpWhatCallsTook) {
  std::string heard;
  Course course({.weighs_times = false});
  course.begin(std::make_unique<Recorder>("a", heard));
  Times sampled(policies::most_samples, 10);
  sampled[3] = 1'000'000;  // The median of the samples stands for each of the 32 calls.
  course.decide({.done = {{0, 32, Timing::sampled}}, .agreed = agreed_on(sampled)});
  EXPECT_EQ(course.spent_ns(), 320);
  course.decide({.done = {{0, 2, Timing::each}, {1, 50, Timing::summed}, {0, 9, Timing::none}},
                 .agreed = agreed_on({1, 2, 700})});
  EXPECT_EQ(course.spent_ns(), 320 + 703);
}

}  // namespace
}  // namespace gatherbench::star
