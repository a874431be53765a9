// SPDX-License-Identifier: BSD-3-Clause
//
// The Fortran functions of MPI, under all names that compilers give them. MPICH's and those that
// come from it call the C functions, so it is enough to know when they begin and end. Open MPI's
// call PMPI: there the arguments become C's here.
#include <mpi.h>

#include <string>

#include "runtime/mpi/fortran_names.h"
#include "runtime/star/say.h"
#include "runtime/star/selector.h"

using namespace gatherbench::star;  // NOLINT(google-build-using-namespace)
namespace collectives = gatherbench::collectives;

using Int = MPI_Fint;

GATHERBENCH_FORTRAN(init, INIT, (Int * error), library(error); Selector::the().start();)
GATHERBENCH_FORTRAN(init_thread, INIT_THREAD, (const Int* required, Int* provided, Int* error),
                    library(required, provided, error);
                    Selector::the().start();)
GATHERBENCH_FORTRAN(finalize, FINALIZE, (Int * error), Selector::the().finish(); library(error);)

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
void serve_fortran(Call call, Int* error, Native native) {
  Int own_error = MPI_SUCCESS;
  if (!fortran().are_known()) {
    native(error == nullptr ? &own_error : error);
    return;
  }
  call.send = fortran().to_c(call.send);
  call.receive = const_cast<void*>(fortran().to_c(call.receive));
  // The error code goes where the program wants it, the library's as well as one of our algorithms.
  const int code = serve(call, [&] {
    native(&own_error);
    return static_cast<int>(own_error);
  });
  if (error != nullptr) *error = static_cast<Int>(code);
}

}  // namespace

GATHERBENCH_FORTRAN(allgather, ALLGATHER,
                    (const void* send, const Int* sends, const Int* send_type, void* receive,
                     const Int* receives, const Int* receive_type, const Int* comm, Int* error),
                    serve_fortran({&collectives::allgather, send, *sends, PMPI_Type_f2c(*send_type),
                                   receive, Numbers(std::int64_t{*receives}), Numbers(),
                                   PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm)},
                                  error, [&](Int* own_error) {
                                    library(send, sends, send_type, receive, receives, receive_type,
                                            comm, own_error);
                                  });)

GATHERBENCH_FORTRAN(allgatherv, ALLGATHERV,
                    (const void* send, const Int* sends, const Int* send_type, void* receive,
                     const Int* receives, const Int* places, const Int* receive_type,
                     const Int* comm, Int* error),
                    serve_fortran({&collectives::allgatherv, send, *sends,
                                   PMPI_Type_f2c(*send_type), receive, Numbers(receives),
                                   Numbers(places), PMPI_Type_f2c(*receive_type),
                                   PMPI_Comm_f2c(*comm)},
                                  error, [&](Int* own_error) {
                                    library(send, sends, send_type, receive, receives, places,
                                            receive_type, comm, own_error);
                                  });)

GATHERBENCH_FORTRAN(alltoall, ALLTOALL,
                    (const void* send, const Int* sends, const Int* send_type, void* receive,
                     const Int* receives, const Int* receive_type, const Int* comm, Int* error),
                    serve_fortran({&collectives::alltoall, send, *sends, PMPI_Type_f2c(*send_type),
                                   receive, Numbers(std::int64_t{*receives}), Numbers(),
                                   PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm)},
                                  error, [&](Int* own_error) {
                                    library(send, sends, send_type, receive, receives, receive_type,
                                            comm, own_error);
                                  });)

GATHERBENCH_FORTRAN(bcast, BCAST,
                    (void* buffer, const Int* count, const Int* type, const Int* root,
                     const Int* comm, Int* error),
                    serve_fortran({&collectives::bcast, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer,
                                   Numbers(std::int64_t{*count}), Numbers(), PMPI_Type_f2c(*type),
                                   PMPI_Comm_f2c(*comm), *root},
                                  error, [&](Int* own_error) {
                                    library(buffer, count, type, root, comm, own_error);
                                  });)

GATHERBENCH_FORTRAN(reduce, REDUCE,
                    (const void* send, void* receive, const Int* count, const Int* type,
                     const Int* op, const Int* root, const Int* comm, Int* error),
                    serve_fortran({&collectives::reduce, send, *count, PMPI_Type_f2c(*type),
                                   receive, Numbers(std::int64_t{*count}), Numbers(),
                                   PMPI_Type_f2c(*type), PMPI_Comm_f2c(*comm), *root,
                                   PMPI_Op_f2c(*op)},
                                  error, [&](Int* own_error) {
                                    library(send, receive, count, type, op, root, comm, own_error);
                                  });)

GATHERBENCH_FORTRAN(allreduce, ALLREDUCE,
                    (const void* send, void* receive, const Int* count, const Int* type,
                     const Int* op, const Int* comm, Int* error),
                    serve_fortran({&collectives::allreduce, send, *count, PMPI_Type_f2c(*type),
                                   receive, Numbers(std::int64_t{*count}), Numbers(),
                                   PMPI_Type_f2c(*type), PMPI_Comm_f2c(*comm), 0, PMPI_Op_f2c(*op)},
                                  error, [&](Int* own_error) {
                                    library(send, receive, count, type, op, comm, own_error);
                                  });)

#endif
