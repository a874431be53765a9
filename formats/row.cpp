// SPDX-License-Identifier: BSD-3-Clause
#include "formats/row.h"

#include <array>

namespace gatherbench::formats {
namespace {

constexpr std::array words{
    StatusWord{Status::ok, "ok", "timed", true},
    StatusWord{Status::late, "late",
               "`--sync window`: a rank came or left too late for the agreed start, by over 5 % of "
               "the median time, so the times do not count",
               true},
    StatusWord{Status::skipped, "skipped", "cannot run here", false},
    StatusWord{Status::wrong, "wrong", "a byte was wrong; never a time", false},
};

}  // namespace

std::span<const StatusWord> statuses() { return words; }

std::string_view name_of(Status status) { return words[static_cast<std::size_t>(status)].name; }

}  // namespace gatherbench::formats
