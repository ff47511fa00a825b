! SPDX-License-Identifier: Apache-2.0
! The C functions of subcurrent/halo.h as Fortran sees them; for the module halo only.
module halo_bindings
  use, intrinsic :: iso_c_binding
  use halo_types, only: halo_array, halo_account, halo_options, halo_box, halo_handle
  implicit none
  public

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
    integer(c_int) function c_allocate(comm, bytes, memory) bind(C, name="halo_allocate_fortran")
      import :: c_int, c_size_t, c_ptr
      integer(c_int), value :: comm
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: memory
    end function
    integer(c_int) function c_free(memory) bind(C, name="halo_free")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: memory
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
    integer(c_int) function c_steps(handle, strategy, callback, steps, reach, per_pass, user) &
        bind(C, name="halo_steps")
      import :: c_int, c_ptr, c_funptr
      type(c_ptr), value :: handle, user
      integer(c_int), value :: strategy, steps, reach, per_pass
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
    integer(c_int) function c_describe_passes(handle, text, size) bind(C, name="halo_describe_passes")
      import :: c_int, c_ptr, c_char, c_size_t
      type(c_ptr), value :: handle
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: size
    end function
    integer(c_int) function c_get_account(handle, account) bind(C, name="halo_get_account")
      import :: c_int, c_ptr, halo_account
      type(c_ptr), value :: handle
      type(halo_account), intent(inout) :: account
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
end module halo_bindings
