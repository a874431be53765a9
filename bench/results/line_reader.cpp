// SPDX-License-Identifier: BSD-3-Clause
#include "bench/results/line_reader.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <string_view>

#include "formats/gzip.h"
#include "formats/text/input_error.h"
#include "formats/text/read_file.h"

namespace gatherbench::bench {

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

}  // namespace gatherbench::bench
