// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "formats/write_all.h"
#include "runtime/star/say.h"

namespace gatherbench::star {

void NewFile::make(std::string_view variable, const std::string& path, std::string_view begin) {
  name_ = std::string(variable) + ": '" + path + "'";
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  int error = errno;
  if (is_open()) {
    error = formats::write_all(descriptor_, begin);
    if (error == 0) return;
    ::close(std::exchange(descriptor_, -1));
    ::unlink(path.c_str());
  }
  say(name_ + " cannot be made: " + std::strerror(error) + "; it is left out");
}

void NewFile::write(std::string_view text) {
  if (!is_open()) return;
  if (const int error = formats::write_all(descriptor_, text); error != 0) {
    tell_lost(error);
    ::close(std::exchange(descriptor_, -1));
  }
}

void NewFile::close() {
  if (!is_open()) return;
  // A full disk is said here where writes wait in memory, as on NFS.
  if (::close(std::exchange(descriptor_, -1)) != 0) tell_lost(errno);
}

void NewFile::tell_lost(int error) const {
  say(name_ + " cannot be written: " + std::strerror(error) + "; the rest is lost");
}

}  // namespace gatherbench::star
