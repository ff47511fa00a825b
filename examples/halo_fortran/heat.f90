! SPDX-License-Identifier: Apache-2.0
! dT/dt = laplace(T) in a periodic cube of side 2 pi, on any number of ranks and without a call of MPI:
! T = sin x sin y sin z decays as exp(-3 t). mpirun -n 4 ./heat
module physics
  use, intrinsic :: iso_c_binding
  use halo
  implicit none
  integer :: own(3)
contains
  subroutine diffuse(box, now, next, user) bind(C)
    type(halo_box), intent(in) :: box
    type(c_ptr), intent(in) :: now(*), next(*)
    type(c_ptr), value :: user
    real(c_double), pointer :: T(:, :, :), new(:, :, :), factor
    integer(c_int64_t) :: x, y, z
    call c_f_pointer(now(1), T, own + 2) ! own cells begin at 2
    call c_f_pointer(next(1), new, own + 2)
    call c_f_pointer(user, factor)
    do concurrent (z=box%lo(3)+2:box%hi(3)+1, y=box%lo(2)+2:box%hi(2)+1, x=box%lo(1)+2:box%hi(1)+1)
      new(x, y, z) = T(x, y, z) + factor * (T(x - 1, y, z) + T(x + 1, y, z) + T(x, y - 1, z) + T(x, y + 1, z) + &
                     T(x, y, z - 1) + T(x, y, z + 1) - 6 * T(x, y, z))
    end do
  end subroutine
end module

program heat
  use physics
  use mpi, only: MPI_COMM_WORLD
  implicit none
  real(c_double), target :: a = 0.1_c_double, h = 2 * acos(-1.0_c_double) / 32 ! dt / h**2 and the spacing of 32 cells
  real(c_double), allocatable, target :: T(:, :, :), new(:, :, :), exact(:, :, :)
  integer :: processes(3) = 0, first(3), x, y, z, step, wrong, ierror
  type(halo_handle) :: handle

  call halo_decompose(MPI_COMM_WORLD, [32, 32, 32], processes, first, own, ierror)
  allocate (T, new, source=reshape([(((product(sin(h * (first + [x, y, z]))), &
                                      x=1, own(1) + 2), y=1, own(2) + 2), z=1, own(3) + 2)], own + 2))
  allocate (exact, source=exp(-3 * a * h**2 * 100) * T(2:own(1) + 1, 2:own(2) + 1, 2:own(3) + 1))
  call halo_init(handle, MPI_COMM_WORLD, [halo_array_of(T, 1, next=new)], &
                 halo_options_of(3, processes, periodic=[.true., .true., .true.]), ierror)
  do step = 1, 100 ! each swaps T and new: in the end T is the present one, as halo_data would tell
    if (ierror == HALO_OK) call halo_step(handle, HALO_BOUNDARY_FIRST, diffuse, ierror, c_loc(a))
  end do
  if (ierror /= HALO_OK) error stop "heat: a halo function failed"
  wrong = count(abs(T(2:own(1) + 1, 2:own(2) + 1, 2:own(3) + 1) - exact) > 0.01 * maxval(exact))
  if (all(first == 1)) print '(a, i0, a)', "heat: ", wrong, " cells of this rank are off by more than 1 %"
  call halo_finalize(handle, ierror)
  if (wrong > 0 .or. ierror /= HALO_OK) error stop
end program
