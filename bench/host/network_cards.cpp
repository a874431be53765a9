// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/network_cards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/host/entries.h"
#include "bench/host/first_line.h"

namespace gatherbench::bench {
namespace {

namespace fs = std::filesystem;

/// Omni-Path tells InfiniBand as its link layer; its driver's devices are hfi1_0 and so on. What
/// has Ethernet as its link layer (RoCE) is among the Ethernet cards, too.
std::string infiniband_card(const fs::path& device) {
  std::string text;
  const std::vector<fs::path> ports = sorted_entries(device / "ports");
  for (const fs::path& port : ports) {
    const auto state = first_line(port / "state");  // "4: ACTIVE"
    const auto rate = first_line(port / "rate");
    auto kind = first_line(port / "link_layer");
    if (!state || !kind || !state->ends_with(": ACTIVE")) continue;
    const std::string name = device.filename();
    if (name.starts_with("hfi1_")) kind = "Omni-Path";
    text += fmt::format("{}{}{} {}{}{}", text.empty() ? "" : ", ", name,
                        ports.size() > 1 ? " port " + port.filename().string() : "",
                        *kind == "Ethernet" ? "RoCE" : *kind, rate ? " " : "", rate.value_or(""));
  }
  return text;
}

std::string ethernet_card(const fs::path& card) {
  constexpr std::string_view arphrd_ether = "1";
  std::error_code none;
  const bool is_up = first_line(card / "operstate") == "up";
  if (!is_up || first_line(card / "type") != arphrd_ether || !fs::exists(card / "device", none)) {
    return {};
  }
  std::string text = fmt::format("{} Ethernet", card.filename().string());
  const std::string speed = first_line(card / "speed").value_or("");
  int megabits = 0;  // a second; -1: not told
  std::from_chars(speed.data(), speed.data() + speed.size(), megabits);
  if (megabits > 0) text += fmt::format(" {:g} Gb/s", megabits / 1000.0);
  const fs::path driver = fs::read_symlink(card / "device/driver", none);
  if (!driver.empty()) text += fmt::format(" ({})", driver.filename().string());
  return text;
}

}  // namespace

std::string read_network_cards(const fs::path& root) {
  std::vector<std::string> cards;
  const auto add = [&](std::string text) {
    if (!text.empty()) cards.push_back(std::move(text));
  };
  for (const fs::path& device : sorted_entries(root / "sys/class/infiniband")) {
    add(infiniband_card(device));
  }
  for (const fs::path& card : sorted_entries(root / "sys/class/net")) add(ethernet_card(card));
  return fmt::format("{}", fmt::join(cards, ", "));
}

}  // namespace gatherbench::bench
