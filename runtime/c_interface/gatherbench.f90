! SPDX-License-Identifier: BSD-3-Clause
!
! The functions of gatherbench.h, which explains them, for Fortran programs. It is compiled with
! the program, since module files are a compiler's own. Buffers are given by c_loc; c_null_ptr as
! sendbuf means that the own block lies in its place in recvbuf. Communicators are MPI's integers
! (with mpi_f08: comm%mpi_val). Texts end in c_null_char.
module gatherbench
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t, c_ptr
  implicit none
  private :: c_char, c_int, c_int64_t, c_ptr

  interface
    integer(c_int) function gatherbench_allgather_init(sendbuf, recvbuf, bytes, comm, algorithm, plan) &
        bind(C, name="gatherbench_allgather_init_f")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sendbuf, recvbuf
      integer(c_int64_t), value :: bytes
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: algorithm(*)
      type(c_ptr), intent(out) :: plan
    end function

    integer(c_int) function gatherbench_allgatherv_init(sendbuf, recvbuf, bytes, displacements, comm, &
        algorithm, plan) bind(C, name="gatherbench_allgatherv_init_f")
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sendbuf, recvbuf
      integer(c_int64_t), intent(in) :: bytes(*), displacements(*)
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: algorithm(*)
      type(c_ptr), intent(out) :: plan
    end function

    integer(c_int) function gatherbench_run(plan) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
    end function

    integer(c_int) function gatherbench_start(plan) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
    end function

    integer(c_int) function gatherbench_test(plan, done) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), intent(out) :: done
    end function

    integer(c_int) function gatherbench_wait(plan) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
    end function

    integer(c_int) function gatherbench_free(plan) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: plan
    end function

    type(c_ptr) function gatherbench_error() bind(C)
      import :: c_ptr
    end function
  end interface
end module
