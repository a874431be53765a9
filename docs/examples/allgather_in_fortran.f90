! SPDX-License-Identifier: BSD-3-Clause
!
! Gathers with an algorithm of gatherbench's and compares with MPI_Allgather's result.
! docs/how-to/library.md explains.
!
!     allgather_in_fortran ALGORITHM    such as sparbit, bruck:k=4
program allgather_in_fortran
  use, intrinsic :: iso_c_binding
  use gatherbench
  implicit none
  include 'mpif.h'

  integer, parameter :: count = 1000  ! of doubles that each rank contributes
  character(len=100) :: algorithm
  integer :: rank, ranks, ierror
  double precision, target :: own(count)
  double precision, allocatable, target :: all(:)
  double precision, allocatable :: expected(:)
  type(c_ptr) :: plan

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  algorithm = 'sparbit'
  if (command_argument_count() > 0) call get_command_argument(1, algorithm)
  allocate(all(count * ranks), expected(count * ranks))
  own = rank
  ierror = gatherbench_allgather_init(c_loc(own), c_loc(all), count * 8_c_int64_t, MPI_COMM_WORLD, &
      trim(algorithm) // c_null_char, plan)
  if (ierror /= MPI_SUCCESS) call MPI_Abort(MPI_COMM_WORLD, 2, ierror)
  ierror = gatherbench_run(plan)  ! as often as one likes
  call MPI_Allgather(own, count, MPI_DOUBLE_PRECISION, expected, count, MPI_DOUBLE_PRECISION, &
      MPI_COMM_WORLD, ierror)
  if (any(all /= expected)) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  ierror = gatherbench_free(plan)  ! before MPI_Finalize
  if (rank == 0) then
    print '(2a, i0, a)', trim(algorithm), ' on ', ranks, " ranks, from Fortran: all as MPI_Allgather's"
  end if
  call MPI_Finalize(ierror)
end program
