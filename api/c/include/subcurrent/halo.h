/* SPDX-License-Identifier: Apache-2.0 */
/* The halo functions: distributed arrays with halos for stencil codes, in C99.
 * docs/halo_functions.md describes every call; the Fortran module `halo` has the same functions.
 *
 * Every function returns HALO_OK or one of the codes below and never ends the program; halo_error_text()
 * returns a sentence about the error. Structs begin with their size, so that a program compiled with an older
 * header runs with a newer library. */
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
  HALO_ERR_ARGUMENT = 1,    /* an invalid argument */
  HALO_ERR_HANDLE = 2,      /* null, never initialised, or finalised */
  HALO_ERR_REQUEST = 3,     /* not an active request: not started, or completed already */
  HALO_ERR_DIRECTION = 4,   /* a component other than -1, 0, 1, or all 0 */
  HALO_ERR_RANGE = 5,       /* a sub-range outside the own cells */
  HALO_ERR_MISMATCH = 6,    /* arguments differ between ranks */
  HALO_ERR_BUSY = 7,        /* active requests, or arrays in the memory, do not allow this call */
  HALO_ERR_TIMEOUT = 8,     /* another rank did not call it within options.timeout */
  HALO_ERR_MPI = 9,         /* MPI failed, or is not initialised, or is finalised */
  HALO_ERR_MEMORY = 10,     /* out of memory, or of shared memory */
  HALO_ERR_UNSUPPORTED = 11 /* not possible in this version */
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

/* Orders in which halo_step computes and exchanges, written by tools/strategies. */
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
  void* next;                       /* NULL, or memory of the same size for the results of halo_step */
  int32_t type;                     /* enum halo_type */
  int32_t dims;                     /* 1 to 4 */
  int32_t order;                    /* enum halo_order */
  int32_t reserved;                 /* 0; 1 from Fortran if next has another shape */
  int64_t cells[HALO_MAX_DIMS];     /* own cells */
  int64_t allocated[HALO_MAX_DIMS]; /* elements in memory; 0: low + cells + high */
  int32_t split[HALO_MAX_DIMS];     /* process dimension, counted from 1; 0: not split */
  int32_t low[HALO_MAX_DIMS];       /* halo layers before the first own cell: 0 to 64 */
  int32_t high[HALO_MAX_DIMS];      /* and after the last one */
} halo_array;

typedef struct halo_options {
  size_t size;                      /* sizeof(halo_options) */
  int32_t version;                  /* HALO_VERSION */
  int32_t dims;                     /* dimensions of the process grid */
  int32_t processes[HALO_MAX_DIMS]; /* ranks along each dimension; 0: as halo_decompose, or chosen */
  int32_t periodic[HALO_MAX_DIMS];  /* not 0: the last block is a neighbour of the first */
  int32_t outstanding;              /* limit of active halo_isend calls in a direction: 1 to 64 */
  int32_t transport;                /* enum halo_transport */
  int32_t threads;                  /* for halo_step */
  int32_t reserved;                 /* 0 */
  double timeout;                   /* seconds to wait for other ranks: the longest of any; < 0: no limit */
  int64_t piece_bytes;              /* maximum size of a piece of a message */
} halo_options;

/* lo <= cell < hi along every process dimension, relative to this rank's first own cell. */
typedef struct halo_box {
  int64_t lo[HALO_MAX_DIMS];
  int64_t hi[HALO_MAX_DIMS];
} halo_box;

/* Costs of a handle's halos on this rank since halo_init, in seconds. NAN: not measured. */
typedef struct halo_account {
  size_t size;      /* sizeof(halo_account), set by the caller */
  int64_t messages; /* pieces sent by this rank, including those through shared memory */
  int64_t bytes;    /* sent in them */
  double moving; /* time of the exchanges without overlap: measured for halo_exchange, estimated for halo_step
                    from one run in 50. NAN after the first halo_isend or halo_irecv, because the program's
                    computation before halo_wait cannot be paused for a measurement */
  double starting; /* packing, posting, and progress calls */
  double waiting;  /* for cells that had not arrived */
  double hidden;   /* 1 - (starting + waiting) / moving, without samples; 0 if nothing overlaps */
} halo_account;

/* Computes the cells of `box`: reads now[array] and sets next[array] (NULL if the array has no next). Both
 * point to the first element in memory. With HALO_THREAD, threads call it concurrently for different boxes.
 */
typedef void (*halo_callback)(const halo_box* box, void* const now[], void* const next[], void* user);
/* The same for step `step`, counted from 0. The box may extend into the halo (lo below 0, hi above the own
 * cells); then halo cells are computed too. */
typedef void (*halo_steps_callback)(const halo_box* box, int step, void* const now[], void* const next[],
                                    void* user);

/* An array of `dims` dimensions in C order with `width` halo layers on all sides, dimension i split over
 * process dimension i. */
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
/* The sentence about this thread's last error if it had this status, otherwise the general meaning of the
 * status. */
HALO_API const char* halo_error_text(int status);

/* Initialises MPI if necessary. Collective: chooses the process counts that are 0, and returns this rank's
 * block. halo_init on `comm` or a later duplicate arranges these blocks in the same way. */
HALO_API int halo_decompose(MPI_Comm comm, int dims, const int64_t* cells, int32_t* processes, int64_t* first,
                            int64_t* own);

/* Memory for arrays, which halo_exchange copies directly into neighbours' halos; zeroed, 64-byte aligned.
 * Collective over `comm`, which must have the same ranks as that of halo_init; `bytes` may differ between
 * ranks. */
HALO_API int halo_allocate(MPI_Comm comm, size_t bytes, void** memory);
/* Collective; sets *memory to NULL. HALO_ERR_BUSY while a handle has arrays in it. The timeout is that of the
 * latest handle with arrays in it. */
HALO_API int halo_free(void** memory);

HALO_API int halo_init(halo_handle* handle, MPI_Comm comm, const halo_array* arrays, int count,
                       const halo_options* options);
HALO_API int halo_finalize(halo_handle* handle);

/* HALO_ERR_BUSY while the send that was started options.outstanding sends before in this direction is active.
 * `lo` and `hi` restrict the message to a sub-range of own cells across the direction, along the process
 * dimensions; NULL: all cells. At the receiver they must be the same; only their size is checked. */
HALO_API int halo_isend(halo_handle handle, const int* direction, const int64_t* lo, const int64_t* hi,
                        halo_request* request);
/* From the neighbour in `direction`: the opposite of the direction in which that neighbour sends. */
HALO_API int halo_irecv(halo_handle handle, const int* direction, const int64_t* lo, const int64_t* hi,
                        halo_request* request);
HALO_API int halo_wait(halo_handle handle, halo_request* request);
HALO_API int halo_test(halo_handle handle, halo_request* request, int* done);

HALO_API int halo_exchange(halo_handle handle);

/* The core: own cells that are computed without halo cells; and the shell: the other own cells, as at most
 * 2 * dims boxes. */
HALO_API int halo_core(halo_handle handle, halo_box* core);
HALO_API int halo_shell(halo_handle handle, halo_box* boxes, int most, int* count);
/* `strategy` is one of enum halo_strategy. */
HALO_API int halo_step(halo_handle handle, int strategy, halo_callback callback, void* user);
/* `steps` steps in passes of `per_pass`, which compute several steps on cells in the cache (temporal
 * blocking). 0: the fastest of 1, 2, 4, 8 and 16 for which the halos have enough layers, chosen by
 * measurement. The callback reads at most `reach` cells around its box. */
HALO_API int halo_steps(halo_handle handle, int strategy, halo_steps_callback callback, int steps, int reach,
                        int per_pass, void* user);
/* To be called after own cells were written outside halo_step: their halos are then exchanged again. */
HALO_API int halo_modified(halo_handle handle);
/* The address of the current values of an array: halo_step swaps data and next. */
HALO_API int halo_data(halo_handle handle, int array, void** data);

/* This rank's position along the process dimensions: numbers of ranks, coordinates, the global index of the
 * first own cell, and numbers of global cells. */
HALO_API int halo_place(halo_handle handle, int32_t* processes, int32_t* coords, int64_t* first,
                        int64_t* global);
/* The rank one step away in `direction`; -1 beyond a boundary that is not periodic. */
HALO_API int halo_neighbour(halo_handle handle, const int* direction, int* rank);
/* The transport to every neighbour, one line each; at most `size` bytes with the terminating zero. */
HALO_API int halo_describe(halo_handle handle, char* text, size_t size);
/* The passes of the last halo_steps, together with earlier ones of the same strategy and per_pass, in one
 * line: their number and mean length, the length that was chosen and why, and why passes ended early. */
HALO_API int halo_describe_passes(halo_handle handle, char* text, size_t size);
HALO_API int halo_get_account(halo_handle handle, halo_account* account);

#ifdef __cplusplus
}
#endif
#endif
