// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/common/computed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "formats/columns.h"
#include "formats/gzip.h"
#include "formats/result_text.h"
#include "formats/text/input_error.h"

namespace gatherbench::allgather_schedule {
namespace {

std::string reason_of(int error) { return std::generic_category().message(error); }

}  // namespace

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

}  // namespace gatherbench::allgather_schedule
