! SPDX-License-Identifier: Apache-2.0
! The halo functions that take a communicator, as integer (mpif.h, module mpi) or type(MPI_Comm) (module mpi_f08).
module halo_communicators
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use halo_types
  use halo_bindings
  implicit none
  private
  public :: halo_init, halo_allocate, halo_decompose

  interface halo_init
    module procedure init_integer, init_type
  end interface
  interface halo_allocate
    module procedure allocate_integer, allocate_type
  end interface
  interface halo_decompose
    module procedure decompose_integer, decompose_type
  end interface

contains

  subroutine init_integer(handle, comm, arrays, options, ierror)
    type(halo_handle), intent(out) :: handle
    integer, intent(in) :: comm
    ! target, as their addresses are kept: otherwise gfortran may take it that no later call touches the arrays.
    type(halo_array), intent(in), target :: arrays(:)
    type(halo_options), intent(in) :: options
    integer, intent(out) :: ierror
    ierror = c_init(handle, int(comm, c_int), arrays, size(arrays, kind=c_int), options)
  end subroutine

  subroutine init_type(handle, comm, arrays, options, ierror)
    type(halo_handle), intent(out) :: handle
    type(MPI_Comm), intent(in) :: comm
    type(halo_array), intent(in), target :: arrays(:)
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

  !> Memory for arrays that halo_exchange copies straight into a neighbour's halos; c_f_pointer makes an array of it.
  subroutine allocate_integer(comm, bytes, memory, ierror)
    integer, intent(in) :: comm
    integer(c_size_t), intent(in) :: bytes
    type(c_ptr), intent(out) :: memory
    integer, intent(out) :: ierror
    ierror = c_allocate(int(comm, c_int), bytes, memory)
  end subroutine

  subroutine allocate_type(comm, bytes, memory, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer(c_size_t), intent(in) :: bytes
    type(c_ptr), intent(out) :: memory
    integer, intent(out) :: ierror
    call allocate_integer(comm%MPI_VAL, bytes, memory, ierror)
  end subroutine
end module halo_communicators
