// SPDX-License-Identifier: BSD-3-Clause
#include "formats/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace gatherbench::formats {
namespace {

// Rows are numbers in columns: this is nearly as small as the best level, in a third of its time.
constexpr int level = 3;
constexpr int gzip_format = 16 + MAX_WBITS;
constexpr int memory_level = 8;  // zlib's default

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
constexpr std::size_t max_at_once = std::numeric_limits<uInt>::max();

/// Returns the text as zlib takes its input: not as const, though zlib writes nothing there.
Bytef* bytes_of(std::string_view text) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
}

}  // namespace

bool is_gzip(std::string_view path) { return path.ends_with(".gz"); }

std::string gzip_member(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, gzip_format, memory_level, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
  std::string member;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const std::size_t some = std::min(text.size(), max_at_once);
      stream.next_in = bytes_of(text);
      stream.avail_in = static_cast<uInt>(some);
      text.remove_prefix(some);
    }
    const std::size_t before = member.size();
    member.resize(before + chunk_bytes);
    stream.next_out = reinterpret_cast<Bytef*>(member.data() + before);
    stream.avail_out = static_cast<uInt>(chunk_bytes);
    state = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
    member.resize(before + chunk_bytes - stream.avail_out);
  }
  deflateEnd(&stream);
  return member;
}

std::optional<std::size_t> read_gzip_member(std::string_view data, std::string& text) {
  text.clear();
  z_stream stream{};
  if (inflateInit2(&stream, gzip_format) != Z_OK) throw std::bad_alloc();
  std::size_t given = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    if (stream.avail_in == 0) {
      const std::string_view some = data.substr(given, max_at_once);
      if (some.empty()) break;  // it is cut off
      stream.next_in = bytes_of(some);
      stream.avail_in = static_cast<uInt>(some.size());
      given += some.size();
    }
    const std::size_t before = text.size();
    text.resize(before + chunk_bytes);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    stream.avail_out = static_cast<uInt>(chunk_bytes);
    state = inflate(&stream, Z_NO_FLUSH);
    text.resize(before + chunk_bytes - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state == Z_STREAM_END) return given - stream.avail_in;
  text.clear();
  // Z_BUF_ERROR: the input has ended.
  if (state == Z_OK || state == Z_BUF_ERROR) return 0;
  return std::nullopt;
}

}  // namespace gatherbench::formats
