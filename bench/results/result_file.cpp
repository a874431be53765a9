// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/result_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "text/input_error.h"

namespace gatherbench::bench {
namespace {

constexpr std::string_view case_end = "#@case_end=";

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

std::string metadata_lines(const Metadata& metadata) {
  std::string lines;
  for (const auto& [key, value] : metadata) lines += fmt::format("#@{}={}\n", key, one_line(value));
  return lines;
}

std::string ranks_path(const std::string& path) {
  const std::string_view ending = ".csv";
  return (path.ends_with(ending) ? path.substr(0, path.size() - ending.size()) : path) +
         ".ranks.csv";
}

std::string header(const Metadata& must_agree, const Metadata& circumstances,
                   std::string_view columns) {
  return fmt::format("{}{}{}\n", metadata_lines(must_agree), metadata_lines(circumstances),
                     columns);
}

/// What an earlier launch left in a file.
struct Earlier {
  std::int64_t whole_bytes = 0;  // up to the end of the last finished case
  std::vector<std::string> done;
  int wrong = 0;
  Metadata metadata;
};

/// The value of a key; null if it has none.
const std::string* find_value(const Metadata& metadata, std::string_view key) {
  const auto entry =
      std::ranges::find_if(metadata, [&](const auto& each) { return each.first == key; });
  return entry == metadata.end() ? nullptr : &entry->second;
}

/// Throws InputError if the launch that began a file was another run than this one.
void require_same_run(const std::string& path, const Metadata& before, const Metadata& now) {
  Metadata asked = now;
  // What not every launch has must not be left out either.
  for (const auto& [key, value] : before) {
    const bool optional = key.starts_with("note.") || key == "duet_name";
    if (optional && find_value(now, key) == nullptr) asked.emplace_back(key, "nothing");
  }
  for (const auto& [key, value] : asked) {
    const std::string* const found = find_value(before, key);
    const std::string was = found == nullptr ? "nothing" : *found;
    if (was == one_line(value)) continue;
    throw text::bad_value("--resume", path,
                          fmt::format("is of another run: its {} is '{}', now it is '{}'", key, was,
                                      one_line(value)));
  }
}

/// Reads up to `most` finished cases. Throws InputError if the file is not a result file, or one of
/// another run.
Earlier read_earlier(const std::string& path, const Metadata& must_agree, std::string_view columns,
                     std::size_t most) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw text::bad_value("--resume", path, "cannot be read");
  Earlier earlier;
  std::int64_t at = 0;
  int wrong_in_case = 0;
  bool has_columns = false;
  std::string line;
  while ((!has_columns || earlier.done.size() < most) && std::getline(stream, line) &&
         !stream.eof()) {
    at += std::ssize(line) + 1;
    if (line.starts_with(case_end)) {
      earlier.done.push_back(line.substr(case_end.size()));
      earlier.whole_bytes = at;
      earlier.wrong += wrong_in_case;
      wrong_in_case = 0;
    } else if (line.starts_with("#@")) {
      const std::size_t equals = line.find('=');
      if (!has_columns && equals != std::string::npos) {
        earlier.metadata.emplace_back(line.substr(2, equals - 2), line.substr(equals + 1));
      }
    } else if (line == columns) {
      has_columns = true;
      earlier.whole_bytes = at;
    } else if (line.find(",wrong,") != std::string::npos) {
      ++wrong_in_case;
    }
  }
  if (!has_columns) throw text::bad_value("--resume", path, "is not a result file of this suite");
  require_same_run(path, earlier.metadata, must_agree);
  return earlier;
}

}  // namespace

ResultFile::ResultFile(const std::string& path, const Metadata& must_agree,
                       const Metadata& circumstances, bool resume, bool record_ranks,
                       std::size_t most_cases)
    : keeps_(true), records_ranks_(record_ranks) {
  if (resume && access(path.c_str(), F_OK) == 0) {
    go_on(path, must_agree, circumstances, record_ranks, most_cases);
  } else {
    begin(path, must_agree, circumstances, record_ranks);
  }
}

ResultFile::Kept ResultFile::look(const std::string& path, const Metadata& must_agree,
                                  bool resume) {
  if (!resume) AppendFile::require_new(path);
  if (access(path.c_str(), F_OK) != 0) return {};
  const Earlier earlier = read_earlier(path, must_agree, csv_columns(), all_cases);
  const std::string* const pair = find_value(earlier.metadata, "duet_pair");
  return {earlier.done.size(), pair == nullptr ? "" : *pair};
}

void ResultFile::begin(const std::string& path, const Metadata& must_agree,
                       const Metadata& circumstances, bool record_ranks) {
  // If the second cannot be made, or the disk has no room for a header, none is left behind.
  std::vector<std::string> made;
  const auto make = [&](const std::string& name, const std::string& columns) {
    AppendFile file = AppendFile::create(name);
    made.push_back(name);
    file.append(header(must_agree, circumstances, columns));
    return file;
  };
  try {
    file_ = make(path, csv_columns());
    if (record_ranks) ranks_file_ = make(ranks_path(path), csv_rank_columns());
  } catch (...) {
    for (const std::string& name : made) unlink(name.c_str());
    throw;
  }
}

void ResultFile::go_on(const std::string& path, const Metadata& must_agree,
                       const Metadata& circumstances, bool record_ranks, std::size_t most_cases) {
  const Earlier earlier = read_earlier(path, must_agree, csv_columns(), most_cases);
  wrong_before_ = earlier.wrong;
  if (record_ranks) {
    // The second file is written first, so it may hold one case more: that one runs again.
    const std::string second = ranks_path(path);
    const Earlier recorded =
        read_earlier(second, must_agree, csv_rank_columns(), earlier.done.size());
    if (recorded.done != earlier.done) {
      throw text::bad_value("--resume", second, fmt::format("lacks cases that {} holds", path));
    }
    ranks_file_ = AppendFile::reopen(second, recorded.whole_bytes);
  }
  file_ = AppendFile::reopen(path, earlier.whole_bytes);
  std::string resumed = fmt::format("after {} cases", earlier.done.size());
  for (const auto& [key, value] : circumstances) {
    if (!key.starts_with("env.")) resumed += fmt::format("; {} {}", key, value);
  }
  file_.append(metadata_lines({{"resumed", resumed}}));
  done_.insert(earlier.done.begin(), earlier.done.end());
}

void ResultFile::append(const CaseKey& key, const CaseResult& result) {
  if (keeps_) {
    const std::string end = fmt::format("{}{}\n", case_end, key.text());
    if (records_ranks_) ranks_file_.append(csv_rank_rows(key, result) + end);
    file_.append(csv_rows(key, result) + end);
  }
  done_.insert(key.text());
}

}  // namespace gatherbench::bench
