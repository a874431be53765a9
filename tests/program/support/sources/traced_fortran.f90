! SPDX-License-Identifier: BSD-3-Clause
!
! Run by test_trace.py under libagtrace.so: the same calls by the old names and by mpi_f08's.
program traced_fortran
  call old_names()
end program

subroutine old_names()
  use mpi
  implicit none
  integer :: rank, ranks, error, i
  integer, allocatable :: all(:), counts(:), places(:)
  integer :: own(3)
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  allocate(all(3 * ranks), counts(ranks), places(ranks))
  do i = 1, ranks
    counts(i) = 3
    places(i) = 3 * (i - 1)
  end do
  own = rank
  call MPI_ALLGATHER(own, 3, MPI_INTEGER, all, 3, MPI_INTEGER, MPI_COMM_WORLD, error)
  if (all(3 * ranks) /= ranks - 1) call MPI_ABORT(MPI_COMM_WORLD, 1, error)
  all(3 * rank + 1) = -rank
  call MPI_ALLGATHER(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 3, MPI_INTEGER, MPI_COMM_WORLD, error)
  if (all(3 * ranks - 2) /= 1 - ranks) call MPI_ABORT(MPI_COMM_WORLD, 2, error)
  call MPI_ALLGATHERV(own, 3, MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, error)
  if (all(3 * ranks) /= ranks - 1) call MPI_ABORT(MPI_COMM_WORLD, 3, error)
  call MPI_ALLREDUCE(MPI_IN_PLACE, own, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (own(1) /= ranks * (ranks - 1) / 2) call MPI_ABORT(MPI_COMM_WORLD, 4, error)
  call new_names()
  call MPI_FINALIZE(error)
end subroutine

subroutine new_names()
  use mpi_f08
  implicit none
  integer :: ranks
  integer, allocatable :: all(:)
  integer :: own(2)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  allocate(all(2 * ranks))
  own = 7
  call MPI_Allgather(own, 2, MPI_INTEGER, all, 2, MPI_INTEGER, MPI_COMM_WORLD)
  if (all(2 * ranks) /= 7) call MPI_Abort(MPI_COMM_WORLD, 5)
  call MPI_Barrier(MPI_COMM_WORLD)
end subroutine
