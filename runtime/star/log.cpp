// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/log.h"

#include <cerrno>
#include <cstring>

#include "runtime/star/say.h"

namespace gatherbench::star {

void Log::open(const std::string& path, int rank) {
  if (path.empty()) return;
  const std::string name = path + "." + std::to_string(rank);
  file_.reset(std::fopen(name.c_str(), "wxe"));
  if (file_ == nullptr) {
    say("AGSTAR_LOG: '" + name + "' cannot be made: " + std::strerror(errno) + "; no log");
  }
}

void Log::line(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  if (file_ == nullptr) return;
  const std::string whole = std::string(text) + "\n";
  const bool written = std::fwrite(whole.data(), 1, whole.size(), file_.get()) == whole.size();
  if (!written || std::fflush(file_.get()) != 0) {
    say(std::string("AGSTAR_LOG: ") + std::strerror(errno) + "; the rest is lost");
    file_.reset();
  }
}

}  // namespace gatherbench::star
