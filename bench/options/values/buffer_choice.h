// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/text/named.h"

// --buffers: the state of a rank's buffers, and of its caches, when a call begins.
namespace gatherbench::bench {

/// The kind of pages that a buffer lies in.
enum class Pages {
  as_usual,  ///< as the kernel does it for programs that say nothing
  small,     ///< never huge ones
  huge,      ///< whole huge ones (transparent), which hold nothing else
};

inline constexpr std::array pages_names{text::Named<Pages>{"usual", Pages::as_usual},
                                        text::Named<Pages>{"small", Pages::small},
                                        text::Named<Pages>{"huge", Pages::huge}};

/// The kind of memory that a buffer lies in.
enum class BuffersIn {
  own,           ///< the rank's own, as `new` gives it
  window,        ///< that the ranks of a node share
  cuda,          ///< of a device of NVIDIA's
  cuda_managed,  ///< the same, and the driver moves it to whoever uses it
  hip,           ///< of a device of AMD's
};

inline constexpr std::array buffers_in_names{
    text::Named<BuffersIn>{"private", BuffersIn::own},
    text::Named<BuffersIn>{"window", BuffersIn::window},
    text::Named<BuffersIn>{"cuda", BuffersIn::cuda},
    text::Named<BuffersIn>{"cuda-managed", BuffersIn::cuda_managed},
    text::Named<BuffersIn>{"hip", BuffersIn::hip}};

constexpr bool is_of_device(BuffersIn in) {
  return in != BuffersIn::own && in != BuffersIn::window;
}

inline constexpr std::int64_t huge_page_bytes = std::int64_t{2} << 20;
inline constexpr std::int64_t page_bytes = 4096;

/// This says where one buffer lies.
struct BufferPlace {
  std::int64_t offset = 0;  ///< bytes behind the begin of a page, less than one
  Pages pages = Pages::as_usual;
  BuffersIn in = BuffersIn::own;

  /// Returns how many bytes have to be set aside for a buffer of so many, these included.
  [[nodiscard]] std::int64_t set_aside(std::int64_t bytes) const;
};

/// The distances of the send and the receive buffers from the begin of a page (--buffer-offset), in
/// bytes, less than a page each.
struct BufferOffsets {
  /// Places that are drawn are multiples of this, as those of an allocator are.
  static constexpr std::int64_t drawn_unit = 16;

  std::int64_t send = 0;
  std::int64_t receive = 0;
  /// Each launch draws both. Before it has, they are the largest that it may draw.
  bool random = false;

  /// Returns these offsets, drawn if they are random. By the seed of the launch all ranks draw the
  /// same.
  [[nodiscard]] BufferOffsets drawn(std::uint64_t seed) const;
  /// Returns what the option takes, with one number where both are equal.
  [[nodiscard]] std::string text() const;
  /// Returns what a row of a file says: `SEND,RECEIVE` or `random`.
  [[nodiscard]] std::string in_row() const;
  /// Returns `SEND,RECEIVE`, of random ones too.
  [[nodiscard]] std::string in_numbers() const;
  /// Returns whether elements of so many bytes may begin where no multiple of their bytes is.
  [[nodiscard]] bool cut(std::int64_t element_bytes) const;
};

/// These are for --help and messages.
inline constexpr std::array<std::string_view, 3> offset_forms{"BYTES", "SEND,RECEIVE", "random"};

/// Reads one of these forms. Throws InputError.
BufferOffsets parse_offsets(std::string_view option, std::string_view text);

/// The places of the send and the receive buffers.
struct BufferPlaces {
  BufferOffsets offsets = {};
  Pages pages = Pages::as_usual;
  BuffersIn in = BuffersIn::own;
  std::vector<int> devices = {};  ///< that the ranks of a node use in turn; empty: all

  [[nodiscard]] BufferPlace send() const { return {offsets.send, pages, in}; }
  [[nodiscard]] BufferPlace receive() const { return {offsets.receive, pages, in}; }
};

enum class BufferUse {
  same,    ///< untouched between calls, as in the OSU benchmarks
  fresh,   ///< the rank has just written what it sends, as a program has that computed it
  rotate,  ///< each call has another pair of buffers, of a ring of them
  cold,    ///< the caches hold something else
};

struct BufferChoice {
  BufferUse use = BufferUse::fresh;
  /// rotate: what the ring spans at least; cold: what is read between calls, 0: twice the cache.
  std::int64_t bytes = 0;

  /// Returns the text that the option takes, with the bytes as a plain number.
  [[nodiscard]] std::string text() const;
};

inline constexpr std::array buffer_names{text::Named<BufferUse>{"same", BufferUse::same},
                                         text::Named<BufferUse>{"fresh", BufferUse::fresh},
                                         text::Named<BufferUse>{"rotate", BufferUse::rotate},
                                         text::Named<BufferUse>{"cold", BufferUse::cold}};

/// The forms of the option, for --help and messages.
inline constexpr std::array<std::string_view, 5> buffer_forms{"same", "fresh", "rotate:BYTES",
                                                              "cold", "cold:BYTES"};

/// Reads one of these forms, BYTES as --sizes takes them. Throws InputError.
BufferChoice parse_buffers(std::string_view option, std::string_view text);

}  // namespace gatherbench::bench
