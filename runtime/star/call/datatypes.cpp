// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/star/call/datatypes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/byte_types.h"

namespace gatherbench::star {
namespace {

constexpr int tag = 1;                                 // the plans' is 0
constexpr std::int64_t chunk = std::int64_t{1} << 30;  // of bytes that are packed at once

struct Envelope {
  int combiner = MPI_COMBINER_NAMED;
  bool one_inner_type = false;
};

// A type that was made with large counts has to be asked by the functions for these.
#if MPI_VERSION >= 4
Envelope envelope_of(MPI_Datatype type) {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count large = 0;
  MPI_Count types = 0;
  Envelope envelope;
  mpi::require(
      PMPI_Type_get_envelope_c(type, &integers, &addresses, &large, &types, &envelope.combiner),
      "MPI_Type_get_envelope_c");
  envelope.one_inner_type = integers <= 1 && addresses == 0 && large == 0 && types == 1;
  return envelope;
}

MPI_Datatype inner_type(MPI_Datatype type) {
  int integer = 0;
  MPI_Aint address = 0;
  MPI_Count large = 0;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  mpi::require(PMPI_Type_get_contents_c(type, 1, 0, 0, 1, &integer, &address, &large, &inner),
               "MPI_Type_get_contents_c");
  return inner;
}
#else
Envelope envelope_of(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  Envelope envelope;
  mpi::require(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &envelope.combiner),
               "MPI_Type_get_envelope");
  envelope.one_inner_type = integers <= 1 && addresses == 0 && types == 1;
  return envelope;
}

MPI_Datatype inner_type(MPI_Datatype type) {
  int integer = 0;
  MPI_Aint address = 0;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  mpi::require(PMPI_Type_get_contents(type, 1, 0, 1, &integer, &address, &inner),
               "MPI_Type_get_contents");
  return inner;
}
#endif

struct Bounds {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
};
Bounds bounds_of(MPI_Datatype type) {
  Bounds bounds;
  mpi::require(PMPI_Type_get_extent(type, &bounds.lower, &bounds.extent), "MPI_Type_get_extent");
  return bounds;
}

std::int64_t size_of(MPI_Datatype type) {
  MPI_Count bytes = 0;
  mpi::require(PMPI_Type_size_x(type, &bytes), "MPI_Type_size_x");
  return static_cast<std::int64_t>(bytes);
}

/// The facts about a named type, which is never freed.
struct NamedType {
  MPI_Datatype type{};
  std::int64_t bytes = 0;
  std::int64_t extent = 0;
  bool fills_its_extent = false;
};

/// Returns the facts about a named type; null for other types, whose handles may be used again. MPI
/// is asked once for those that this thread uses, since its answers take as long as a short call.
const NamedType* find_named(MPI_Datatype type) {
  constinit thread_local std::array<NamedType, 8> known [[gnu::tls_model("initial-exec")]];
  if (type == MPI_DATATYPE_NULL || type == MPI_Datatype{}) return nullptr;
  const std::size_t handle = std::hash<MPI_Datatype>{}(type);
  NamedType& place = known[(handle ^ (handle >> 9U)) % known.size()];
  if (place.type == type) return &place;
  if (envelope_of(type).combiner != MPI_COMBINER_NAMED) return nullptr;
  const Bounds bounds = bounds_of(type);
  const std::int64_t bytes = size_of(type);
  place = {type, bytes, bounds.extent, bounds.lower == 0 && bytes == bounds.extent};
  return &place;
}

/// Throws mpi::MpiError unless packing took as many bytes as the elements have: packed, they are
/// their bytes and nothing else, as long as elements are alike on all processes.
void require_plain(int position, std::int64_t bytes) {
  if (position != bytes) throw mpi::MpiError("MPI_Pack", MPI_ERR_TYPE);
}

/// Returns how many elements, of `bytes` bytes each, are packed by one call.
std::int64_t elements_at_once(std::int64_t count, std::int64_t bytes) {
  return std::min(count, std::max<std::int64_t>(1, chunk / std::max<std::int64_t>(bytes, 1)));
}

/// A buffer and its type. MPI_BOTTOM, where the type has the addresses, becomes a place in memory
/// and a type that counts from there: MPICH's MPI_Pack and MPI_Unpack refuse an address of 0.
template <typename Byte>
struct Buffer {
  Byte* start;
  MPI_Datatype type;
  mpi::Datatype moved;  // holds the type, if it is not the program's
};

template <typename Byte>
Buffer<Byte> addressed(Byte* start, MPI_Datatype type) {
  if (start != MPI_BOTTOM) return {start, type, {}};
  static std::byte anchor{};
  MPI_Aint place = 0;
  mpi::require(PMPI_Get_address(&anchor, &place), "MPI_Get_address");
  const int one = 1;
  const MPI_Aint back = -place;
  MPI_Datatype moved = MPI_DATATYPE_NULL;
  mpi::require(PMPI_Type_create_hindexed(1, &one, &back, type, &moved), "MPI_Type_create_hindexed");
  mpi::Datatype holder(moved);
  mpi::require(PMPI_Type_commit(&moved), "MPI_Type_commit");
  return {&anchor, moved, std::move(holder)};
}

/// Copies one element by a message to oneself: its bytes may be more than MPI_Pack's int can count.
void send_to_oneself(const void* from, MPI_Datatype from_type, void* to, MPI_Datatype to_type,
                     int rank, MPI_Comm comm) {
  mpi::require(PMPI_Sendrecv(from, 1, from_type, rank, tag, to, 1, to_type, rank, tag, comm,
                             MPI_STATUS_IGNORE),
               "MPI_Sendrecv");
}

}  // namespace

bool is_named(MPI_Datatype type) { return find_named(type) != nullptr; }

std::int64_t bytes_of(MPI_Datatype type) {
  if (const NamedType* const named = find_named(type)) return named->bytes;
  return type == MPI_DATATYPE_NULL ? 0 : size_of(type);
}

std::int64_t extent_of(MPI_Datatype type) {
  if (const NamedType* const named = find_named(type)) return named->extent;
  return bounds_of(type).extent;
}

Datatypes::Datatypes() {
  mpi::require(
      PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key_, nullptr),
      "MPI_Type_create_keyval");
}

Datatypes::~Datatypes() { PMPI_Type_free_keyval(&key_); }

bool Datatypes::is_contiguous(MPI_Datatype type) const {
  // A type may fill its extent in another order than that of its elements; a named one does not.
  if (const NamedType* const named = find_named(type)) return named->fills_its_extent;
  const Envelope envelope = envelope_of(type);
  const bool repeats_another =
      envelope.combiner == MPI_COMBINER_CONTIGUOUS || envelope.combiner == MPI_COMBINER_DUP;
  if (!repeats_another || !envelope.one_inner_type) return false;
  // The attribute's value is one of two addresses.
  static std::array<char, 2> answers{};
  void* attribute = nullptr;
  int found = 0;
  mpi::require(PMPI_Type_get_attr(type, key_, static_cast<void*>(&attribute), &found),
               "MPI_Type_get_attr");
  if (found != 0) return attribute == &answers[1];
  MPI_Datatype inner = inner_type(type);
  const bool contiguous = is_contiguous(inner);
  if (envelope_of(inner).combiner != MPI_COMBINER_NAMED) PMPI_Type_free(&inner);
  mpi::require(PMPI_Type_set_attr(type, key_, &answers[contiguous ? 1 : 0]), "MPI_Type_set_attr");
  return contiguous;
}

void pack(const void* from, std::int64_t count, MPI_Datatype type, std::byte* to, int rank,
          MPI_Comm comm) {
  const std::int64_t bytes = bytes_of(type);
  const std::int64_t extent = extent_of(type);
  const auto [start, based, moved] = addressed(static_cast<const std::byte*>(from), type);
  if (bytes > mpi::max_plain_bytes) {
    const mpi::Datatype as_bytes = mpi::make_large_type(bytes);
    for (std::int64_t i = 0; i < count; ++i) {
      send_to_oneself(start + i * extent, based, to + i * bytes, as_bytes.get(), rank, comm);
    }
    return;
  }
  const std::int64_t most = elements_at_once(count, bytes);
  for (std::int64_t done = 0; done < count; done += most) {
    const std::int64_t now = std::min(most, count - done);
    int position = 0;
    mpi::require(PMPI_Pack(start + done * extent, static_cast<int>(now), based, to + done * bytes,
                           static_cast<int>(now * bytes), &position, comm),
                 "MPI_Pack");
    require_plain(position, now * bytes);
  }
}

void unpack(const std::byte* from, void* to, std::int64_t count, MPI_Datatype type, int rank,
            MPI_Comm comm) {
  const std::int64_t bytes = bytes_of(type);
  const std::int64_t extent = extent_of(type);
  const auto [start, based, moved] = addressed(static_cast<std::byte*>(to), type);
  if (bytes > mpi::max_plain_bytes) {
    const mpi::Datatype as_bytes = mpi::make_large_type(bytes);
    for (std::int64_t i = 0; i < count; ++i) {
      send_to_oneself(from + i * bytes, as_bytes.get(), start + i * extent, based, rank, comm);
    }
    return;
  }
  const std::int64_t most = elements_at_once(count, bytes);
  for (std::int64_t done = 0; done < count; done += most) {
    const std::int64_t now = std::min(most, count - done);
    int position = 0;
    mpi::require(PMPI_Unpack(from + done * bytes, static_cast<int>(now * bytes), &position,
                             start + done * extent, static_cast<int>(now), based, comm),
                 "MPI_Unpack");
    require_plain(position, now * bytes);
  }
}

}  // namespace gatherbench::star
