// SPDX-License-Identifier: BSD-3-Clause
#include "formats/metadata.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace gatherbench::formats {
namespace {

struct PurposeRow {
  Purpose purpose;
  std::string_view name;
  bool Role::*member;
};

constexpr std::array purposes{
    PurposeRow{Purpose::resume, "resume", &Role::resume},
    PurposeRow{Purpose::duet, "duet", &Role::duet},
    PurposeRow{Purpose::pool, "pool", &Role::pool},
    PurposeRow{Purpose::compare, "compare", &Role::compare},
};

const PurposeRow& row_of(Purpose purpose) {
  return *std::ranges::find(purposes, purpose, &PurposeRow::purpose);
}

}  // namespace

bool Role::holds(Purpose purpose) const { return this->*row_of(purpose).member; }

std::vector<std::string_view> names_of(const Role& role) {
  std::vector<std::string_view> names;
  for (const PurposeRow& row : purposes) {
    if (role.*row.member) names.push_back(row.name);
  }
  return names;
}

const MetadataKey* find_key(std::string_view key) {
  const std::span<const MetadataKey> table = metadata_keys();
  const auto known = std::ranges::find_if(table, [&](const MetadataKey& row) {
    return row.is_prefix ? key.starts_with(row.key) : key == row.key;
  });
  return known == table.end() ? nullptr : &*known;
}

Metadata select(const Metadata& metadata, Purpose purpose) {
  Metadata selected;
  std::ranges::copy_if(metadata, std::back_inserter(selected), [&](const auto& entry) {
    const MetadataKey* const row = find_key(entry.first);
    return row != nullptr && row->must_agree_to.holds(purpose);
  });
  return selected;
}

const std::string* find_value(const Metadata& metadata, std::string_view key) {
  const auto entry =
      std::ranges::find_if(metadata, [&](const auto& each) { return each.first == key; });
  return entry == metadata.end() ? nullptr : &entry->second;
}

}  // namespace gatherbench::formats
