// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/trace/trace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "formats/write_all.h"

namespace gatherbench::trace {
namespace {

/// Returns the line without its end. A program's name may hold line ends, which become spaces.
std::string line_of(std::string_view key, std::string_view value) {
  std::string text = "#@";
  text.append(key).append("=");
  for (const char c : value) text += c == '\n' || c == '\0' ? ' ' : c;
  return text;
}

}  // namespace

std::string TraceFile::open(const std::string& path) {
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  path_ = path;
  return descriptor_ >= 0 ? "" : "cannot make '" + path + "': " + std::strerror(errno);
}

void TraceFile::line(std::string_view key, std::string_view value) {
  add(line_of(key, value) + '\n');
}

std::size_t TraceFile::records(std::span<const formats::TraceRecord> records) {
  std::size_t written = 0;
  while (!records.empty() && descriptor_ >= 0) {
    const std::size_t count = std::min(records.size(), formats::TraceBlock::most_records);
    const formats::TraceBlock block = packer_.pack(records.first(count));
    line("block", std::to_string(block.records) + ' ' + std::to_string(block.kinds) + ' ' +
                      std::to_string(block.bytes.size()));
    add(block.bytes);
    closing_line("block_end", std::to_string(block.records));
    if (descriptor_ >= 0) written += count;  // what cannot be written closes the file
    records = records.subspan(count);
  }
  return written;
}

void TraceFile::closing_line(std::string_view key, std::string_view value) {
  write(checksum_.close(line_of(key, value)));
}

void TraceFile::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void TraceFile::add(std::string_view bytes) {
  if (descriptor_ < 0) return;
  checksum_.add(bytes);
  write(bytes);
}

void TraceFile::write(std::string_view bytes) {
  if (descriptor_ < 0) return;
  if (const int error = formats::write_all(descriptor_, bytes); error != 0) {
    say("cannot write '" + path_ + "': " + std::strerror(error) + "; the rest is lost");
    close();
  }
}

std::string make_new_directory(const std::string& wanted) {
  std::string path = wanted;
  for (int number = 1; ::mkdir(path.c_str(), 0777) != 0; ++number) {
    if (errno != EEXIST) {
      throw std::runtime_error("cannot make '" + path + "': " + std::strerror(errno));
    }
    path = wanted + "." + std::to_string(number);
  }
  return path;
}

void say(std::string_view message) {
  // One call writes the whole line, so that lines of several ranks do not mix.
  formats::write_all(STDERR_FILENO, "agtrace: " + std::string(message) + "\n");
}

}  // namespace gatherbench::trace
