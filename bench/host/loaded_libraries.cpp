// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/loaded_libraries.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <span>

#include "formats/text/parse.h"

namespace gatherbench::bench {
namespace {

struct Library {
  std::string path;
  std::string build_id;  // in hexadecimal; empty: it has none
};

std::span<const ElfW(Phdr)> segments_of(const dl_phdr_info& object) {
  return {object.dlpi_phdr, object.dlpi_phnum};
}

const std::byte* address_in(const dl_phdr_info& object, const ElfW(Phdr) & segment) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers
  return reinterpret_cast<const std::byte*>(object.dlpi_addr + segment.p_vaddr);
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return text;
}

/// Returns the build ID among these notes in hexadecimal, or an empty text. A note is a header, a
/// name and a description, the latter two filled up to multiples of 4 bytes.
std::string build_id_in(std::span<const std::byte> notes) {
  const auto filled = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof header);
    const std::size_t name = sizeof header;
    const std::size_t description = name + filled(header.n_namesz);
    const std::size_t end = description + filled(header.n_descsz);
    if (end > notes.size()) break;
    const bool is_gnu = header.n_namesz == sizeof ELF_NOTE_GNU &&
                        std::memcmp(&notes[name], ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0;
    if (is_gnu && header.n_type == NT_GNU_BUILD_ID) {
      return hexadecimal(notes.subspan(description, header.n_descsz));
    }
    notes = notes.subspan(end);
  }
  return {};
}

std::string build_id_of(const dl_phdr_info& object) {
  for (const ElfW(Phdr) & segment : segments_of(object)) {
    if (segment.p_type != PT_NOTE) continue;
    std::string id = build_id_in({address_in(object, segment), segment.p_memsz});
    if (!id.empty()) return id;
  }
  return {};
}

/// Returns the first object of the process that fits. The program itself comes first, without a
/// name.
std::optional<Library> find_loaded(const std::function<bool(const dl_phdr_info&)>& fits) {
  struct Search {
    const std::function<bool(const dl_phdr_info&)>& fits;
    std::optional<Library> found;
  } search{fits, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t /*size*/, void* data) {
        auto& asked = *static_cast<Search*>(data);
        if (!asked.fits(*object)) return 0;
        asked.found = {object->dlpi_name, build_id_of(*object)};
        return 1;
      },
      &search);
  return search.found;
}

bool holds(const dl_phdr_info& object, const void* address) {
  for (const ElfW(Phdr) & segment : segments_of(object)) {
    const std::byte* const begin = address_in(object, segment);
    if (segment.p_type == PT_LOAD && address >= begin && address < begin + segment.p_memsz) {
      return true;
    }
  }
  return false;
}

/// Finds the MPI library by a profiling name, which libraries that wrap MPI calls leave to it.
std::optional<Library> find_mpi_library() {
  const void* const address = dlsym(RTLD_DEFAULT, "PMPI_Get_library_version");
  if (address == nullptr) return std::nullopt;
  return find_loaded([&](const dl_phdr_info& object) { return holds(object, address); });
}

std::string canonical(const std::string& path) {
  std::error_code none;
  const auto found = std::filesystem::canonical(path, none);
  return none ? path : found.string();
}

}  // namespace

std::string build_id() {
  const auto program = find_loaded([](const dl_phdr_info&) { return true; });
  return program ? program->build_id : "";
}

std::string without_comments(std::string_view file) {
  std::string names;
  for (const std::string_view line : text::split(file, '\n')) {
    names += line.substr(0, line.find('#'));
    names += '\n';
  }
  return names;
}

std::string describe_preloads(std::string_view names) {
  constexpr std::string_view between = " :\n\t";
  std::string text;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find_first_of(between), names.size());
    const std::string name(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
    if (name.empty()) continue;
    // The loader replaces $LIB, $ORIGIN and $PLATFORM, so such a path is told by its last part.
    const bool is_path = name.find('/') != name.npos && name.find('$') == name.npos;
    const auto library = find_loaded([&](const dl_phdr_info& object) {
      const std::string loaded = object.dlpi_name;  // empty: the program
      if (is_path) return canonical(loaded) == canonical(name);
      const std::filesystem::path last = std::filesystem::path(loaded).filename();
      return !last.empty() && last == std::filesystem::path(name).filename();
    });
    if (!text.empty()) text += ", ";
    text += library ? library->path : name;
    if (!library) {
      text += " (not loaded)";
    } else if (!library->build_id.empty()) {
      text += fmt::format(" (build-id {})", library->build_id);
    }
  }
  return text;
}

formats::Metadata describe_loaded_libraries() {
  formats::Metadata found;
  if (const auto mpi = find_mpi_library(); mpi && !mpi->path.empty()) {
    found.emplace_back("mpi_library", canonical(mpi->path));
    if (!mpi->build_id.empty()) found.emplace_back("mpi_build_id", mpi->build_id);
  }
  const char* const variable = std::getenv("LD_PRELOAD");
  std::ifstream file("/etc/ld.so.preload");
  const std::string everywhere{std::istreambuf_iterator<char>(file), {}};
  if (std::string preloads = describe_preloads(
          fmt::format("{}\n{}", variable == nullptr ? "" : variable, without_comments(everywhere)));
      !preloads.empty()) {
    found.emplace_back("preload", std::move(preloads));
  }
  return found;
}

}  // namespace gatherbench::bench
