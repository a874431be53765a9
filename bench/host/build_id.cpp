// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/build_id.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace gatherbench::bench {
namespace {

constexpr std::array owner{'G', 'N', 'U', '\0'};

/// Each part of a note begins at a multiple of four bytes.
std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// Returns the build id among the notes of one segment; empty if there is none.
std::string id_in(std::span<const unsigned char> notes) {
  ElfW(Nhdr) head{};
  while (notes.size() >= sizeof head) {
    std::memcpy(&head, notes.data(), sizeof head);
    const std::size_t name = sizeof head;
    const std::size_t text = name + padded(head.n_namesz);
    const std::size_t end = text + padded(head.n_descsz);
    if (end > notes.size()) break;
    const bool is_gnus =
        head.n_namesz == owner.size() && std::memcmp(&notes[name], owner.data(), owner.size()) == 0;
    if (is_gnus && head.n_type == NT_GNU_BUILD_ID) {
      std::string id;
      for (const unsigned char byte : notes.subspan(text, head.n_descsz)) {
        id += fmt::format("{:02x}", byte);
      }
      return id;
    }
    notes = notes.subspan(end);
  }
  return {};
}

int find_id(dl_phdr_info* program, std::size_t /*bytes*/, void* found) {
  for (const ElfW(Phdr) & segment : std::span(program->dlpi_phdr, program->dlpi_phnum)) {
    if (segment.p_type != PT_NOTE) continue;
    const ElfW(Addr) address = program->dlpi_addr + segment.p_vaddr;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers
    const auto* const begin = reinterpret_cast<const unsigned char*>(address);
    const std::string id = id_in({begin, segment.p_memsz});
    if (!id.empty()) *static_cast<std::string*>(found) = id;
  }
  return 1;  // the first is the program itself; libraries follow
}

}  // namespace

std::string build_id() {
  std::string id;
  dl_iterate_phdr(find_id, &id);
  return id;
}

}  // namespace gatherbench::bench
