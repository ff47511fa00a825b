! SPDX-License-Identifier: Apache-2.0
! The halo functions for Fortran: the calls of subcurrent/halo.h with cells counted from 1. docs/halo_functions.md
! describes every call.
module halo
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use halo_types
  use halo_bindings
  use halo_communicators
  implicit none
  private

  ! of halo_types
  public :: halo_array, halo_options, halo_box, halo_handle, halo_callback, halo_steps_callback, halo_array_of, &
            halo_options_of, halo_account, HALO_MAX_DIMS, HALO_REQUEST_NULL, HALO_OK, HALO_ERR_ARGUMENT, &
            HALO_ERR_HANDLE, HALO_ERR_REQUEST, &
            HALO_ERR_DIRECTION, HALO_ERR_RANGE, HALO_ERR_MISMATCH, HALO_ERR_BUSY, HALO_ERR_TIMEOUT, HALO_ERR_MPI, &
            HALO_ERR_MEMORY, HALO_ERR_UNSUPPORTED, HALO_REAL32, HALO_REAL64, HALO_INT32, HALO_INT64, &
            HALO_COMPLEX32, HALO_COMPLEX64, HALO_C_ORDER, HALO_FORTRAN_ORDER, HALO_AUTOMATIC, HALO_MESSAGES, &
            HALO_BLOCKING, HALO_ORDERED, HALO_BOUNDARY_FIRST, HALO_INTERIOR_FIRST, HALO_PIPELINED, HALO_THREAD, &
            HALO_AUTOMATIC_STRATEGY, HALO_THREAD_NO_JOIN
  public :: halo_decompose, halo_allocate, halo_free
  public :: halo_init, halo_finalize, halo_isend, halo_irecv, halo_wait, halo_test, halo_exchange, &
            halo_core, halo_shell, halo_step, halo_steps, halo_modified, &
            halo_data, halo_place, halo_neighbour, halo_describe, halo_describe_passes, halo_get_account, &
            halo_error_text, halo_version

contains

  !> Arrays in it are not to be touched any more; `memory` becomes c_null_ptr.
  subroutine halo_free(memory, ierror)
    type(c_ptr), intent(inout) :: memory
    integer, intent(out) :: ierror
    ierror = c_free(memory)
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

  !> `per_pass` steps at a time on cells while they are near; without it the fastest of 1, 2, 4, 8 and 16 that the
  !> halos have layers for, found meanwhile. The callback reads at most `reach` cells around its box.
  subroutine halo_steps(handle, strategy, callback, steps, reach, ierror, per_pass, user)
    type(halo_handle), intent(in) :: handle
    integer, intent(in) :: strategy, steps, reach
    procedure(halo_steps_callback) :: callback
    integer, intent(out) :: ierror
    integer, intent(in), optional :: per_pass
    type(c_ptr), intent(in), optional :: user
    type(c_ptr) :: data
    integer(c_int) :: length
    data = c_null_ptr
    length = 0
    if (present(user)) data = user
    if (present(per_pass)) length = int(per_pass, c_int)
    ierror = c_steps(handle%object, int(strategy, c_int), c_funloc(callback), int(steps, c_int), &
                     int(reach, c_int), length, data)
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
    buffer = c_null_char
    ierror = c_describe(handle%object, buffer, size(buffer, kind=c_size_t))
    call copy(buffer, text)
  end subroutine

  !> The passes of the last halo_steps: their number and length, and why they ended early.
  subroutine halo_describe_passes(handle, text, ierror)
    type(halo_handle), intent(in) :: handle
    character(len=*), intent(out) :: text
    integer, intent(out) :: ierror
    character(kind=c_char) :: buffer(len(text) + 1)
    buffer = c_null_char
    ierror = c_describe_passes(handle%object, buffer, size(buffer, kind=c_size_t))
    call copy(buffer, text)
  end subroutine

  subroutine copy(buffer, text)
    character(kind=c_char), intent(in) :: buffer(:)
    character(len=*), intent(out) :: text
    integer :: i
    text = ""
    do i = 1, len(text)
      if (buffer(i) == c_null_char) exit
      text(i:i) = buffer(i)
    end do
  end subroutine

  subroutine halo_get_account(handle, account, ierror)
    type(halo_handle), intent(in) :: handle
    type(halo_account), intent(out) :: account
    integer, intent(out) :: ierror
    account%size = c_sizeof(account)
    ierror = c_get_account(handle%object, account)
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
