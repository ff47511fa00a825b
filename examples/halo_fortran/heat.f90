! SPDX-License-Identifier: Apache-2.0
! dT/dt = laplace(T) in a periodic cube of side 2 pi, on any number of ranks and without a call of MPI:
! T = sin x sin y sin z decays as exp(-3 t). mpirun -n 4 ./heat
module physics
  use, intrinsic :: iso_c_binding
  use halo
  implicit none
  integer :: own(3), first(3)
  real(c_double), parameter :: a = 0.1_c_double, h = 2 * acos(-1.0_c_double) / 32 ! dt / h**2 and the spacing of 32 cells
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
  real(c_double), allocatable, target :: T(:, :, :), new(:, :, :), exact(:, :, :)
  real(c_double), pointer :: found(:, :, :)
  real(c_double), target :: factor = a
  integer :: processes(3) = 0, x, y, z, step, ierror
  type(halo_options) :: options
  type(halo_handle) :: handle
  type(c_ptr) :: values
  call halo_decompose(MPI_COMM_WORLD, [32, 32, 32], processes, first, own, ierror)
  allocate (T(own(1) + 2, own(2) + 2, own(3) + 2))
  allocate (new, exact, mold=T)
  T = reshape([(((product(sin(h * (first + [x, y, z]))), x=1, own(1) + 2), y=1, own(2) + 2), z=1, own(3) + 2)], own + 2)
  exact = exp(-3 * a * h**2 * 100) * T
  options = halo_options_of(3)
  options%processes(:3) = processes
  options%periodic(:3) = 1
  call halo_init(handle, MPI_COMM_WORLD, [halo_array_of(T, 1, next=new)], options, ierror)
  do step = 1, 100
    if (ierror == HALO_OK) call halo_step(handle, HALO_BOUNDARY_FIRST, diffuse, ierror, c_loc(factor))
  end do
  if (ierror == HALO_OK) call halo_data(handle, 1, values, ierror) ! halo_step has swapped T and new
  if (ierror /= HALO_OK) error stop "heat: a halo function failed"
  call c_f_pointer(values, found, own + 2)
  exact = abs(found - exact) / maxval(exact)
  x = count(exact(2:own(1) + 1, 2:own(2) + 1, 2:own(3) + 1) > 0.01)
  if (all(first == 1)) print '(a, i0, a)', "heat: ", x, " cells of this rank are off by more than 1 %"
  call halo_finalize(handle, ierror)
  if (x > 0 .or. ierror /= HALO_OK) error stop
end program
