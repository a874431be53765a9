// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Included before anything else in all that libagstar.so is made of: what it does itself no other
// preloaded library takes for the program's. tests/program/test_agstar.py finds what is missing.
// clang-format off
// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define MPI_Allreduce PMPI_Allreduce
#define MPI_Barrier PMPI_Barrier
#define MPI_Bcast PMPI_Bcast
#define MPI_Cancel PMPI_Cancel
#define MPI_Comm_dup PMPI_Comm_dup
#define MPI_Comm_free PMPI_Comm_free
#define MPI_Comm_rank PMPI_Comm_rank
#define MPI_Comm_set_errhandler PMPI_Comm_set_errhandler
#define MPI_Comm_size PMPI_Comm_size
#define MPI_Comm_split_type PMPI_Comm_split_type
#define MPI_Error_string PMPI_Error_string
#define MPI_Get_address PMPI_Get_address
#define MPI_Get_library_version PMPI_Get_library_version
#define MPI_Ibarrier PMPI_Ibarrier
#define MPI_Ibcast PMPI_Ibcast
#define MPI_Irecv PMPI_Irecv
#define MPI_Isend PMPI_Isend
#define MPI_Op_create PMPI_Op_create
#define MPI_Op_free PMPI_Op_free
#define MPI_Recv PMPI_Recv
#define MPI_Reduce_local PMPI_Reduce_local
#define MPI_Request_free PMPI_Request_free
#define MPI_Send PMPI_Send
#define MPI_Sendrecv PMPI_Sendrecv
#define MPI_Test PMPI_Test
#define MPI_Testall PMPI_Testall
#define MPI_Testsome PMPI_Testsome
#define MPI_Type_commit PMPI_Type_commit
#define MPI_Type_contiguous PMPI_Type_contiguous
#define MPI_Type_create_hindexed PMPI_Type_create_hindexed
#define MPI_Type_create_resized PMPI_Type_create_resized
#define MPI_Type_create_struct PMPI_Type_create_struct
#define MPI_Type_free PMPI_Type_free
#define MPI_Type_size_x PMPI_Type_size_x
#define MPI_Type_vector PMPI_Type_vector
#define MPI_Wait PMPI_Wait
#define MPI_Waitall PMPI_Waitall
// NOLINTEND(cppcoreguidelines-macro-usage)
// clang-format on
