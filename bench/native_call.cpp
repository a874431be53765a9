// SPDX-License-Identifier: BSD-3-Clause
#include "bench/native.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "bench/byte_types.h"

namespace gatherbench {
namespace {

/// Bytes of one counted element: 1, or where int cannot count bytes, what all blocks are multiples
/// of.
std::int64_t unit_bytes(const Layout& layout) {
  if (layout.total() <= most_plain_bytes) return 1;
  std::int64_t unit = 0;
  for (int block = 0; block < layout.blocks(); ++block) {
    unit = std::gcd(unit, layout.bytes(block));
  }
  return unit;
}

/// Open MPI keeps its algorithms behind a control variable of its tuned component, whose value a
/// communicator takes over when it is made. (Open MPI 4.1 lets that of allgatherv never be set.)
class ControlVariable {
 public:
  explicit ControlVariable(Collective collective) {
    begin_tools();
    const std::string wanted = fmt::format("coll_tuned_{}_algorithm", names_of(collective).name);
    int count = 0;
    require(MPI_T_cvar_get_num(&count), "MPI_T_cvar_get_num");
    for (int index = 0; index < count && index_ < 0; ++index) {
      std::array<char, 256> name{};
      int name_length = static_cast<int>(name.size());
      int verbosity = 0;
      int binding = 0;
      int scope = 0;
      MPI_Datatype type = MPI_DATATYPE_NULL;
      MPI_T_enum values = MPI_T_ENUM_NULL;
      const int code = MPI_T_cvar_get_info(index, name.data(), &name_length, &verbosity, &type,
                                           &values, nullptr, nullptr, &binding, &scope);
      const bool settable = scope != MPI_T_SCOPE_CONSTANT && scope != MPI_T_SCOPE_READONLY;
      if (code == MPI_SUCCESS && wanted == name.data() && values != MPI_T_ENUM_NULL && settable) {
        index_ = index;
        read_values(values);
      }
    }
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  void set(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    const int value = values_.at(static_cast<std::size_t>(found - names_.begin()));
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;
    require(MPI_T_cvar_handle_alloc(index_, nullptr, &handle, &count), "MPI_T_cvar_handle_alloc");
    require(MPI_T_cvar_write(handle, &value), "MPI_T_cvar_write");
    require(MPI_T_cvar_handle_free(&handle), "MPI_T_cvar_handle_free");
  }

 private:
  /// Once a process, and never ended: MPICH 4.0 crashes in what follows an MPI_T_finalize.
  static void begin_tools() {
    static const int code = [] {
      int provided = 0;
      return MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    }();
    require(code, "MPI_T_init_thread");
  }

  void read_values(MPI_T_enum values) {
    int count = 0;
    std::array<char, 256> name{};
    int length = static_cast<int>(name.size());
    require(MPI_T_enum_get_info(values, &count, name.data(), &length), "MPI_T_enum_get_info");
    for (int i = 0; i < count; ++i) {
      int value = 0;
      length = static_cast<int>(name.size());
      require(MPI_T_enum_get_item(values, i, &value, name.data(), &length), "MPI_T_enum_get_item");
      names_.emplace_back(name.data());
      values_.push_back(value);
    }
  }

  int index_ = -1;
  std::vector<std::string> names_;
  std::vector<int> values_;
};

// Open MPI's word for "choose yourself", the first of its names.
constexpr std::string_view own_choice = "ignore";

}  // namespace

NativeCall::NativeCall(Collective collective, const Layout& layout, const std::byte* send,
                       std::byte* receive, MPI_Comm comm)
    : collective_(collective),
      send_(send == nullptr ? MPI_IN_PLACE : send),
      receive_(receive),
      comm_(comm) {
  const std::int64_t unit = unit_bytes(layout);
  if (unit > 1) {
    unit_type_ = large_type(unit);
    type_ = unit_type_.get();
  }
  int rank = 0;
  require(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  own_count_ = static_cast<int>(layout.bytes(rank) / unit);
  for (int block = 0; block < layout.blocks(); ++block) {
    counts_.push_back(static_cast<int>(layout.bytes(block) / unit));
    offsets_.push_back(static_cast<int>(layout.offset(block) / unit));
  }
}

std::string NativeCall::why_not(const Layout& layout) {
  if (layout.total() / std::max<std::int64_t>(unit_bytes(layout), 1) <= most_plain_bytes) return {};
  return fmt::format("MPI's int cannot count {} bytes of blocks without a large common divisor",
                     layout.total());
}

void NativeCall::run() {
  if (collective_ == Collective::allgather) {
    require(MPI_Allgather(send_, own_count_, type_, receive_, counts_[0], type_, comm_),
            "MPI_Allgather");
  } else {
    require(MPI_Allgatherv(send_, own_count_, type_, receive_, counts_.data(), offsets_.data(),
                           type_, comm_),
            "MPI_Allgatherv");
  }
}

void prepare_native_variants() {
  // Without it the tuned component ignores the control variables. What the user set stays.
  setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0);
}

std::vector<std::string> native_variants(Collective collective) {
  std::vector<std::string> names = ControlVariable(collective).names();
  std::erase(names, own_choice);
  return names;
}

std::string why_not_native_variant(std::string_view variant, int ranks) {
  // Open MPI ends the job otherwise.
  if (variant == "two_proc" && ranks != 2) return fmt::format("needs 2 ranks; ranks = {}", ranks);
  return {};
}

Communicator native_communicator(Collective collective, std::string_view variant, MPI_Comm comm) {
  if (variant.empty()) return Communicator::duplicate(comm);
  const ControlVariable variable(collective);
  variable.set(variant);
  Communicator copy = Communicator::duplicate(comm);
  variable.set(own_choice);
  return copy;
}

}  // namespace gatherbench
