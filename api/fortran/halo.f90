! SPDX-License-Identifier: Apache-2.0
! The halo functions for Fortran: the calls of subcurrent/halo.h with communicators as integer or type(MPI_Comm), arrays
! of every registered type and rank 1 to 4, and cells counted from 1. docs/halo_functions.md describes every call.
module halo
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use mpi_f08, only: MPI_Comm
  implicit none
  private

  public :: halo_array, halo_options, halo_box, halo_handle, halo_callback
  public :: halo_array_of, halo_options_of, halo_decompose, halo_init, halo_finalize, halo_isend, halo_irecv, &
            halo_wait, halo_test, halo_exchange, halo_core, halo_shell, halo_step, halo_modified, halo_data, &
            halo_place, halo_neighbour, halo_describe, halo_error_text, halo_version

  integer, parameter, public :: HALO_MAX_DIMS = 4
  integer(int64), parameter, public :: HALO_REQUEST_NULL = 0_int64
  integer, parameter, public :: HALO_OK = 0, HALO_ERR_ARGUMENT = 1, HALO_ERR_HANDLE = 2, HALO_ERR_REQUEST = 3, &
    HALO_ERR_DIRECTION = 4, HALO_ERR_RANGE = 5, HALO_ERR_MISMATCH = 6, HALO_ERR_BUSY = 7, HALO_ERR_TIMEOUT = 8, &
    HALO_ERR_MPI = 9, HALO_ERR_MEMORY = 10, HALO_ERR_UNSUPPORTED = 11
  integer, parameter, public :: HALO_REAL32 = 1, HALO_REAL64 = 2, HALO_INT32 = 3, HALO_INT64 = 4, &
    HALO_COMPLEX32 = 5, HALO_COMPLEX64 = 6
  integer, parameter, public :: HALO_C_ORDER = 0, HALO_FORTRAN_ORDER = 1
  integer, parameter, public :: HALO_AUTOMATIC = 0, HALO_MESSAGES = 1
  integer, parameter, public :: HALO_BLOCKING = 0, HALO_ORDERED = 1, HALO_BOUNDARY_FIRST = 2, &
    HALO_INTERIOR_FIRST = 3, HALO_PIPELINED = 4, HALO_THREAD = 5, HALO_THREAD_NO_JOIN = 6
  integer(c_int32_t), parameter :: interface_version = 1

  type, bind(C) :: halo_array
    integer(c_size_t) :: size = 0
    type(c_ptr) :: data = c_null_ptr
    type(c_ptr) :: next = c_null_ptr
    integer(c_int32_t) :: type = 0
    integer(c_int32_t) :: dims = 0
    integer(c_int32_t) :: order = HALO_FORTRAN_ORDER
    integer(c_int32_t) :: reserved = 0
    integer(c_int64_t) :: cells(HALO_MAX_DIMS) = 0
    integer(c_int64_t) :: allocated(HALO_MAX_DIMS) = 0
    integer(c_int32_t) :: split(HALO_MAX_DIMS) = 0
    integer(c_int32_t) :: low(HALO_MAX_DIMS) = 0
    integer(c_int32_t) :: high(HALO_MAX_DIMS) = 0
  end type

  type, bind(C) :: halo_options
    integer(c_size_t) :: size = 0
    integer(c_int32_t) :: version = interface_version
    integer(c_int32_t) :: dims = 0
    integer(c_int32_t) :: processes(HALO_MAX_DIMS) = 0
    integer(c_int32_t) :: periodic(HALO_MAX_DIMS) = 0
    integer(c_int32_t) :: outstanding = 4
    integer(c_int32_t) :: transport = HALO_AUTOMATIC
    integer(c_int32_t) :: threads = 1
    integer(c_int32_t) :: reserved = 0
    real(c_double) :: timeout = 600
    integer(c_int64_t) :: piece_bytes = 61440
  end type

  !> Cells lo + 1 to hi along every process dimension, counted from this rank's first own cell, which is 1.
  type, bind(C) :: halo_box
    integer(c_int64_t) :: lo(HALO_MAX_DIMS) = 0
    integer(c_int64_t) :: hi(HALO_MAX_DIMS) = 0
  end type

  type, bind(C) :: halo_handle
    type(c_ptr) :: object = c_null_ptr
  end type

  abstract interface
    !> Computes the cells of `box`; now(n) and next(n) are where array n begins in memory, for c_f_pointer.
    subroutine halo_callback(box, now, next, user) bind(C)
      import :: halo_box, c_ptr
      type(halo_box), intent(in) :: box
      type(c_ptr), intent(in) :: now(*), next(*)
      type(c_ptr), value :: user
    end subroutine
  end interface

  !> halo_array_of(a, width [, split] [, next]): an array in memory, halo included. `split(i)` is the process dimension
  !> of dimension i, 0 for one that is not split and has no halo; dimension i over process dimension i without it.
  interface halo_array_of
    module procedure array_of_real32, array_of_real64, array_of_int32, array_of_int64, array_of_complex32, &
      array_of_complex64
  end interface
  interface halo_init
    module procedure init_integer, init_type
  end interface
  interface halo_decompose
    module procedure decompose_integer, decompose_type
  end interface

  interface
    integer(c_int) function c_init(handle, comm, arrays, count, options) bind(C, name="halo_init_fortran")
      import :: c_int, halo_handle, halo_array, halo_options
      type(halo_handle), intent(out) :: handle
      integer(c_int), value :: comm, count
      type(halo_array), intent(in) :: arrays(*)
      type(halo_options), intent(in) :: options
    end function
    integer(c_int) function c_decompose(comm, dims, cells, processes, first, own) &
        bind(C, name="halo_decompose_fortran")
      import :: c_int, c_int32_t, c_int64_t
      integer(c_int), value :: comm, dims
      integer(c_int64_t), intent(in) :: cells(*)
      integer(c_int32_t), intent(inout) :: processes(*)
      integer(c_int64_t), intent(out) :: first(*), own(*)
    end function
    integer(c_int) function c_finalize(handle) bind(C, name="halo_finalize")
      import :: c_int, halo_handle
      type(halo_handle), intent(inout) :: handle
    end function
    integer(c_int) function c_isend(handle, direction, lo, hi, request) bind(C, name="halo_isend")
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: handle, lo, hi
      integer(c_int), intent(in) :: direction(*)
      integer(c_int64_t), intent(inout) :: request
    end function
    integer(c_int) function c_irecv(handle, direction, lo, hi, request) bind(C, name="halo_irecv")
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: handle, lo, hi
      integer(c_int), intent(in) :: direction(*)
      integer(c_int64_t), intent(inout) :: request
    end function
    integer(c_int) function c_wait(handle, request) bind(C, name="halo_wait")
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: handle
      integer(c_int64_t), intent(inout) :: request
    end function
    integer(c_int) function c_test(handle, request, done) bind(C, name="halo_test")
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: handle
      integer(c_int64_t), intent(inout) :: request
      integer(c_int), intent(out) :: done
    end function
    integer(c_int) function c_exchange(handle) bind(C, name="halo_exchange")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function
    integer(c_int) function c_core(handle, core) bind(C, name="halo_core")
      import :: c_int, c_ptr, halo_box
      type(c_ptr), value :: handle
      type(halo_box), intent(out) :: core
    end function
    integer(c_int) function c_shell(handle, boxes, most, count) bind(C, name="halo_shell")
      import :: c_int, c_ptr, halo_box
      type(c_ptr), value :: handle
      type(halo_box), intent(inout) :: boxes(*)
      integer(c_int), value :: most
      integer(c_int), intent(out) :: count
    end function
    integer(c_int) function c_step(handle, strategy, callback, user) bind(C, name="halo_step")
      import :: c_int, c_ptr, c_funptr
      type(c_ptr), value :: handle, user
      integer(c_int), value :: strategy
      type(c_funptr), value :: callback
    end function
    integer(c_int) function c_modified(handle) bind(C, name="halo_modified")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
    end function
    integer(c_int) function c_data(handle, array, data) bind(C, name="halo_data")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: array
      type(c_ptr), intent(out) :: data
    end function
    integer(c_int) function c_place(handle, processes, coords, first, global) bind(C, name="halo_place")
      import :: c_int, c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: handle
      integer(c_int32_t), intent(inout) :: processes(*), coords(*)
      integer(c_int64_t), intent(inout) :: first(*), global(*)
    end function
    integer(c_int) function c_neighbour(handle, direction, rank) bind(C, name="halo_neighbour")
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), intent(in) :: direction(*)
      integer(c_int), intent(out) :: rank
    end function
    integer(c_int) function c_describe(handle, text, size) bind(C, name="halo_describe")
      import :: c_int, c_ptr, c_char, c_size_t
      type(c_ptr), value :: handle
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
    end function
    integer(c_int) function halo_version() bind(C, name="halo_version")
      import :: c_int
    end function
    type(c_ptr) function c_error_text(status) bind(C, name="halo_error_text")
      import :: c_int, c_ptr
      integer(c_int), value :: status
    end function
    integer(c_size_t) function c_strlen(text) bind(C, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
  end interface

contains

  !> The registration that all halo_array_of share.
  function described(data, type, extent, width, split) result(array)
    type(c_ptr), intent(in) :: data
    integer, intent(in) :: type, extent(:), width
    integer, intent(in), optional :: split(:)
    type(halo_array) :: array
    integer :: i
    array%size = c_sizeof(array)
    array%data = data
    array%type = int(type, c_int32_t)
    array%dims = int(size(extent), c_int32_t)
    do i = 1, min(size(extent), HALO_MAX_DIMS)
      array%split(i) = int(i, c_int32_t)
      if (present(split)) then
        array%split(i) = 0
        if (i <= size(split)) array%split(i) = int(split(i), c_int32_t)
      end if
      if (array%split(i) /= 0) then
        array%low(i) = int(width, c_int32_t)
        array%high(i) = int(width, c_int32_t)
      end if
      array%cells(i) = extent(i) - array%low(i) - array%high(i)
    end do
  end function

  function array_of_real32(a, width, split, next) result(array)
    real(real32), intent(in), target, contiguous :: a(..)
    integer, intent(in) :: width
    integer, intent(in), optional :: split(:)
    real(real32), intent(in), target, contiguous, optional :: next(..)
    type(halo_array) :: array
    array = described(c_loc(a), HALO_REAL32, shape(a), width, split)
    if (present(next)) array%next = c_loc(next)
  end function

  function array_of_real64(a, width, split, next) result(array)
    real(real64), intent(in), target, contiguous :: a(..)
    integer, intent(in) :: width
    integer, intent(in), optional :: split(:)
    real(real64), intent(in), target, contiguous, optional :: next(..)
    type(halo_array) :: array
    array = described(c_loc(a), HALO_REAL64, shape(a), width, split)
    if (present(next)) array%next = c_loc(next)
  end function

  function array_of_int32(a, width, split, next) result(array)
    integer(int32), intent(in), target, contiguous :: a(..)
    integer, intent(in) :: width
    integer, intent(in), optional :: split(:)
    integer(int32), intent(in), target, contiguous, optional :: next(..)
    type(halo_array) :: array
    array = described(c_loc(a), HALO_INT32, shape(a), width, split)
    if (present(next)) array%next = c_loc(next)
  end function

  function array_of_int64(a, width, split, next) result(array)
    integer(int64), intent(in), target, contiguous :: a(..)
    integer, intent(in) :: width
    integer, intent(in), optional :: split(:)
    integer(int64), intent(in), target, contiguous, optional :: next(..)
    type(halo_array) :: array
    array = described(c_loc(a), HALO_INT64, shape(a), width, split)
    if (present(next)) array%next = c_loc(next)
  end function

  function array_of_complex32(a, width, split, next) result(array)
    complex(real32), intent(in), target, contiguous :: a(..)
    integer, intent(in) :: width
    integer, intent(in), optional :: split(:)
    complex(real32), intent(in), target, contiguous, optional :: next(..)
    type(halo_array) :: array
    array = described(c_loc(a), HALO_COMPLEX32, shape(a), width, split)
    if (present(next)) array%next = c_loc(next)
  end function

  function array_of_complex64(a, width, split, next) result(array)
    complex(real64), intent(in), target, contiguous :: a(..)
    integer, intent(in) :: width
    integer, intent(in), optional :: split(:)
    complex(real64), intent(in), target, contiguous, optional :: next(..)
    type(halo_array) :: array
    array = described(c_loc(a), HALO_COMPLEX64, shape(a), width, split)
    if (present(next)) array%next = c_loc(next)
  end function

  function halo_options_of(dims) result(options)
    integer, intent(in) :: dims
    type(halo_options) :: options
    options%size = c_sizeof(options)
    options%dims = int(dims, c_int32_t)
  end function

  subroutine init_integer(handle, comm, arrays, options, ierror)
    type(halo_handle), intent(out) :: handle
    integer, intent(in) :: comm
    type(halo_array), intent(in) :: arrays(:)
    type(halo_options), intent(in) :: options
    integer, intent(out) :: ierror
    ierror = c_init(handle, int(comm, c_int), arrays, size(arrays, kind=c_int), options)
  end subroutine

  subroutine init_type(handle, comm, arrays, options, ierror)
    type(halo_handle), intent(out) :: handle
    type(MPI_Comm), intent(in) :: comm
    type(halo_array), intent(in) :: arrays(:)
    type(halo_options), intent(in) :: options
    integer, intent(out) :: ierror
    call init_integer(handle, comm%MPI_VAL, arrays, options, ierror)
  end subroutine

  !> `first` is the global number of this rank's first own cell, the first of all cells being 1.
  subroutine decompose_integer(comm, cells, processes, first, own, ierror)
    integer, intent(in) :: comm
    integer, intent(in) :: cells(:)
    integer, intent(inout) :: processes(:)
    integer, intent(out) :: first(:), own(:)
    integer, intent(out) :: ierror
    integer(c_int32_t) :: counts(size(cells))
    integer(c_int64_t) :: begin(size(cells)), mine(size(cells))
    ierror = HALO_ERR_ARGUMENT
    first = 0
    own = 0
    if (min(size(processes), size(first), size(own)) < size(cells)) return
    counts = int(processes(:size(cells)), c_int32_t)
    begin = 0
    mine = 0
    ierror = c_decompose(int(comm, c_int), size(cells, kind=c_int), int(cells, c_int64_t), counts, begin, mine)
    processes(:size(cells)) = counts
    first(:size(cells)) = int(begin) + 1
    own(:size(cells)) = int(mine)
  end subroutine

  subroutine decompose_type(comm, cells, processes, first, own, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: cells(:)
    integer, intent(inout) :: processes(:)
    integer, intent(out) :: first(:), own(:)
    integer, intent(out) :: ierror
    call decompose_integer(comm%MPI_VAL, cells, processes, first, own, ierror)
  end subroutine

  subroutine halo_finalize(handle, ierror)
    type(halo_handle), intent(inout) :: handle
    integer, intent(out) :: ierror
    ierror = c_finalize(handle)
  end subroutine

  !> `first` and `last` (own cells, counted from 1) leave out cells across the direction; both or neither.
  subroutine halo_isend(handle, direction, request, ierror, first, last)
    type(halo_handle), intent(in) :: handle
    integer, intent(in) :: direction(:)
    integer(int64), intent(inout) :: request
    integer, intent(out) :: ierror
    integer, intent(in), optional :: first(:), last(:)
    integer(c_int64_t), target :: lo(HALO_MAX_DIMS), hi(HALO_MAX_DIMS)
    type(c_ptr) :: at_lo, at_hi
    call range(first, last, lo, hi, at_lo, at_hi)
    ierror = c_isend(handle%object, padded(direction), at_lo, at_hi, request)
  end subroutine

  subroutine halo_irecv(handle, direction, request, ierror, first, last)
    type(halo_handle), intent(in) :: handle
    integer, intent(in) :: direction(:)
    integer(int64), intent(inout) :: request
    integer, intent(out) :: ierror
    integer, intent(in), optional :: first(:), last(:)
    integer(c_int64_t), target :: lo(HALO_MAX_DIMS), hi(HALO_MAX_DIMS)
    type(c_ptr) :: at_lo, at_hi
    call range(first, last, lo, hi, at_lo, at_hi)
    ierror = c_irecv(handle%object, padded(direction), at_lo, at_hi, request)
  end subroutine

  subroutine range(first, last, lo, hi, at_lo, at_hi)
    integer, intent(in), optional :: first(:), last(:)
    integer(c_int64_t), intent(out), target :: lo(HALO_MAX_DIMS), hi(HALO_MAX_DIMS)
    type(c_ptr), intent(out) :: at_lo, at_hi
    lo = 0
    hi = 0
    at_lo = c_null_ptr
    at_hi = c_null_ptr
    if (present(first)) then
      lo(:min(size(first), HALO_MAX_DIMS)) = first(:min(size(first), HALO_MAX_DIMS)) - 1
      at_lo = c_loc(lo)
    end if
    if (present(last)) then
      hi(:min(size(last), HALO_MAX_DIMS)) = last(:min(size(last), HALO_MAX_DIMS))
      at_hi = c_loc(hi)
    end if
  end subroutine

  pure function padded(direction) result(all)
    integer, intent(in) :: direction(:)
    integer(c_int) :: all(HALO_MAX_DIMS)
    integer :: n
    n = min(size(direction), HALO_MAX_DIMS)
    all = 0
    all(:n) = int(direction(:n), c_int)
  end function

  subroutine halo_wait(handle, request, ierror)
    type(halo_handle), intent(in) :: handle
    integer(int64), intent(inout) :: request
    integer, intent(out) :: ierror
    ierror = c_wait(handle%object, request)
  end subroutine

  subroutine halo_test(handle, request, done, ierror)
    type(halo_handle), intent(in) :: handle
    integer(int64), intent(inout) :: request
    logical, intent(out) :: done
    integer, intent(out) :: ierror
    integer(c_int) :: answer
    answer = 0
    ierror = c_test(handle%object, request, answer)
    done = answer /= 0
  end subroutine

  subroutine halo_exchange(handle, ierror)
    type(halo_handle), intent(in) :: handle
    integer, intent(out) :: ierror
    ierror = c_exchange(handle%object)
  end subroutine

  subroutine halo_core(handle, core, ierror)
    type(halo_handle), intent(in) :: handle
    type(halo_box), intent(out) :: core
    integer, intent(out) :: ierror
    ierror = c_core(handle%object, core)
  end subroutine

  subroutine halo_shell(handle, boxes, count, ierror)
    type(halo_handle), intent(in) :: handle
    type(halo_box), intent(inout) :: boxes(:)
    integer, intent(out) :: count, ierror
    integer(c_int) :: n
    n = 0
    ierror = c_shell(handle%object, boxes, size(boxes, kind=c_int), n)
    count = n
  end subroutine

  subroutine halo_step(handle, strategy, callback, ierror, user)
    type(halo_handle), intent(in) :: handle
    integer, intent(in) :: strategy
    procedure(halo_callback) :: callback
    integer, intent(out) :: ierror
    type(c_ptr), intent(in), optional :: user
    type(c_ptr) :: data
    data = c_null_ptr
    if (present(user)) data = user
    ierror = c_step(handle%object, int(strategy, c_int), c_funloc(callback), data)
  end subroutine

  subroutine halo_modified(handle, ierror)
    type(halo_handle), intent(in) :: handle
    integer, intent(out) :: ierror
    ierror = c_modified(handle%object)
  end subroutine

  !> Where the present values of array `array` (the first is 1) are, for c_f_pointer.
  subroutine halo_data(handle, array, data, ierror)
    type(halo_handle), intent(in) :: handle
    integer, intent(in) :: array
    type(c_ptr), intent(out) :: data
    integer, intent(out) :: ierror
    data = c_null_ptr
    ierror = c_data(handle%object, int(array - 1, c_int), data)
  end subroutine

  !> `coords` are counted from 0 as ranks are; `first` from 1 as cells are.
  subroutine halo_place(handle, processes, coords, first, global, ierror)
    type(halo_handle), intent(in) :: handle
    integer, intent(out) :: processes(HALO_MAX_DIMS), coords(HALO_MAX_DIMS), first(HALO_MAX_DIMS), &
      global(HALO_MAX_DIMS)
    integer, intent(out) :: ierror
    integer(c_int32_t) :: counts(HALO_MAX_DIMS), at(HALO_MAX_DIMS)
    integer(c_int64_t) :: begin(HALO_MAX_DIMS), all(HALO_MAX_DIMS)
    counts = 1
    at = 0
    begin = 0
    all = 1
    ierror = c_place(handle%object, counts, at, begin, all)
    processes = counts
    coords = at
    first = int(begin) + 1
    global = int(all)
  end subroutine

  subroutine halo_neighbour(handle, direction, rank, ierror)
    type(halo_handle), intent(in) :: handle
    integer, intent(in) :: direction(:)
    integer, intent(out) :: rank, ierror
    integer(c_int) :: found
    found = -1
    ierror = c_neighbour(handle%object, padded(direction), found)
    rank = found
  end subroutine

  subroutine halo_describe(handle, text, ierror)
    type(halo_handle), intent(in) :: handle
    character(len=*), intent(out) :: text
    integer, intent(out) :: ierror
    character(kind=c_char) :: buffer(len(text) + 1)
    integer :: i
    buffer = c_null_char
    ierror = c_describe(handle%object, buffer, size(buffer, kind=c_size_t))
    text = ""
    do i = 1, len(text)
      if (buffer(i) == c_null_char) exit
      text(i:i) = buffer(i)
    end do
  end subroutine

  function halo_error_text(status) result(text)
    integer, intent(in) :: status
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    type(c_ptr) :: at
    integer :: i
    at = c_error_text(int(status, c_int))
    call c_f_pointer(at, bytes, [c_strlen(at)])
    allocate (character(len=size(bytes)) :: text)
    do i = 1, size(bytes)
      text(i:i) = bytes(i)
    end do
  end function
end module halo
