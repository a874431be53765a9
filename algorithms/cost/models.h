// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/choice/message_form.h"
#include "algorithms/topology/network.h"

// The models of cost as the programs write them and read them, and the links that messages share.
namespace gatherbench::cost {

/// A message of n bytes takes alpha + n beta, and n gamma more where it is combined with what the
/// receiver has. Seconds and seconds a byte.
struct Hockney {
  double alpha;
  double beta;
  double tau = 0;    ///< of each further message to the same peer in a step (Loch 2021, 4.3)
  double gamma = 0;  ///< of an operator
};

/// The first characters of such a model's text.
inline constexpr std::string_view hockney_prefix = "hockney:";

/// Returns the model as text, such as "hockney:alpha=1e-06,beta=1e-09,tau=1e-07", with the digits
/// that a measurement can have, and gamma if it is not 0.
std::string text_of(const Hockney& model);

/// Returns the form of the parameters of Hockney, for people:
/// "alpha=SECONDS,beta=SECONDS_A_BYTE,tau=SECONDS,gamma=SECONDS_A_BYTE".
std::string hockney_forms();

/// Reads what hockney_forms() says, which follows the prefix; tau and gamma may be missing. Throws
/// InputError that names `option`.
Hockney parse_hockney(std::string_view option, std::string_view text);

/// Bandwidths in bytes of messages a second, more than 0. What a rank sends to others of its host
/// shares what it alone copies, and so does what it receives from them; the messages of all ranks
/// of a host share its memory.
struct HostMemory {
  double copy_bandwidth;
  double memory_bandwidth;
};

/// The model of a transfer between two ranks of a host by `via=window`: one of n bytes takes alpha
/// seconds for its flags, and n over the bandwidth for its two copies, which overlap. All that a
/// rank sends to others of its host shares the bandwidth, and so does all that it receives from
/// them; the copies of all ranks of a host share its memory. The bandwidth is bytes of transfers a
/// second, more than 0.
struct HostWindow {
  double alpha = 0;
  double bandwidth = std::numeric_limits<double>::infinity();
  /// The bandwidth of the memory; if infinite, that of HostMemory counts, if there is one.
  double memory_bandwidth = std::numeric_limits<double>::infinity();
};

/// Returns true if a transfer of so many bytes is copies instead of messages. `node` has each
/// rank's node; empty: all ranks are on one.
inline bool is_copied(algorithms::Via via, std::span<const int> node, int sender, int receiver,
                      std::int64_t bytes) {
  if (via == algorithms::Via::messages || bytes == 0) return false;
  return node.empty() ||
         node[static_cast<std::size_t>(sender)] == node[static_cast<std::size_t>(receiver)];
}

/// Speeds of the links that messages share within a host, as multiples of the bandwidth of a host's
/// link. The default is for where no memory is given: a rank sends to others of its host, and
/// receives from them, as fast as over one link.
struct HostSpeeds {
  double copy = 1;
  double memory = std::numeric_limits<double>::infinity();
};
/// Returns the speeds; with a window, those of its copies instead of messages.
HostSpeeds host_speeds(const std::optional<HostMemory>& memory, double bandwidth,
                       const std::optional<HostWindow>& window = {});

/// The links that messages between ranks share: those of the network, and behind them those within
/// hosts. These are of each rank one for what it sends and one for what it receives, then of each
/// host its memory.
class Paths {
 public:
  /// `host` has the host of each rank. It and the network must outlive this.
  Paths(const topology::Network& network, std::span<const int> host, const HostSpeeds& within);
  [[nodiscard]] int links() const { return static_cast<int>(speed_.size()); }
  /// Returns the speed as a multiple of the bandwidth of a host's link.
  [[nodiscard]] double speed(int link) const { return speed_[static_cast<std::size_t>(link)]; }
  /// Appends each link that a message between two ranks passes, once.
  void add_links(int sender, int receiver, std::vector<int>& links) const;

 private:
  const topology::Network& network_;
  std::span<const int> host_;
  std::vector<double> speed_;
};

/// Returns the form of the parameters of HostMemory, for people:
/// "copy_bandwidth=BYTES_A_SECOND,memory_bandwidth=BYTES_A_SECOND".
std::string memory_forms();

/// The parameters of a model, split into those of memory_forms() and the others, which are as they
/// were. The memory is none if neither of its parameters is given.
struct ParametersWithMemory {
  std::string others;
  std::optional<HostMemory> memory = {};
};
/// Splits the parameters. Throws InputError that names `option`, also if only one of the two is
/// given.
ParametersWithMemory split_host_memory(std::string_view option, std::string_view parameters);

/// Returns the memory as text, such as "copy_bandwidth=3e+09,memory_bandwidth=1.2e+10".
std::string text_of(const HostMemory& memory);

/// Returns the form of the parameters of HostWindow, for people:
/// "window_alpha=SECONDS,window_bandwidth=BYTES_A_SECOND,window_memory_bandwidth=BYTES_A_SECOND".
std::string window_forms();
/// Returns the names of those of its parameters that have to be there:
/// "window_alpha= and window_bandwidth=".
std::string needed_of_window();

/// The parameters of a model, split into those of window_forms() and the others. The window is none
/// if none of its parameters is given; the last one may be missing.
struct ParametersWithWindow {
  std::string others;
  std::optional<HostWindow> window = {};
};
/// Splits the parameters. Throws InputError that names `option`.
ParametersWithWindow split_host_window(std::string_view option, std::string_view parameters);

/// Returns what is finite of the window as text, such as
/// "window_alpha=1e-07,window_bandwidth=1.2e+10,window_memory_bandwidth=4e+10".
std::string text_of(const HostWindow& window);

/// The model of a step: it takes alpha, a share of alpha for each further message of the rank that
/// has most, and the bytes over its most loaded link at the bandwidth. In seconds, and bytes a
/// second.
struct ContentionModel {
  double alpha;
  double bandwidth;
  /// Part of alpha that each further message of a step costs: 1 if a rank's start-ups do not
  /// overlap, 0 if all of a step do.
  double further = 1;
  /// The memory of a host; none: the default of HostSpeeds.
  std::optional<HostMemory> memory = {};
};

/// Returns the form of the parameters of ContentionModel, for people:
/// "alpha=SECONDS,bandwidth=BYTES_A_SECOND,further=SHARE".
std::string contention_forms();

/// Reads what contention_forms() says, which follows "contention:", and what split_host_memory
/// reads. `further` and the memory may be missing; bandwidths are more than 0. Throws InputError
/// that names `option`.
ContentionModel parse_contention(std::string_view option, std::string_view text);

}  // namespace gatherbench::cost
