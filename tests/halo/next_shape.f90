! SPDX-License-Identifier: Apache-2.0
! halo_init refuses a `next` of another shape than its array, for every type; the same shape is accepted.
program next_shape
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use mpi_f08, only: MPI_COMM_WORLD
  use halo
  implicit none
  real(real32), target :: r4(6, 5), own_r4(4, 3), same(6, 5)
  real(real64), target :: r8(6, 5), own_r8(4, 3)
  integer(int32), target :: i4(6, 5), own_i4(4, 3)
  integer(int64), target :: i8(6, 5), own_i8(4, 3)
  complex(real32), target :: c4(6, 5), own_c4(30)
  complex(real64), target :: c8(6, 5), turned(5, 6)
  type(halo_handle) :: handle
  integer :: ierror
  call refused(halo_array_of(r4, 1, next=own_r4))
  call refused(halo_array_of(r8, 1, next=own_r8))
  call refused(halo_array_of(i4, 1, next=own_i4))
  call refused(halo_array_of(i8, 1, next=own_i8))
  call refused(halo_array_of(c4, 1, next=own_c4))
  call refused(halo_array_of(c8, 1, next=turned))
  call halo_init(handle, MPI_COMM_WORLD, [halo_array_of(r4, 1, next=same)], halo_options_of(2), ierror)
  if (ierror /= HALO_OK) error stop "the same shape is refused"
  call halo_finalize(handle, ierror)
contains
  subroutine refused(array)
    type(halo_array), intent(in) :: array
    call halo_init(handle, MPI_COMM_WORLD, [array], halo_options_of(2), ierror)
    if (ierror /= HALO_ERR_ARGUMENT) error stop "another shape is accepted"
    if (index(halo_error_text(ierror), "next has another shape") == 0) error stop "for another reason"
  end subroutine
end program
