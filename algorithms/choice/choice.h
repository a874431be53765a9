// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/choice/message_form.h"
#include "algorithms/order.h"
#include "algorithms/parameter.h"
#include "algorithms/registry.h"
#include "algorithms/schedule.h"

namespace gatherbench::algorithms {

/// Returns the value as the user writes it: "2", "4x2", "auto", "32K", "13ms", "measured",
/// "bruck_in_place".
std::string to_text(const ParameterValue& value);

/// Returns the value of this parameter that the text names. Throws InputError that names `option`.
ParameterValue parse_value(std::string_view option, const Parameter& parameter,
                           std::string_view text);

/// Returns the kind of its values: "count", "list", "bytes", "time", "start time" or "algorithm".
std::string_view kind_of(const Parameter& parameter);

/// The text before a policy, in "adaptive:policy=agstar".
inline constexpr std::string_view policy_key = "policy=";

/// An algorithm as the user asked for it: "ring", "bruck:k=4", "native:linear",
/// "sparbit:noncontiguous=packed:batch=4", "ring:via=window", "bruck@paired:k=4", "file:PATH",
/// which is called by the name of the file without folders and its last suffix.
struct Choice {
  const Algorithm* algorithm;
  std::string variant = {};              ///< what stood after the colon; empty: nothing
  ParameterValues parameters = {};       ///< their values, or the defaults
  std::optional<MessageForm> form = {};  ///< none: as for all algorithms of the launch
  Via via = Via::messages;
  Stage stage = {};
  const NamedOrder* order = nullptr;  ///< of the ranks, "paired" of "bruck@paired"; null: theirs
  std::string path = {};              ///< of the file with its schedule; empty: it has none
  /// The schedules of that file, once it is read (algorithms/proof/schedule_file.h).
  std::shared_ptr<const std::vector<Schedule>> schedules = {};

  /// Returns the MPI library's own algorithm, "linear" of "native:linear"; empty: it is another, or
  /// none is named.
  [[nodiscard]] std::string_view library_algorithm() const;
  /// Returns how it selects, "agstar" of "adaptive:policy=agstar"; empty: it does not, or it is not
  /// said.
  [[nodiscard]] std::string_view policy() const;
  /// Returns the same, of buffers that are where its blocks are moved.
  [[nodiscard]] Choice unstaged() const;
  /// Returns whether it says what its transfers become, which no schedule knows.
  [[nodiscard]] bool says_form() const { return form || via != Via::messages; }
  /// Returns the choice as the user writes it and the result file holds it.
  [[nodiscard]] std::string label() const;
  bool operator==(const Choice&) const = default;
};

/// Returns the algorithm with its default parameters. By a window it has to have a schedule.
Choice choice_of(const Algorithm& algorithm, Via via = Via::messages);
/// Returns the choice, which goes by messages, by a window.
Choice by_window(Choice choice);

/// Throws InputError that names `option` if a parameter is outside of its range at this p, unless
/// the range is empty there, which is the algorithm's own reason not to run.
void require_parameter(std::string_view option, const Choice& choice, int ranks);

/// Returns the first parameter whose range does not hold its value at this p; null if there is
/// none.
const Parameter* parameter_out_of_range(const Choice& choice, int ranks);

/// Returns a line for --list of each parameter, such as "bruck:k= radix, 2 or more [2]".
std::vector<std::string> parameter_texts(const Algorithm& algorithm);

/// Returns the form of its messages, where all other algorithms have the form `all`.
MessageForm form_of(const Choice& choice, Noncontiguous all);

/// Returns whether it takes a buffer as large as the result, but on rank 0. In an order of the
/// ranks every block is worked on at its final place.
bool uses_scratch(const Choice& choice);

/// Returns whether equal blocks of another size may move in other transfers: the algorithm or its
/// file cuts them into segments, or an inner one sends them in pieces of so many bytes.
bool moves_by_size(const Choice& choice);

/// Returns whether the algorithm needs to know the time of a block's message, and the user gave
/// none.
bool needs_message_time(const Choice& choice);

/// Returns whether the algorithm needs to know the time that a message takes to start, and the user
/// gave none.
bool needs_start_time(const Choice& choice);

/// Returns the problem for `ranks` ranks with the choice's parameters, times, order and file.
Problem problem_for(const Choice& choice, int ranks);

}  // namespace gatherbench::algorithms
