// SPDX-License-Identifier: BSD-3-Clause
//
// The Fortran functions of MPI, under all names that compilers give them. MPICH's and those that
// come from it call the C functions, so it is enough to know when they begin and end. Open MPI's
// call PMPI: there the arguments become C's here.
#include <mpi.h>

#include <cstdlib>
#include <string>

#include "mpi/next_function.h"
#include "star/say.h"
#include "star/selector.h"

using namespace gatherbench::star;  // NOLINT(google-build-using-namespace)

namespace {

using Int = MPI_Fint;

template <class Function>
Function* library_function(const char* name, const void* caller) {
  auto* const found = gatherbench::mpi::next_function<Function>(name, caller);
  if (found == nullptr) {
    say(std::string("no MPI library has ") + name);
    std::abort();
  }
  return found;
}

}  // namespace

#define ENTRY(symbol, PARAMETERS, ...)                                               \
  extern "C" __attribute__((visibility("default"))) void symbol PARAMETERS {         \
    const void* const caller = __builtin_return_address(0);                          \
    static auto* const library = library_function<void PARAMETERS>(#symbol, caller); \
    __VA_ARGS__                                                                      \
  }

#define ENTRIES(lower, UPPER, PARAMETERS, ...)         \
  ENTRY(mpi_##lower, PARAMETERS, __VA_ARGS__)          \
  ENTRY(mpi_##lower##_, PARAMETERS, __VA_ARGS__)       \
  ENTRY(mpi_##lower##__, PARAMETERS, __VA_ARGS__)      \
  ENTRY(mpi_##lower##_f08_, PARAMETERS, __VA_ARGS__)   \
  ENTRY(mpi_##lower##_f08ts_, PARAMETERS, __VA_ARGS__) \
  ENTRY(MPI_##UPPER, PARAMETERS, __VA_ARGS__)

ENTRIES(init, INIT, (Int * error), library(error); Selector::the().start();)
ENTRIES(init_thread, INIT_THREAD, (const Int* required, Int* provided, Int* error),
        library(required, provided, error);
        Selector::the().start();)
ENTRIES(finalize, FINALIZE, (Int * error), Selector::the().finish(); library(error);)

#ifdef OPEN_MPI

namespace {

/// The library's variable, whose name ends as its Fortran compiler wanted it.
const void* find_variable(const std::string& lower, const std::string& upper) {
  for (const std::string& name : {lower + "_", lower, lower + "__", upper}) {
    if (const void* const found = dlsym(RTLD_DEFAULT, name.c_str())) return found;
  }
  return nullptr;
}

/// Fortran's MPI_IN_PLACE and MPI_BOTTOM are variables, whose addresses count.
struct FortranAddresses {
  const void* in_place = find_variable("mpi_fortran_in_place", "MPI_FORTRAN_IN_PLACE");
  const void* bottom = find_variable("mpi_fortran_bottom", "MPI_FORTRAN_BOTTOM");

  [[nodiscard]] bool are_known() const { return in_place != nullptr && bottom != nullptr; }
  [[nodiscard]] const void* to_c(const void* address) const {
    if (address == in_place) return MPI_IN_PLACE;
    return address == bottom ? MPI_BOTTOM : address;
  }
};

const FortranAddresses& fortran() {
  static const FortranAddresses addresses;
  return addresses;
}

template <class Native>
void gather(GatherCall call, Int* error, Native native) {
  Int own_error = MPI_SUCCESS;
  if (!fortran().are_known()) {
    native(error == nullptr ? &own_error : error);
    return;
  }
  call.send = fortran().to_c(call.send);
  call.receive = const_cast<void*>(fortran().to_c(call.receive));
  // What the library says goes where the program wants it; what an algorithm of ours says, too.
  const int code = gathered(call, [&] {
    native(&own_error);
    return static_cast<int>(own_error);
  });
  if (error != nullptr) *error = static_cast<Int>(code);
}

}  // namespace

ENTRIES(allgather, ALLGATHER,
        (const void* send, const Int* sends, const Int* send_type, void* receive,
         const Int* receives, const Int* receive_type, const Int* comm, Int* error),
        gather({send, *sends, PMPI_Type_f2c(*send_type), receive, Numbers(std::int64_t{*receives}),
                Numbers(), PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm)},
               error, [&](Int* own_error) {
                 library(send, sends, send_type, receive, receives, receive_type, comm, own_error);
               });)

ENTRIES(allgatherv, ALLGATHERV,
        (const void* send, const Int* sends, const Int* send_type, void* receive,
         const Int* receives, const Int* places, const Int* receive_type, const Int* comm,
         Int* error),
        gather({send, *sends, PMPI_Type_f2c(*send_type), receive, Numbers(receives),
                Numbers(places), PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm)},
               error, [&](Int* own_error) {
                 library(send, sends, send_type, receive, receives, places, receive_type, comm,
                         own_error);
               });)

#endif
