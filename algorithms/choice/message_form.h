// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/text/named.h"

namespace gatherbench::algorithms {

/// The ways in which blocks that do not lie together travel to one peer (Loch 2021, 4.3).
enum class Noncontiguous {
  pipelined,  ///< a message for each run of blocks that are neighbours
  packed,     ///< copied into one message, and out of it
  datatype,   ///< one message, described by an MPI datatype
};

inline constexpr std::array noncontiguous_names{
    text::Named<Noncontiguous>{"pipelined", Noncontiguous::pipelined},
    text::Named<Noncontiguous>{"packed", Noncontiguous::packed},
    text::Named<Noncontiguous>{"datatype", Noncontiguous::datatype}};

/// The ways of a transfer between ranks that share memory. To others it is messages.
enum class Via {
  messages,
  window,  ///< copies into a window of shared memory, and out of it
};

inline constexpr std::array via_names{text::Named<Via>{"messages", Via::messages},
                                      text::Named<Via>{"window", Via::window}};

/// Says whether blocks of buffers in a device are moved there, or in copies on the host.
struct Stage {
  bool on_host = false;
  std::int64_t pieces = 1;  ///< each is copied while the blocks of another one are moved
  bool operator==(const Stage&) const = default;
};

inline constexpr std::array stage_names{text::Named<bool>{"host", true}};

/// The messages that the blocks of a transfer become. Runs are blocks that are neighbours.
struct MessageForm {
  Noncontiguous noncontiguous = Noncontiguous::pipelined;
  std::int64_t batch = 0;  ///< most runs of a message, 1 or more; 0: all, where not pipelined
  bool operator==(const MessageForm&) const = default;
};

/// The text of --help and --list about what any algorithm of ours takes after its name.
inline constexpr std::string_view message_form_text =
    "noncontiguous=pipelined|packed|datatype, and batch=K: K runs of blocks a message [packed]; "
    "via=messages|window: within a node by messages, or by copies through shared memory";

/// The text of --help and --list about what any algorithm takes for buffers in a device.
inline constexpr std::string_view staging_text =
    "stage=host, of buffers in a device: copied to the host, moved there, copied back; and "
    "pieces=K: each block in K pieces, of which some are copied while others are moved";

/// Returns whether a text such as "batch=4" is, by its key, about what the blocks of any algorithm
/// become.
bool is_of_message_form(std::string_view text);

/// Reads "noncontiguous=packed" or "batch=4" into the form. Returns false if it is neither. Throws
/// InputError that names `option`.
bool read_message_form(std::string_view option, std::string_view text, MessageForm& form);

/// Reads a text such as "via=window" into `via`. Returns false if it is another one. Throws
/// InputError that names `option`.
bool read_via(std::string_view option, std::string_view text, Via& via);

/// Returns the text that read_via reads.
std::string via_text(Via via);

/// Takes "stage=host" and "pieces=4" off the parts between colons, if they are among them. Throws
/// InputError that names `option`.
Stage take_stage(std::string_view option, std::string& parts);
/// Returns the text that take_stage takes.
std::string stage_text(const Stage& stage);

}  // namespace gatherbench::algorithms
