// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/options/options.h"
#include "formats/text/option_table.h"

// The options of a benchmark, a file for those of one subject. There an option is a row: its name,
// what --help says, where its value goes, and what it does not go with; below the rows stand the
// metadata keys that tell of them. What is added here must outlive the table's values.
namespace gatherbench::bench {

void add_case_options(text::OptionTable& table, Options& options);
void add_arrival_options(text::OptionTable& table, Options& options);
void add_reduction_options(text::OptionTable& table, Options& options);
void add_placement_options(text::OptionTable& table, Options& options);
void add_replay_options(text::OptionTable& table, Options& options);
void add_load_options(text::OptionTable& table, Options& options);
void add_buffer_options(text::OptionTable& table, Options& options);
void add_length_options(text::OptionTable& table, Options& options);
void add_print_options(text::OptionTable& table, Options& options);
void add_file_options(text::OptionTable& table, Options& options);

/// Sets the sizes of --message-size, whose smallest one may depend on other options, unless --sizes
/// is given. Throws InputError.
void settle_sizes(const text::OptionTable& table, Options& options);

/// Adds the options that users of the OSU benchmarks may try, each of which says what to write
/// here.
void add_osu_options(text::OptionTable& table, const collectives::Collective& collective);

/// Metadata keys and their values.
using Keys = std::vector<std::pair<std::string, std::string>>;

/// Returns the options that a result depends on: for the file's metadata, and to tell whether
/// --resume goes on with the same run.
Keys describe(const Options& options);

void describe_cases(const Options& options, Keys& keys);
void describe_arrivals(const Options& options, Keys& keys);
void describe_reduction(const Options& options, Keys& keys);
void describe_placement(const Options& options, Keys& keys);
void describe_loads(const Options& options, Keys& keys);
void describe_buffers(const Options& options, Keys& keys);
void describe_length(const Options& options, Keys& keys);
void describe_checks(const Options& options, Keys& keys);
void describe_files(const Options& options, Keys& keys);

inline std::string_view yes_or_no(bool is_so) { return is_so ? "yes" : "no"; }

inline std::string or_else(std::optional<std::int64_t> number, std::string_view otherwise) {
  return number ? std::to_string(*number) : std::string(otherwise);
}

}  // namespace gatherbench::bench
