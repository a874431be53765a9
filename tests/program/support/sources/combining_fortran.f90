! SPDX-License-Identifier: BSD-3-Clause
!
! Run by test_agstar_collectives.py under libagstar.so: exchanges, broadcasts and reductions by the old
! names, and one each by mpi_f08's.
program combining_fortran
  use mpi
  implicit none
  integer :: rank, ranks, error, i, token
  integer, allocatable :: send(:), receive(:)
  integer :: own(3), total(3)
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  allocate(send(2 * ranks), receive(2 * ranks))
  do i = 1, ranks
    send(2 * i - 1) = 100 * rank + i - 1
    send(2 * i) = -1
  end do
  call MPI_ALLTOALL(send, 2, MPI_INTEGER, receive, 2, MPI_INTEGER, MPI_COMM_WORLD, error)
  do i = 1, ranks
    if (receive(2 * i - 1) /= 100 * (i - 1) + rank .or. receive(2 * i) /= -1) then
      call MPI_ABORT(MPI_COMM_WORLD, 1, error)
    end if
  end do
  token = 0
  if (rank == ranks - 1) token = 17
  call MPI_BCAST(token, 1, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, error)
  if (token /= 17) call MPI_ABORT(MPI_COMM_WORLD, 2, error)
  own = rank + 1
  call MPI_ALLREDUCE(own, total, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (total(3) /= ranks * (ranks + 1) / 2) call MPI_ABORT(MPI_COMM_WORLD, 3, error)
  call MPI_ALLREDUCE(MPI_IN_PLACE, own, 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)
  if (own(1) /= ranks) call MPI_ABORT(MPI_COMM_WORLD, 4, error)
  total = rank
  if (rank == 0) then
    call MPI_REDUCE(MPI_IN_PLACE, total, 3, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
    if (total(2) /= ranks * (ranks - 1) / 2) call MPI_ABORT(MPI_COMM_WORLD, 5, error)
  else
    call MPI_REDUCE(total, own, 3, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  end if
  call new_names()
  call MPI_FINALIZE(error)
end program

subroutine new_names()
  use mpi_f08
  implicit none
  integer :: rank, ranks
  integer :: own(2), total(2)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  own = 7 * rank
  call MPI_Allreduce(own, total, 2, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
  if (total(2) /= 0) call MPI_Abort(MPI_COMM_WORLD, 6)
  call MPI_Bcast(own, 2, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD)
  if (own(1) /= 7 * (ranks - 1)) call MPI_Abort(MPI_COMM_WORLD, 7)
end subroutine
