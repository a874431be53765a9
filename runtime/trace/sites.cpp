// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/trace/sites.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <memory>
#include <sstream>
#include <utility>

#include "runtime/trace/environment.h"

namespace gatherbench::trace {
namespace {

std::string readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return name ? name.get() : symbol;
}

std::string describe(std::uint32_t number, const void* address) {
  std::ostringstream line;
  line << number << std::hex << "\t0x";
  Dl_info info{};
  link_map* module = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) == 0) {
    line << reinterpret_cast<std::uintptr_t>(address) << "\t\t";
    return line.str();
  }
  line << reinterpret_cast<std::uintptr_t>(address) - module->l_addr << '\t';
  if (info.dli_sname != nullptr) {
    line << readable(info.dli_sname) << "+0x"
         << static_cast<const char*>(address) - static_cast<const char*>(info.dli_saddr);
  }
  // The program itself has no name there, and in `info` the one it was called by.
  line << '\t' << (module->l_name[0] == '\0' ? path_of_program() : module->l_name);
  return line.str();
}

}  // namespace

Sites::Slot& Sites::slot_of(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  std::size_t place = (bits ^ bits >> 7) & (slots_.size() - 1);
  while (slots_[place].address != nullptr && slots_[place].address != address) {
    place = (place + 1) & (slots_.size() - 1);
  }
  return slots_[place];
}

std::uint32_t Sites::number(const void* address) {
  if (Slot& found = slot_of(address); found.address != nullptr) return found.number;
  if (2 * (count_ + 1) > slots_.size()) {
    const auto before = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (const Slot& slot : before) {
      if (slot.address != nullptr) slot_of(slot.address) = slot;
    }
  }
  slot_of(address) = {address, count_};
  return count_++;
}

std::vector<std::string> Sites::lines_from(std::uint32_t first) const {
  std::vector<std::string> lines(count_ - first);
  for (const Slot& slot : slots_) {
    if (slot.address != nullptr && slot.number >= first) {
      lines[slot.number - first] = describe(slot.number, slot.address);
    }
  }
  return lines;
}

}  // namespace gatherbench::trace
