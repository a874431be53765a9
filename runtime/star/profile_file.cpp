// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/profile_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "formats/text/input_error.h"
#include "formats/text/read_file.h"
#include "formats/write_all.h"

namespace gatherbench::star {
namespace {

constexpr std::chrono::seconds patience{5};

/// An open file. The destructor closes it, which unlocks it, too.
class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) {}
  ~OpenFile() {
    if (number_ >= 0) close(number_);
  }
  OpenFile(OpenFile&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

bool is_at(const OpenFile& file, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return fstat(file.number(), &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// Opens the file, makes it if there is none, and locks it. Whoever held the lock before may have
/// put another file in its place: then the other one is locked. Returns a file with a negative
/// number on failure, also after 5 s of waiting; errno says why.
OpenFile lock(const std::string& path) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    OpenFile file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (file.number() < 0) return file;
    if (flock(file.number(), LOCK_EX | LOCK_NB) == 0) {
      if (is_at(file, path)) return file;
    } else if (errno != EWOULDBLOCK) {
      return OpenFile(-1);
    }
    if (std::chrono::steady_clock::now() > end) {
      errno = ETIMEDOUT;
      return OpenFile(-1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

std::string read_profile_file(const std::string& path) {
  struct stat status {};
  const bool is_there = stat(path.c_str(), &status) == 0;
  // An empty file is what a program leaves that is ended while it makes the file.
  if (is_there ? S_ISREG(status.st_mode) && status.st_size == 0 : errno == ENOENT) return {};
  return text::read_file("AGSTAR_PROFILE", path);
}

std::string update_profile_file(const std::string& path, const policies::Profile& rows,
                                std::chrono::sys_days today) {
  const OpenFile locked = lock(path);
  if (locked.number() < 0) return std::strerror(errno);
  struct stat replaced {};
  if (fstat(locked.number(), &replaced) != 0) return std::strerror(errno);
  // A symbolic link stays one: what it leads to is replaced.
  std::error_code unresolved;
  const std::string real = std::filesystem::canonical(path, unresolved).string();
  if (unresolved) return unresolved.message();
  policies::Profile all = rows;
  try {
    const std::string text = read_profile_file(path);
    if (!text.empty()) {
      const policies::Profile before = policies::read_profile(path, text);
      if (auto why = policies::why_not(before, rows.mpi, rows.hosts)) return *why;
      all = policies::without_old(policies::merged(before, rows), today);
    }
  } catch (const text::InputError& error) {
    return error.what();  // it may be something else of the user's
  }
  const std::string text = policies::text_of(all);
  if (text.size() > policies::most_profile_bytes) {
    return fmt::format("it would have {} bytes, more than {}", text.size(),
                       policies::most_profile_bytes);
  }
  const std::string unfinished = fmt::format("{}.{}", real, getpid());
  const OpenFile written(open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (written.number() < 0) return std::strerror(errno);
  int error = formats::write_all(written.number(), text);
  if (error == 0 &&
      (fsync(written.number()) != 0 || fchmod(written.number(), replaced.st_mode & 0777) != 0 ||
       std::rename(unfinished.c_str(), real.c_str()) != 0)) {
    error = errno;
  }
  if (error == 0) return {};
  unlink(unfinished.c_str());
  return std::strerror(error);
}

}  // namespace gatherbench::star
