! SPDX-License-Identifier: Apache-2.0
! The halo functions for Fortran: constants, types, and the registration of arrays of every type and rank 1 to 4.
module halo_types
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none
  private

  public :: halo_array, halo_options, halo_box, halo_handle, halo_callback, halo_steps_callback, &
            halo_array_of, halo_options_of, &
            halo_account

  integer, parameter, public :: HALO_MAX_DIMS = 4
  integer(int64), parameter, public :: HALO_REQUEST_NULL = 0_int64
  integer, parameter, public :: HALO_OK = 0, HALO_ERR_ARGUMENT = 1, HALO_ERR_HANDLE = 2, HALO_ERR_REQUEST = 3, &
    HALO_ERR_DIRECTION = 4, HALO_ERR_RANGE = 5, HALO_ERR_MISMATCH = 6, HALO_ERR_BUSY = 7, HALO_ERR_TIMEOUT = 8, &
    HALO_ERR_MPI = 9, HALO_ERR_MEMORY = 10, HALO_ERR_UNSUPPORTED = 11
  integer, parameter, public :: HALO_REAL32 = 1, HALO_REAL64 = 2, HALO_INT32 = 3, HALO_INT64 = 4, &
    HALO_COMPLEX32 = 5, HALO_COMPLEX64 = 6
  integer, parameter, public :: HALO_C_ORDER = 0, HALO_FORTRAN_ORDER = 1
  integer, parameter, public :: HALO_AUTOMATIC = 0, HALO_MESSAGES = 1
  integer, parameter, public :: &
    HALO_BLOCKING = 0, HALO_ORDERED = 1, HALO_BOUNDARY_FIRST = 2, HALO_INTERIOR_FIRST = 3, HALO_PIPELINED = 4, &
    HALO_THREAD = 5, HALO_AUTOMATIC_STRATEGY = 6, HALO_THREAD_NO_JOIN = 7
  integer(c_int32_t), parameter :: interface_version = 1
  integer(c_int32_t), parameter :: next_differs = 1 ! halo_array%reserved

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

  !> What the halos of a handle have cost this rank since halo_init, in seconds; NaN where not measured.
  type, bind(C) :: halo_account
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: messages = 0
    integer(c_int64_t) :: bytes = 0
    real(c_double) :: moving = 0
    real(c_double) :: starting = 0
    real(c_double) :: waiting = 0
    real(c_double) :: hidden = 0
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
    !> The same of step `step`, counted from 0; the box may reach into the halo, whose cells are then computed too.
    subroutine halo_steps_callback(box, step, now, next, user) bind(C)
      import :: halo_box, c_ptr, c_int
      type(halo_box), intent(in) :: box
      integer(c_int), value :: step
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

  !> halo_init refuses a `next` of another shape, by a value that a C program cannot have meant.
  subroutine set_next(array, next, extent, extent_of_next)
    type(halo_array), intent(inout) :: array
    type(c_ptr), intent(in) :: next
    integer, intent(in) :: extent(:), extent_of_next(:)
    array%next = next
    if (size(extent) /= size(extent_of_next)) then
      array%reserved = next_differs
    else if (any(extent /= extent_of_next)) then
      array%reserved = next_differs
    end if
  end subroutine

  function array_of_real32(a, width, split, next) result(array)
    real(real32), intent(in), target, contiguous :: a(..)
    integer, intent(in) :: width
    integer, intent(in), optional :: split(:)
    real(real32), intent(in), target, contiguous, optional :: next(..)
    type(halo_array) :: array
    array = described(c_loc(a), HALO_REAL32, shape(a), width, split)
    if (present(next)) call set_next(array, c_loc(next), shape(a), shape(next))
  end function

  function array_of_real64(a, width, split, next) result(array)
    real(real64), intent(in), target, contiguous :: a(..)
    integer, intent(in) :: width
    integer, intent(in), optional :: split(:)
    real(real64), intent(in), target, contiguous, optional :: next(..)
    type(halo_array) :: array
    array = described(c_loc(a), HALO_REAL64, shape(a), width, split)
    if (present(next)) call set_next(array, c_loc(next), shape(a), shape(next))
  end function

  function array_of_int32(a, width, split, next) result(array)
    integer(int32), intent(in), target, contiguous :: a(..)
    integer, intent(in) :: width
    integer, intent(in), optional :: split(:)
    integer(int32), intent(in), target, contiguous, optional :: next(..)
    type(halo_array) :: array
    array = described(c_loc(a), HALO_INT32, shape(a), width, split)
    if (present(next)) call set_next(array, c_loc(next), shape(a), shape(next))
  end function

  function array_of_int64(a, width, split, next) result(array)
    integer(int64), intent(in), target, contiguous :: a(..)
    integer, intent(in) :: width
    integer, intent(in), optional :: split(:)
    integer(int64), intent(in), target, contiguous, optional :: next(..)
    type(halo_array) :: array
    array = described(c_loc(a), HALO_INT64, shape(a), width, split)
    if (present(next)) call set_next(array, c_loc(next), shape(a), shape(next))
  end function

  function array_of_complex32(a, width, split, next) result(array)
    complex(real32), intent(in), target, contiguous :: a(..)
    integer, intent(in) :: width
    integer, intent(in), optional :: split(:)
    complex(real32), intent(in), target, contiguous, optional :: next(..)
    type(halo_array) :: array
    array = described(c_loc(a), HALO_COMPLEX32, shape(a), width, split)
    if (present(next)) call set_next(array, c_loc(next), shape(a), shape(next))
  end function

  function array_of_complex64(a, width, split, next) result(array)
    complex(real64), intent(in), target, contiguous :: a(..)
    integer, intent(in) :: width
    integer, intent(in), optional :: split(:)
    complex(real64), intent(in), target, contiguous, optional :: next(..)
    type(halo_array) :: array
    array = described(c_loc(a), HALO_COMPLEX64, shape(a), width, split)
    if (present(next)) call set_next(array, c_loc(next), shape(a), shape(next))
  end function

  !> halo_options_of(dims [, processes] [, periodic]): a process grid; what is not given has its default.
  function halo_options_of(dims, processes, periodic) result(options)
    integer, intent(in) :: dims
    integer, intent(in), optional :: processes(:)
    logical, intent(in), optional :: periodic(:)
    type(halo_options) :: options
    integer :: n
    options%size = c_sizeof(options)
    options%dims = int(dims, c_int32_t)
    if (present(processes)) then
      n = min(size(processes), HALO_MAX_DIMS)
      options%processes(:n) = int(processes(:n), c_int32_t)
    end if
    if (present(periodic)) then
      n = min(size(periodic), HALO_MAX_DIMS)
      options%periodic(:n) = merge(1_c_int32_t, 0_c_int32_t, periodic(:n))
    end if
  end function
end module halo_types
