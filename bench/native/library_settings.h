// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The user or the site may have set variables of the MPI library and its transports: which
// algorithm `native` is depends on them.
namespace gatherbench::bench {

/// The first text stands for no settings. Settings that ranks do not share begin with the second.
inline constexpr std::string_view no_settings = "none";
inline constexpr std::string_view unlike_settings = "unlike: ";

/// Values by the names of environment variables; std::map, so that they are sorted.
using LibrarySettings = std::map<std::string, std::string, std::less<>>;

/// Returns the settings of an environment ("NAME=VALUE") that steer calls.
LibrarySettings settings_in(std::span<const char* const> environment);
/// Returns the settings of this process.
LibrarySettings settings_in_environment();

/// Adds what parameter files say ("name = value" a line; one that begins with # is a comment) and
/// `settings` does not, each name behind `prefix`. An earlier file goes before a later one. One
/// that cannot be read says nothing.
void add_parameter_files(LibrarySettings& settings, std::string_view prefix,
                         std::span<const std::filesystem::path> files);

/// Returns settings as text: "NAME=VALUE NAME=VALUE", or "none". `in_force` returns the library's
/// own word for what a variable is set to, if it tells; the same setting has several spellings. A
/// checksum follows the name of a file that can be read: it may say something else tomorrow.
std::string text_of(const LibrarySettings& settings,
                    const std::function<std::optional<std::string>(const std::string&)>& in_force);

/// Returns as text all that is set of the library at hand. `environment` is that before anybody of
/// this program changed it. MPI has to be initialised.
std::string describe_library_settings(LibrarySettings environment);

}  // namespace gatherbench::bench
