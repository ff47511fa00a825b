/* SPDX-License-Identifier: Apache-2.0 */
/* The halo functions: distributed arrays with halos for anybody's stencil code, in C99.
 * docs/halo_functions.md describes every call; the Fortran module `halo` has the same ones.
 *
 * Every function returns HALO_OK or one of the codes below and never ends the program; halo_error_text()
 * tells in a sentence what was wrong. Structs begin with their size, so that a program compiled against an
 * older header runs with a newer library. */
#ifndef SUBCURRENT_HALO_H
#define SUBCURRENT_HALO_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define HALO_API __attribute__((visibility("default")))
#else
#define HALO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define HALO_VERSION 1
#define HALO_MAX_DIMS 4

enum halo_status {
  HALO_OK = 0,
  HALO_ERR_ARGUMENT = 1,    /* an argument that no call could accept */
  HALO_ERR_HANDLE = 2,      /* null, never initialised, or finalised */
  HALO_ERR_REQUEST = 3,     /* nothing was started under this request, or it has been waited for */
  HALO_ERR_DIRECTION = 4,   /* a component other than -1, 0, 1, or all 0 */
  HALO_ERR_RANGE = 5,       /* a sub-range outside the own cells */
  HALO_ERR_MISMATCH = 6,    /* ranks do not agree */
  HALO_ERR_BUSY = 7,        /* too much under way for this call */
  HALO_ERR_TIMEOUT = 8,     /* another rank did not come within options.timeout */
  HALO_ERR_MPI = 9,         /* MPI failed, or has not been started or has been ended */
  HALO_ERR_MEMORY = 10,     /* no memory, or no shared memory */
  HALO_ERR_UNSUPPORTED = 11 /* what this version cannot do */
};

enum halo_type {
  HALO_REAL32 = 1,
  HALO_REAL64 = 2,
  HALO_INT32 = 3,
  HALO_INT64 = 4,
  HALO_COMPLEX32 = 5, /* two real32 */
  HALO_COMPLEX64 = 6  /* two real64 */
};

enum halo_order {
  HALO_C_ORDER = 0 /* the last dimension is contiguous */,
  HALO_FORTRAN_ORDER = 1 /* the first */
};

enum halo_transport {
  HALO_AUTOMATIC = 0 /* shared memory inside a node */,
  HALO_MESSAGES = 1 /* MPI always */
};

/* Orders in which halo_step computes and exchanges. */
enum halo_strategy {
  HALO_BLOCKING = 0,
  HALO_ORDERED = 1,
  HALO_BOUNDARY_FIRST = 2,
  HALO_INTERIOR_FIRST = 3,
  HALO_PIPELINED = 4,
  HALO_THREAD = 5,
  HALO_AUTOMATIC_STRATEGY = 6,
  HALO_THREAD_NO_JOIN = 7
};

typedef struct halo_object* halo_handle;
#define HALO_NULL ((halo_handle)0)

typedef int64_t halo_request;
#define HALO_REQUEST_NULL ((halo_request)0)

/* One array. Its memory holds, along every dimension i, low[i] halo layers, cells[i] own cells, high[i] halo
 * layers. */
typedef struct halo_array {
  size_t size;                      /* sizeof(halo_array) */
  void* data;                       /* the first element in memory, halo included */
  void* next;                       /* NULL, or as much memory again: what halo_step computes */
  int32_t type;                     /* enum halo_type */
  int32_t dims;                     /* 1 to 4 */
  int32_t order;                    /* enum halo_order */
  int32_t reserved;                 /* 0 */
  int64_t cells[HALO_MAX_DIMS];     /* own cells */
  int64_t allocated[HALO_MAX_DIMS]; /* elements in memory; 0: low + cells + high */
  int32_t split[HALO_MAX_DIMS];     /* process dimension, counted from 1; 0: not split */
  int32_t low[HALO_MAX_DIMS];       /* halo layers before the first own cell: 0 to 64 */
  int32_t high[HALO_MAX_DIMS];      /* and behind the last one */
} halo_array;

typedef struct halo_options {
  size_t size;                      /* sizeof(halo_options) */
  int32_t version;                  /* HALO_VERSION */
  int32_t dims;                     /* of the process grid */
  int32_t processes[HALO_MAX_DIMS]; /* ranks along each of them; 0: chosen */
  int32_t periodic[HALO_MAX_DIMS];  /* not 0: the last block is the neighbour of the first */
  int32_t outstanding;              /* halo_isend of one direction that may be under way together: 1 to 64 */
  int32_t transport;                /* enum halo_transport */
  int32_t threads;                  /* for halo_step */
  int32_t reserved;                 /* 0 */
  double timeout;                   /* seconds that a call waits for other ranks; below 0: for ever */
  int64_t piece_bytes;              /* most bytes of one piece of a message */
} halo_options;

/* lo <= cell < hi along every process dimension, counted from this rank's first own cell. */
typedef struct halo_box {
  int64_t lo[HALO_MAX_DIMS];
  int64_t hi[HALO_MAX_DIMS];
} halo_box;

/* What the halos of a handle have cost this rank since halo_init, in seconds. NAN: not measured. */
typedef struct halo_account {
  size_t size;      /* sizeof(halo_account), set by the caller */
  int64_t messages; /* pieces that have left this rank, through shared memory too */
  int64_t bytes;    /* in them */
  double moving; /* what moving takes where nothing is computed meanwhile: of halo_exchange all, of halo_step
                    known from a run in 50. NAN after the first halo_isend or halo_irecv: what the program
                    computes between them and halo_wait cannot be held back */
  double starting; /* packing and posting, and looking at what arrives */
  double waiting;  /* for what was not there yet */
  double hidden;   /* 1 - (starting + waiting) / moving, samples left out; 0 where nothing overlaps */
} halo_account;

/* Computes the cells of `box`: reads now[array] and sets next[array] (NULL where the array has no next), each
 * the first element in memory. Threads call it at the same time for different boxes under HALO_THREAD. */
typedef void (*halo_callback)(const halo_box* box, void* const now[], void* const next[], void* user);
/* The same of step `step`, counted from 0. The box may reach into the halo (lo below 0, hi above the own
 * cells), whose cells it then computes too. */
typedef void (*halo_steps_callback)(const halo_box* box, int step, void* const now[], void* const next[],
                                    void* user);

/* An array of `dims` dimensions in C order with `width` halo layers all round, dimension i split over process
 * dimension i. */
static inline halo_array halo_array_of(void* data, enum halo_type type, int dims, const int64_t* cells,
                                       int width) {
  halo_array array;
  memset(&array, 0, sizeof array);
  array.size = sizeof array;
  array.data = data;
  array.type = (int32_t)type;
  array.dims = (int32_t)dims;
  for (int i = 0; i < dims && i < HALO_MAX_DIMS && cells; ++i) {
    array.cells[i] = cells[i];
    array.split[i] = (int32_t)(i + 1);
    array.low[i] = array.high[i] = (int32_t)width;
  }
  return array;
}

/* A process grid of `dims` dimensions with counts chosen by the library; nothing periodic. */
static inline halo_options halo_options_of(int dims) {
  halo_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.version = HALO_VERSION;
  options.dims = (int32_t)dims;
  options.outstanding = 4;
  options.threads = 1;
  options.timeout = 600;
  options.piece_bytes = 60 * 1024;
  return options;
}

HALO_API int halo_version(void);
/* The sentence of this thread's last failure if that had this status, else what the status means in general.
 */
HALO_API const char* halo_error_text(int status);

/* Starts MPI unless it is running. Collective: chooses the process counts that are 0, and gives this rank its
 * block.
 */
HALO_API int halo_decompose(MPI_Comm comm, int dims, const int64_t* cells, int32_t* processes, int64_t* first,
                            int64_t* own);

/* Memory for arrays that halo_exchange copies straight into a neighbour's halos; zeroed, 64-byte aligned.
 * Collective over `comm`, of which halo_init is given an equal one; `bytes` may differ between ranks. */
HALO_API int halo_allocate(MPI_Comm comm, size_t bytes, void** memory);
/* Collective; sets *memory to NULL. HALO_ERR_BUSY while a handle has arrays in it. Waits for other ranks as
 * long as the latest handle with arrays in it would have. */
HALO_API int halo_free(void** memory);

HALO_API int halo_init(halo_handle* handle, MPI_Comm comm, const halo_array* arrays, int count,
                       const halo_options* options);
HALO_API int halo_finalize(halo_handle* handle);

/* `lo` and `hi` (own cells along the process dimensions) leave out cells across the direction; NULL: none. */
HALO_API int halo_isend(halo_handle handle, const int* direction, const int64_t* lo, const int64_t* hi,
                        halo_request* request);
/* From the neighbour in `direction`: the opposite of the direction in which that neighbour sends. */
HALO_API int halo_irecv(halo_handle handle, const int* direction, const int64_t* lo, const int64_t* hi,
                        halo_request* request);
HALO_API int halo_wait(halo_handle handle, halo_request* request);
HALO_API int halo_test(halo_handle handle, halo_request* request, int* done);

HALO_API int halo_exchange(halo_handle handle);

/* Own cells that no halo cell is within reach of, and the rest as at most 2 * dims boxes. */
HALO_API int halo_core(halo_handle handle, halo_box* core);
HALO_API int halo_shell(halo_handle handle, halo_box* boxes, int most, int* count);
HALO_API int halo_step(halo_handle handle, enum halo_strategy strategy, halo_callback callback, void* user);
/* `steps` steps, `per_pass` of them at a time on cells while they are near; 0: of 1, 2, 4, 8 and 16 the
 * fastest that the halos have layers for, found meanwhile. The callback reads at most `reach` cells around
 * its box. */
HALO_API int halo_steps(halo_handle handle, enum halo_strategy strategy, halo_steps_callback callback,
                        int steps, int reach, int per_pass, void* user);
/* Tells that own cells were written outside halo_step, so that their halos are sent again. */
HALO_API int halo_modified(halo_handle handle);
/* Where the present values of an array are: halo_step swaps data and next. */
HALO_API int halo_data(halo_handle handle, int array, void** data);

/* This rank's place: coordinates, and the global position of its first own cell, along the process
 * dimensions. */
HALO_API int halo_place(halo_handle handle, int32_t* processes, int32_t* coords, int64_t* first,
                        int64_t* global);
/* The rank one step away in `direction`; -1 beyond a boundary that is not periodic. */
HALO_API int halo_neighbour(halo_handle handle, const int* direction, int* rank);
/* How every neighbour is reached, one line each; at most `size` bytes with the closing zero. */
HALO_API int halo_describe(halo_handle handle, char* text, size_t size);
HALO_API int halo_get_account(halo_handle handle, halo_account* account);

#ifdef __cplusplus
}
#endif
#endif
