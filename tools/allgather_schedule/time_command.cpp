// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "distributions/block_sizes.h"
#include "formats/checksum.h"
#include "formats/columns.h"
#include "formats/crc32.h"
#include "formats/gzip.h"
#include "formats/metadata.h"
#include "formats/result_names.h"
#include "formats/text/input_error.h"
#include "tools/allgather_schedule/commands.h"
#include "tools/allgather_schedule/timed_task.h"

namespace gatherbench::allgather_schedule {
namespace {

/// A result file that no launch wrote, or its text on standard output: in memory until `write`, so
/// that nothing is left of a computation that ends early.
class ComputedFile {
 public:
  /// Takes the path of a file that is not there yet; empty: standard output. Throws InputError that
  /// names `option` if the file is there, its folder is not, or this program writes none of that
  /// name.
  ComputedFile(std::string_view option, std::string path);

  void begin(const formats::Metadata& metadata);
  /// Adds the rows of a case, as formats::write_row wrote them, and the text of its key.
  void add_case(std::string_view rows, std::string_view key);
  /// Writes the file, or prints the text. Throws InputError if the file cannot be written; then
  /// there is none.
  void write() const;

 private:
  void append(std::string_view text);

  std::string option_;
  std::string path_;
  std::string text_;
  formats::RunningChecksum checksum_;
};

std::string reason_of(int error) { return std::generic_category().message(error); }

ComputedFile::ComputedFile(std::string_view option, std::string path)
    : option_(option), path_(std::move(path)) {
  if (path_.empty()) return;
  const auto is_ending = [&](std::string_view one) { return path_.ends_with(one); };
  if (std::ranges::none_of(formats::result_endings, is_ending)) {
    throw text::bad_value(option_, path_,
                          fmt::format("is no result file that this program writes; legal: a name "
                                      "that ends in {}",
                                      fmt::join(formats::result_endings, ", ")));
  }
  formats::require_results_name(option_, path_);
  std::error_code why_not;  // such as a name that is too long; then it cannot be made either
  if (std::filesystem::exists(std::filesystem::symlink_status(path_, why_not))) {
    throw text::bad_value(option_, path_, "exists and is not overwritten: name another");
  }
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, why_not)) {
    throw text::bad_value(option_, path_, "is in a folder that is not there: make it first");
  }
}

void ComputedFile::append(std::string_view text) {
  const std::string closed = checksum_.close(text);
  text_ += formats::is_gzip(path_) ? formats::gzip_member(closed) : closed;
}

void ComputedFile::begin(const formats::Metadata& metadata) {
  append(formats::file_head(metadata, formats::File::results));
}

void ComputedFile::add_case(std::string_view rows, std::string_view key) {
  append(fmt::format("{}{}{}", rows, formats::case_end, key));
}

void ComputedFile::write() const {
  if (path_.empty()) {
    fmt::print("{}", text_);
    return;
  }
  const int descriptor = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    throw text::bad_value(option_, path_, fmt::format("cannot be made: {}", reason_of(errno)));
  }
  int error = 0;
  for (std::string_view rest = text_; !rest.empty() && error == 0;) {
    const ssize_t written = ::write(descriptor, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0) return;
  unlink(path_.c_str());
  throw text::bad_value(option_, path_, fmt::format("cannot be written: {}", reason_of(error)));
}

void add_rows(std::string& rows, const formats::CaseKey& key, const algorithms::Choice& choice,
              const TimedCase::Times& times, double message_us) {
  formats::Row row{.key = &key, .algorithm = {}, .reason = times.reason};
  const std::string label = choice.label();
  row.algorithm = label;
  if (!times.reason.empty()) {
    row.status = formats::Status::skipped;
    formats::write_row(rows, formats::File::results, row);
  }
  row.message_us = message_us;
  row.iteration = 0;
  for (const formats::Iteration& each : times.iterations) {
    row.times = &each;
    formats::write_row(rows, formats::File::results, row);
    ++*row.iteration;
  }
}

std::int64_t bytes_of(const collectives::Blocks& blocks, std::span<const std::int64_t> sizes) {
  std::int64_t sum = 0;
  for (const auto& [first, count] : blocks) {
    const auto some =
        sizes.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    sum += std::reduce(some.begin(), some.end());
  }
  return sum;
}

int run(const TimeOptions& options) {
  TimedTask task = settle(options);
  task.model.network = task.placement.network.get();
  task.model.host = task.placement.host;
  task.model.node = task.placement.node;
  ComputedFile file("--output", options.output);
  file.begin(metadata_of(options, task));
  for (const distributions::Distribution& distribution : task.distributions) {
    for (const arrivals::ArrivalPattern& pattern : task.patterns) {
      for (const std::int64_t size : task.sizes) {
        const std::vector<std::int64_t> blocks = task.blocks_of(distribution, size);
        const formats::CaseKey key{std::string(task.collective->name),
                                   distribution.label,
                                   pattern.label,
                                   "sequential",
                                   task.ranks,
                                   task.nodes(),
                                   size,
                                   bytes_of(task.collective->goal(0, task.ranks), blocks)};
        const TimedCase timed(pattern, task.prediction, task.placement, blocks, task.ranks, size,
                              task.model);
        std::string rows;
        for (const algorithms::Choice& choice : task.choices) {
          const TimedCase::Times times = timed.of(choice, task.iterations, task.seed);
          add_rows(rows, key, choice, times, timed.message_us());
        }
        file.add_case(rows, key.text());
      }
    }
  }
  file.write();
  return 0;
}

}  // namespace

Command add_time_command(text::OptionTable& program) {
  text::OptionTable& command = program.add_command(
      "time", "Compute when ranks leave by a model, under arrivals, as a result file");
  const auto options = std::make_shared<TimeOptions>();
  options->algorithms.takes_copies = true;
  options->algorithms.add_to(command);
  command.add("--ranks", options->ranks, "A number of ranks").required();
  command.add("--sizes", options->sizes, "Sizes of a block: 1K,64K");
  command
      .add("--total-sizes", options->total_sizes,
           "Instead, sizes of the whole gathered vector: a block is 1/ranks of it, to the nearest "
           "byte")
      .not_with("--sizes", "that says how large blocks are");
  command.add("--distributions", options->distributions,
              "Block sizes, for allgatherv: names, all, file:PATH");
  command.add("--arrival", options->arrivals, "Arrival patterns; t is a block's message");
  command.add("--prediction", options->prediction,
              "What arrival-aware algorithms are told: " + names_of_predictors());
  command.add("-i,--iterations", options->iterations, "Iterations of each case");
  command.add("--seed", options->seed, "For random arrivals");
  command
      .add("--model", options->model,
           forms_of_model() +
               ": a message of n bytes takes alpha + n beta, and tau for each further run of "
               "blocks, and n gamma for what a reduction combines (0 if not given); WORD: "
               "rendezvous (a message waits for its receiver; if not given) or eager; the next "
               "two, with --topology: what a rank's messages to others of its host share, and "
               "those from them (1/beta, if not given); and what the messages of all ranks of the "
               "host do (nothing, if not given); the last three, for NAME:via=window: a transfer "
               "of n bytes within a node takes the first of them, and n over the second; with "
               "--topology all those of a host share the third (if not given, what the messages "
               "do)")
      .required();
  command.add("--output", options->output,
              "A new result file, .csv or .csv.gz; standard output if not given");
  options->placement.add_to(command);
  command.option("--topology")
      .described(
          "Switch tree, as Slurm's topology.conf, or torus:4x4; node i is its i-th host. Messages "
          "share its links, of 1/beta bytes a second each way");
  options->root.add_to(command);
  command.set_example(
      "allgather_schedule time --algorithms ring,bruck --ranks 8 --sizes 1K --model "
      "hockney:alpha=1e-6,beta=1e-10");
  return {&command, [options] { return run(*options); }};
}

}  // namespace gatherbench::allgather_schedule
