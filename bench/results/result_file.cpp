// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/result_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "bench/host/watchdog.h"
#include "bench/results/result_rows.h"
#include "formats/checksum.h"
#include "formats/columns.h"
#include "formats/gzip.h"
#include "formats/result_names.h"
#include "formats/text/input_error.h"
#include "formats/text/read_file.h"
#include "formats/text/words.h"

namespace gatherbench::bench {
namespace {

/// The measurements of so much time may be lost if a host loses its power. A disk takes
/// milliseconds, in which no rank is timed.
constexpr std::chrono::seconds sync_interval{10};

text::InputError cannot_be_written(const std::string& path) {
  return text::bad_value(
      "--resume", path,
      fmt::format("cannot be written: {}", std::generic_category().message(errno)));
}

}  // namespace

void AppendFile::require_new(const std::string& path) {
  std::error_code why_not;  // such as a name that is too long; then it cannot be made either
  if (std::filesystem::is_directory(path, why_not)) {
    throw text::bad_value("--output", path, "is a folder; name a file");
  }
  if (std::filesystem::exists(std::filesystem::symlink_status(path, why_not))) {
    throw text::bad_value(
        "--output", path,
        "exists and is not overwritten: go on with it by --resume, or name another");
  }
}

AppendFile AppendFile::create(const std::string& path) {
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == EEXIST) require_new(path);
  if (descriptor < 0) {
    throw text::bad_value(
        "--output", path,
        fmt::format("cannot be made: {}", std::generic_category().message(errno)));
  }
  return {path, descriptor};
}

AppendFile AppendFile::reopen(const std::string& path) {
  text::require_regular_file("--resume", path);
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) throw cannot_be_written(path);
  return {path, descriptor};
}

void AppendFile::cut(std::int64_t bytes) {
  if (ftruncate(descriptor_, bytes) != 0) throw cannot_be_written(path_);
}

AppendFile::~AppendFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void AppendFile::append(std::string_view text) {
  std::string member;
  if (formats::is_gzip(path_)) text = member = formats::gzip_member(text);
  const SignalsHeld held;  // a signal must not end the process between two halves of a case
  const off_t before = lseek(descriptor_, 0, SEEK_END);
  while (!text.empty()) {
    const ssize_t written = write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int reason = errno;
      // --resume and the reports cut what has no end mark, if even this fails.
      if (ftruncate(descriptor_, before) != 0) errno = reason;
      throw std::system_error(reason, std::generic_category(), path_);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (std::chrono::steady_clock::now() - synced_ >= sync_interval) sync();
}

void AppendFile::sync() {
  // A full disk is said here first where writes wait in memory, as on NFS.
  if (fdatasync(descriptor_) != 0) throw std::system_error(errno, std::generic_category(), path_);
  synced_ = std::chrono::steady_clock::now();
}

namespace {

constexpr std::string_view load_end = "#@load_end=";

/// The whole lines of a text file, or of the whole members of a compressed one (formats/gzip.h).
class LineReader {
 public:
  /// Throws InputError that names --resume if the file cannot be read; so does `next` if it is
  /// damaged.
  explicit LineReader(const std::string& path);
  /// Reads the next line. Returns false at the end, or where the rest is cut off.
  bool next(std::string& line);
  /// Returns where the file can be cut after the last line: that line's end; in a compressed file,
  /// the end of its member.
  [[nodiscard]] std::int64_t end() const { return end_; }
  /// Returns whether a cut there would keep nothing behind that line.
  [[nodiscard]] bool is_at_end() const { return at_ == text_.size(); }

 private:
  bool next_plain(std::string& line);
  bool next_member();

  std::string path_;
  std::ifstream stream_;
  std::string compressed_;  // the whole file, if it is that
  std::size_t read_ = 0;    // of it
  std::string text_;        // of the member at hand
  std::size_t at_ = 0;      // in it
  std::int64_t end_ = 0;
};

LineReader::LineReader(const std::string& path) : path_(path) {
  text::require_regular_file("--resume", path);
  stream_.open(path, std::ios::binary);
  if (!stream_) throw text::bad_value("--resume", path, "cannot be read");
  if (formats::is_gzip(path)) compressed_.assign(std::istreambuf_iterator<char>(stream_), {});
}

bool LineReader::next(std::string& line) {
  if (compressed_.empty()) return next_plain(line);
  if (at_ == text_.size() && !next_member()) return false;
  const std::size_t newline = text_.find('\n', at_);
  if (newline == std::string::npos) return false;
  line.assign(text_, at_, newline - at_);
  at_ = newline + 1;
  end_ = static_cast<std::int64_t>(read_);
  return true;
}

bool LineReader::next_plain(std::string& line) {
  if (!std::getline(stream_, line) || stream_.eof()) return false;
  end_ += std::ssize(line) + 1;
  return true;
}

bool LineReader::next_member() {
  at_ = 0;
  const std::optional<std::size_t> length =
      formats::read_gzip_member(std::string_view(compressed_).substr(read_), text_);
  if (!length) {
    throw text::bad_value(
        "--resume", path_,
        fmt::format("is damaged from byte {} on; legal: a whole copy of it, or only what is before "
                    "(truncate --size={})",
                    read_, read_));
  }
  read_ += *length;
  return *length > 0;
}

/// The contents that an earlier launch left in a file.
struct Earlier {
  std::int64_t whole_bytes = 0;       // up to the end of the last finished case
  formats::RunningChecksum checksum;  // of these
  std::vector<std::string> done;
  int wrong = 0;
  formats::Metadata metadata;
};

/// Returns what a launch without this key is taken to have as its value.
std::string value_when_absent(std::string_view key) {
  const formats::MetadataKey* const row = formats::find_key(key);
  return std::string(row == nullptr || row->when_absent.empty() ? "nothing" : row->when_absent);
}

/// The facts that a launch knows of itself.
enum class Known {
  asked,  ///< what it is asked to do (describe_run), before the partner of its duet is met
  all,
};

/// Throws InputError if the launch that began a file was another run than this one.
void require_same_run(const std::string& path, const formats::Metadata& before,
                      const formats::Metadata& now, Known known) {
  formats::Metadata asked = now;
  // Keys that not every launch has must not be left out either.
  for (const auto& [key, value] : formats::select(before, formats::Purpose::resume)) {
    const bool is_known = known == Known::all || key.starts_with("note.") || key == "duet_name";
    if (is_known && formats::find_value(now, key) == nullptr) {
      asked.emplace_back(key, value_when_absent(key));
    }
  }
  for (const auto& [key, value] : asked) {
    const std::string* const found = formats::find_value(before, key);
    const std::string was = found == nullptr ? value_when_absent(key) : *found;
    if (was == formats::value_text(value)) continue;
    throw text::bad_value("--resume", path,
                          fmt::format("is of another run: its {} is '{}', now it is '{}'", key, was,
                                      formats::value_text(value)));
  }
}

/// Returns the process that began or resumed a file last, as its own lines name it.
std::string writer_of(const std::string& path) {
  const std::string key(formats::writer_key);
  std::string writer = "it says nothing of whose it is";
  LineReader lines(path);
  std::string line;
  while (lines.next(line)) {
    if (line.starts_with("#@" + key + "=")) writer = line.substr(key.size() + 3);
    if (!line.starts_with("#@resumed=")) continue;
    const std::size_t start = line.find("; " + key + " ");
    if (start == line.npos) continue;
    writer = line.substr(start + key.size() + 3);
    writer.resize(
        std::min({writer.find("; "), writer.find(formats::checksum_mark), writer.size()}));
  }
  return writer;
}

/// Returns whether a line of the file is of a wrong result. Only the results tell a status.
bool is_wrong(formats::File file, std::string_view line) {
  if (file != formats::File::results) return false;
  static const std::size_t status = formats::index_of(file, "status");
  const std::vector<std::string> cells = text::csv_cells(line);
  return status < cells.size() && cells[status] == name_of(formats::Status::wrong);
}

/// Reads a file of an earlier launch line by line.
class EarlierReader {
 public:
  EarlierReader(const std::string& path, formats::File file)
      : path_(path),
        file_(file),
        columns_(formats::header(file)),
        lines_(path),
        check_("--resume", path) {}

  /// Reads up to `most` finished cases. Throws InputError.
  Earlier read(std::size_t most) {
    std::string whole_line;
    while (lines_.next(whole_line)) {
      const std::string_view line = check_.take(whole_line);
      const bool is_mark = take_mark(line);
      if (!is_mark && has_columns_ && earlier_.done.size() >= most) break;
      if (!is_mark) take(line);
    }
    if (!has_columns_) {
      throw text::bad_value("--resume", path_, "is not a result file of this suite");
    }
    if (!can_be_cut_) {
      throw text::bad_value("--resume", path_,
                            "was compressed by another program, so it cannot be cut after a case; "
                            "legal: gunzip it, and go on with that");
    }
    return std::move(earlier_);
  }

 private:
  /// Takes the line at which the head ends.
  bool take_mark(std::string_view line) {
    if (line != columns_ && line != formats::head_end) return false;
    has_columns_ = has_columns_ || line == columns_;
    cut_here();
    return true;
  }

  void take(std::string_view line) {
    if (line.starts_with(formats::case_end)) {
      earlier_.done.emplace_back(line.substr(formats::case_end.size()));
      cut_here();
      earlier_.wrong += std::exchange(wrong_in_case_, 0);
    } else if (has_columns_ && line.starts_with(load_end)) {
      cut_here();
    } else if (line.starts_with("#@")) {
      const std::size_t equals = line.find('=');
      if (has_columns_ || equals == std::string_view::npos) return;
      earlier_.metadata.emplace_back(line.substr(2, equals - 2), line.substr(equals + 1));
    } else if (has_columns_ && is_wrong(file_, line)) {
      ++wrong_in_case_;
    }
  }

  void cut_here() {
    can_be_cut_ = lines_.is_at_end();
    earlier_.whole_bytes = lines_.end();
    earlier_.checksum = check_.running();
  }

  std::string path_;
  formats::File file_;
  std::string columns_;
  LineReader lines_;
  formats::ChecksumCheck check_;
  Earlier earlier_ = {};
  int wrong_in_case_ = 0;
  bool has_columns_ = false;
  bool can_be_cut_ = true;
};

/// Reads up to `most` finished cases. Throws InputError if the file is not a result file, or one of
/// another run, or was altered.
Earlier read_earlier(const std::string& path, const formats::Metadata& metadata, Known known,
                     formats::File file, std::size_t most) {
  Earlier earlier = EarlierReader(path, file).read(most);
  require_same_run(path, earlier.metadata, select(metadata, formats::Purpose::resume), known);
  return earlier;
}

}  // namespace

ResultFile::ResultFile(const std::string& path, const formats::Metadata& metadata, bool resume,
                       std::span<const formats::File> recorded, std::size_t max_cases)
    : keeps_(true) {
  if (resume && access(path.c_str(), F_OK) == 0) {
    go_on(path, metadata, recorded, max_cases);
  } else {
    begin(path, metadata, recorded);
  }
}

ResultFile::Kept ResultFile::look(const std::string& path, const formats::Metadata& metadata,
                                  bool resume) {
  if (!resume) AppendFile::require_new(path);
  if (access(path.c_str(), F_OK) != 0) return {};
  const Earlier earlier =
      read_earlier(path, metadata, Known::asked, formats::File::results, all_cases);
  const std::string* const pair = formats::find_value(earlier.metadata, "duet_pair");
  return {earlier.done.size(), pair == nullptr ? "" : *pair};
}

std::string ResultFile::value_in(const std::string& path, std::string_view key) {
  if (access(path.c_str(), F_OK) != 0) return {};
  const std::string start = fmt::format("#@{}=", key);
  LineReader lines(path);
  std::string line;
  while (lines.next(line) && line.starts_with('#')) {
    if (line.starts_with(start)) return line.substr(start.size());
  }
  return {};
}

void ResultFile::begin(const std::string& path, const formats::Metadata& metadata,
                       std::span<const formats::File> recorded) {
  // All files are removed again if one cannot be made, or the disk has no room for a header.
  std::vector<std::string> made;
  const auto make = [&](const std::string& name, formats::File columns) {
    AppendFile new_file = AppendFile::create(name);
    made.push_back(name);
    if (const std::string reason = new_file.lock(); !reason.empty()) {
      throw text::bad_value("--output", name, reason);
    }
    ChecksummedFile file(std::move(new_file), {});
    file.append(formats::file_head(metadata, columns));
    return file;
  };
  try {
    file_ = make(path, formats::File::results);
    for (const formats::File columns : recorded) {
      companions_.push_back({columns, make(formats::path_beside(path, columns), columns)});
    }
  } catch (...) {
    for (const std::string& name : made) unlink(name.c_str());
    throw;
  }
}

void ResultFile::go_on(const std::string& path, const formats::Metadata& metadata,
                       std::span<const formats::File> recorded, std::size_t max_cases) {
  AppendFile results = AppendFile::reopen(path);
  if (const std::string reason = results.lock(); !reason.empty()) {
    throw text::bad_value("--resume", path, fmt::format("{}: {}", reason, writer_of(path)));
  }
  const Earlier earlier =
      read_earlier(path, metadata, Known::all, formats::File::results, max_cases);
  wrong_before_ = earlier.wrong;
  // The files beside the results are written first, so they may hold one case more: that one runs
  // again. None is cut before all are found good.
  std::vector<Earlier> beside;
  for (const formats::File columns : recorded) {
    const std::string name = formats::path_beside(path, columns);
    beside.push_back(read_earlier(name, metadata, Known::all, columns, earlier.done.size()));
    if (beside.back().done != earlier.done) {
      throw text::bad_value("--resume", name, fmt::format("lacks cases that {} holds", path));
    }
  }
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    AppendFile file = AppendFile::reopen(formats::path_beside(path, recorded[i]));
    file.cut(beside[i].whole_bytes);
    companions_.push_back({recorded[i], {std::move(file), beside[i].checksum}});
  }
  results.cut(earlier.whole_bytes);
  file_ = {std::move(results), earlier.checksum};
  std::string resumed = fmt::format("after {} cases", earlier.done.size());
  for (const auto& [key, value] : metadata) {
    const formats::MetadataKey* const row = formats::find_key(key);
    const bool is_known = row != nullptr && row->must_agree_to.resume;  // stands above already
    if (!is_known && !key.starts_with("env.")) resumed += fmt::format("; {} {}", key, value);
  }
  file_.append(fmt::format("#@resumed={}", formats::value_text(resumed)));
  done_.insert(earlier.done.begin(), earlier.done.end());
}

void ResultFile::add_load(std::string_view load) {
  if (!keeps_) return;
  file_.append(fmt::format("{}{}", load_end, load));
  for (Companion& companion : companions_) companion.file.sync();
  file_.sync();
}

void ResultFile::append(const formats::CaseKey& key, const CaseResult& result) {
  if (keeps_) {
    const std::string end = fmt::format("{}{}", formats::case_end, key.text());
    for (Companion& companion : companions_) {
      companion.file.append(rows_of(companion.columns, key, result) + end);
    }
    file_.append(rows_of(formats::File::results, key, result) + end);
  }
  done_.insert(key.text());
}

}  // namespace gatherbench::bench
