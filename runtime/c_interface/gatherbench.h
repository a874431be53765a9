/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef GATHERBENCH_H
#define GATHERBENCH_H

#include <mpi.h>
#include <stdint.h>

/*
 * The all-gathers of gatherbench in C programs, in the form of MPI's persistent collectives: made
 * once for buffers and a communicator, then run as often as one likes. docs/how-to/library.md has
 * examples in C and Fortran, gatherbench.f90 the interfaces of a Fortran program.
 *
 * Sizes and displacements are bytes. An algorithm is written as in the benchmarks' --algorithms:
 * "ring", "bruck:k=4", "ring@cyclic", "ring:via=window". Functions return MPI_SUCCESS, MPI_ERR_ARG
 * for a bad argument (the same on all ranks, if the arguments are), MPI_ERR_NO_MEM, or the error
 * code of an MPI call that failed; gatherbench_error() says which. An argument that is bad on some
 * ranks alone is an error there, and the others wait for them for ever; but of a recvbuf of NULL
 * all ranks are told.
 */

#ifdef __cplusplus
extern "C" {
#endif

#define GATHERBENCH_API __attribute__((visibility("default")))

/* An all-gather of certain buffers; NULL after an error. Freed before MPI_Finalize. */
typedef struct gatherbench_plan gatherbench_plan;

/*
 * As MPI_Allgather_init: each rank sends `bytes` bytes, recvbuf gets those of all ranks in their
 * order. Collective over `comm`, which is duplicated. With MPI_IN_PLACE or NULL as sendbuf the own
 * block lies in its place in recvbuf, which may be NULL if no block has bytes.
 */
GATHERBENCH_API int gatherbench_allgather_init(const void* sendbuf, void* recvbuf, int64_t bytes,
                                               MPI_Comm comm, const char* algorithm,
                                               gatherbench_plan** plan);

/*
 * As MPI_Allgatherv_init: rank i sends bytes[i] bytes, which lie displacements[i] bytes behind the
 * begin of recvbuf, or before it where that is negative; without displacements (NULL) one behind
 * the other. The same on all ranks.
 */
GATHERBENCH_API int gatherbench_allgatherv_init(const void* sendbuf, void* recvbuf,
                                                const int64_t bytes[],
                                                const int64_t displacements[], MPI_Comm comm,
                                                const char* algorithm, gatherbench_plan** plan);

/* The all-gather once. Collective. */
GATHERBENCH_API int gatherbench_run(gatherbench_plan* plan);

/*
 * The same without waiting: start, then test now and then, each of which goes on as far as it can
 * and sets `done`, then wait. The buffers are the plan's from start to the end of wait. Collective.
 * As with MPI's persistent requests, test and wait say done of a plan that is not under way, and
 * one that is can be neither started, run nor freed: MPI_ERR_REQUEST.
 */
GATHERBENCH_API int gatherbench_start(gatherbench_plan* plan);
GATHERBENCH_API int gatherbench_test(gatherbench_plan* plan, int* done);
GATHERBENCH_API int gatherbench_wait(gatherbench_plan* plan);

/* Collective; sets it to NULL. */
GATHERBENCH_API int gatherbench_free(gatherbench_plan** plan);

/* What was wrong with the last call on this thread that failed, in one line. */
GATHERBENCH_API const char* gatherbench_error(void);

/* For Fortran, whose communicators are integers. */
GATHERBENCH_API int gatherbench_allgather_init_f(const void* sendbuf, void* recvbuf, int64_t bytes,
                                                 int comm, const char* algorithm,
                                                 gatherbench_plan** plan);
GATHERBENCH_API int gatherbench_allgatherv_init_f(const void* sendbuf, void* recvbuf,
                                                  const int64_t bytes[],
                                                  const int64_t displacements[], int comm,
                                                  const char* algorithm, gatherbench_plan** plan);

#ifdef __cplusplus
}
#endif

#endif
