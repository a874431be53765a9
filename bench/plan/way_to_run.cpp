// SPDX-License-Identifier: BSD-3-Clause
#include "bench/plan/way_to_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "algorithms/registry.h"
#include "bench/native/library_calls.h"
#include "bench/native/native_choice.h"
#include "formats/text/input_error.h"
#include "runtime/mpi/arrival_aware/arrival_aware.h"
#include "runtime/mpi/plans/counts.h"
#include "runtime/mpi/plans/reduction.h"
#include "runtime/mpi/window/node_window.h"
#include "runtime/policies/agstar.h"
#include "runtime/policies/choices.h"
#include "runtime/selection/candidates.h"

namespace gatherbench::bench {
namespace {

using algorithms::Choice;

std::optional<std::string> why_not_in_parts(CallUse use) {
  if (use != CallUse::in_parts) return std::nullopt;
  return "cannot be begun and waited for apart (--overlap)";
}

class SchedulesWay : public WayToRun {
 public:
  explicit SchedulesWay(const Choice& choice) : choice_(choice) {}

  [[nodiscard]] std::optional<std::string> why_not_in(const collectives::Collective& /*collective*/,
                                                      arrivals::Predictor /*from*/,
                                                      CallUse /*use*/) const override {
    return why_not_in_window();
  }
  [[nodiscard]] std::optional<std::string> why_not(
      const Case& the_case, const mpi::Layout& layout,
      const algorithms::Placement& placement) const override {
    const BlockBytes block_bytes(layout);
    return algorithms::why_not(
        *choice_.algorithm, make_problem(choice_, placement, block_bytes, 0, the_case.key.ranks));
  }
  [[nodiscard]] std::int64_t extra_bytes(const CaseBytes& bytes) const override {
    // All that take in contributions, but not the root, have room for what they make of them, and
    // for what comes in beside it.
    if (choice_.algorithm->combines_at_end) return bytes.held + bytes.packed;
    if (bytes.combines) return 2 * bytes.before;
    return (uses_scratch(choice_) ? bytes.held : bytes.passing) + bytes.packed;
  }
  [[nodiscard]] std::optional<std::string> why_no_steps(
      arrivals::Predictor /*from*/) const override {
    return std::nullopt;
  }

 protected:
  [[nodiscard]] const Choice& choice() const { return choice_; }
  [[nodiscard]] std::optional<std::string> why_not_in_window() const {
    if (choice_.via == algorithms::Via::messages || mpi::NodeWindow::why_none().empty()) return {};
    return fmt::format("{} (via=window; legal: via=messages)", mpi::NodeWindow::why_none());
  }

 private:
  const Choice& choice_;
};

class ByArrivalsWay : public SchedulesWay {
 public:
  using SchedulesWay::SchedulesWay;

  [[nodiscard]] std::optional<std::string> why_not_in(const collectives::Collective& /*collective*/,
                                                      arrivals::Predictor from,
                                                      CallUse use) const override {
    if (use == CallUse::in_sequence) {
      return "predicts the arrivals at one call, and an iteration has many (--replay)";
    }
    const bool has_thread = has_helper_thread(*choice().algorithm, from);
    if (has_thread) {
      if (std::string why = mpi::why_no_helper_thread(); !why.empty()) return why;
    }
    if (auto why = why_not_in_parts(use)) return why;
    if (has_thread && choice().via != algorithms::Via::messages) {
      return "has messages that a helper thread sends (via=window; legal: via=messages)";
    }
    return why_not_in_window();
  }
  [[nodiscard]] std::optional<std::string> why_no_steps(arrivals::Predictor from) const override {
    return has_helper_thread(*choice().algorithm, from)
               ? "a helper thread runs steps of it"
               : "has other steps in each call, by the arrivals";
  }
};

class LibraryWay : public WayToRun {
 public:
  LibraryWay(const Choice& choice, algorithms::LibraryCall call) : choice_(choice), call_(call) {}

  [[nodiscard]] std::optional<std::string> why_not_in(const collectives::Collective& collective,
                                                      arrivals::Predictor /*from*/,
                                                      CallUse use) const override {
    if (auto why = bench::why_not(call_, collective)) return why;
    const bool can_begin = call_ == algorithms::LibraryCall::nonblocking ||
                           call_ == algorithms::LibraryCall::persistent;
    return can_begin ? std::nullopt : why_not_in_parts(use);
  }
  [[nodiscard]] std::optional<std::string> why_not(
      const Case& the_case, const mpi::Layout& layout,
      const algorithms::Placement& placement) const override {
    const int ranks = the_case.key.ranks;
    if (!the_case.collective->combines) {
      const mpi::Layout after = layout.of(the_case.collective->goal(0, ranks));
      if (auto why = mpi::IntCounts::why_not(after)) return why;
      if (!the_case.collective->one_buffer) return std::nullopt;
      // The library cuts a broadcast between elements, which are large ones where int cannot count.
      return bench::why_not(*the_case.collective, choice_,
                            {.ranks = ranks, .elements = mpi::IntCounts(after).all_count()});
    }
    auto why = mpi::why_not_counted(layout.total(), placement.element_bytes);
    if (why) return why;
    return bench::why_not(*the_case.collective, choice_,
                          {.ranks = ranks,
                           .elements = layout.total() / placement.element_bytes,
                           .commutes = placement.commutes});
  }
  [[nodiscard]] std::int64_t extra_bytes(const CaseBytes& /*bytes*/) const override { return 0; }
  [[nodiscard]] std::optional<std::string> why_no_steps(
      arrivals::Predictor /*from*/) const override {
    return "its steps are the MPI library's";
  }

 private:
  const Choice& choice_;
  algorithms::LibraryCall call_;
};

class SelectsWay : public WayToRun {
 public:
  explicit SelectsWay(const Choice& choice) : policy_(policy_of(choice)) {}

  [[nodiscard]] std::optional<std::string> why_not_in(const collectives::Collective& /*collective*/,
                                                      arrivals::Predictor /*from*/,
                                                      CallUse use) const override {
    return why_not_in_parts(use);
  }
  /// Also asks a policy without bounds, which has to be able to run what it names.
  [[nodiscard]] std::optional<std::string> why_not(
      const Case& the_case, const mpi::Layout& layout,
      const algorithms::Placement& placement) const override {
    const Choice native = algorithms::choice_of(*algorithms::find_algorithm("native"));
    auto why =
        LibraryWay(native, algorithms::LibraryCall::native).why_not(the_case, layout, placement);
    if (why || is_bounded()) return why;
    try {
      selection::Candidates all = selection::find_candidates(
          {.bounded = false},
          selection::Task(*the_case.collective, placement, the_case.key.ranks, layout),
          MPI_COMM_NULL);
      policies::make_policy(policy_, std::move(all.expected), policies::default_budget_permille,
                            policy_option);
      return {};
    } catch (const text::InputError& error) {
      return error.what();
    }
  }
  /// Counts the buffers of several algorithms, since it has those that it tries at a time.
  [[nodiscard]] std::int64_t extra_bytes(const CaseBytes& bytes) const override {
    const std::int64_t at_a_time =
        is_bounded() ? std::max(selection::first_ones, policies::Agstar::most_candidates)
                     : std::ssize(algorithms::algorithm_table());
    if (bytes.combines) return at_a_time * (2 * bytes.before + bytes.held + bytes.packed);
    const std::int64_t scratch = std::min(bytes.held, selection::most_scratch_bytes);
    return at_a_time * (std::max(bytes.passing, scratch) + bytes.packed);
  }
  [[nodiscard]] std::optional<std::string> why_no_steps(
      arrivals::Predictor /*from*/) const override {
    return "takes another algorithm in each call";
  }

 private:
  [[nodiscard]] bool is_bounded() const { return policies::kind_of(policy_).is_bounded; }

  std::string_view policy_;
};

class RedirectsWay : public SchedulesWay {
 public:
  using SchedulesWay::SchedulesWay;

  [[nodiscard]] std::optional<std::string> why_not_in(const collectives::Collective& /*collective*/,
                                                      arrivals::Predictor /*from*/,
                                                      CallUse use) const override {
    return why_not_in_parts(use);
  }
  [[nodiscard]] std::optional<std::string> why_no_steps(
      arrivals::Predictor /*from*/) const override {
    return "finds out while it runs who is there";
  }
};

/// Runs on copies of both buffers in the host's memory, as a whole or in pieces.
class StagedWay : public WayToRun {
 public:
  StagedWay(const Choice& choice, std::unique_ptr<const WayToRun> on_host)
      : choice_(choice), on_host_(std::move(on_host)) {}

  [[nodiscard]] std::optional<std::string> why_not_in(const collectives::Collective& collective,
                                                      arrivals::Predictor from,
                                                      CallUse use) const override {
    if (pieces() > 1) {
      const algorithms::Algorithm& algorithm = *choice_.algorithm;
      if (!algorithm.is<algorithms::Schedules>() && !algorithm.is<algorithms::FromFile>() &&
          !algorithm.is<algorithms::LibraryCall>()) {
        return fmt::format("goes by what it finds in each call (pieces={}); legal: stage=host",
                           pieces());
      }
      if (auto why = why_not_in_parts(use)) return why;
    }
    return on_host_->why_not_in(collective, from, use);
  }
  [[nodiscard]] std::optional<std::string> why_not(
      const Case& the_case, const mpi::Layout& layout,
      const algorithms::Placement& placement) const override {
    for (std::int64_t number = 0; number < pieces(); ++number) {
      const mpi::Layout piece = layout.piece({number, pieces(), placement.element_bytes});
      if (piece.total() == 0 && layout.total() > 0) {
        return fmt::format(
            "has no element for each piece (pieces={}); legal: at most as many as "
            "the largest block has elements, {}",
            pieces(), most_elements(layout, placement.element_bytes));
      }
      if (auto why = on_host_->why_not(the_case, piece, placement)) return why;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::int64_t extra_bytes(const CaseBytes& bytes) const override {
    return on_host_->extra_bytes(bytes) + bytes.before + bytes.held;
  }
  [[nodiscard]] std::optional<std::string> why_no_steps(
      arrivals::Predictor /*from*/) const override {
    return "copies buffers to the host before its steps, and back after (stage=host)";
  }

 private:
  [[nodiscard]] std::int64_t pieces() const { return choice_.stage.pieces; }
  [[nodiscard]] static std::int64_t most_elements(const mpi::Layout& layout,
                                                  std::int64_t element_bytes) {
    std::int64_t most = layout.bytes_each();
    if (!layout.is_equal()) most = std::ranges::max(layout.block_bytes());
    return most / element_bytes;
  }

  const Choice& choice_;
  std::unique_ptr<const WayToRun> on_host_;
};

struct MakeWay {
  const Choice& choice;

  std::unique_ptr<const WayToRun> operator()(const algorithms::Schedules& /*kind*/) const {
    return std::make_unique<SchedulesWay>(choice);
  }
  std::unique_ptr<const WayToRun> operator()(const algorithms::ByArrivals& /*kind*/) const {
    return std::make_unique<ByArrivalsWay>(choice);
  }
  std::unique_ptr<const WayToRun> operator()(const algorithms::FromFile& /*kind*/) const {
    return std::make_unique<SchedulesWay>(choice);
  }
  std::unique_ptr<const WayToRun> operator()(algorithms::LibraryCall call) const {
    return std::make_unique<LibraryWay>(choice, call);
  }
  std::unique_ptr<const WayToRun> operator()(const algorithms::Selects& /*kind*/) const {
    return std::make_unique<SelectsWay>(choice);
  }
  std::unique_ptr<const WayToRun> operator()(const algorithms::Redirects& /*kind*/) const {
    return std::make_unique<RedirectsWay>(choice);
  }
};

}  // namespace

std::unique_ptr<const WayToRun> way_to_run(const Choice& choice) {
  std::unique_ptr<const WayToRun> way = std::visit(MakeWay{choice}, choice.algorithm->how);
  if (!choice.stage.on_host) return way;
  return std::make_unique<StagedWay>(choice, std::move(way));
}

algorithms::Problem make_problem(const algorithms::Choice& choice,
                                 const algorithms::Placement& placement,
                                 const BlockBytes& block_bytes, int rank, int ranks) {
  algorithms::Problem problem = placement.place(algorithms::problem_for(choice, ranks));
  problem.rank = rank;
  block_bytes.tell(problem);
  return problem;
}

std::string_view policy_of(const Choice& choice) {
  return choice.policy().empty() ? policies::default_policy : choice.policy();
}

bool has_helper_thread(const algorithms::Algorithm& algorithm, arrivals::Predictor from) {
  return runs_ahead(algorithm) ||
         (algorithm.is<algorithms::ByArrivals>() && from == arrivals::Predictor::edge);
}

}  // namespace gatherbench::bench
