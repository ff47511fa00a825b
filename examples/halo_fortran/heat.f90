! SPDX-License-Identifier: Apache-2.0
! dT/dt = laplace(T) in a periodic cube of side 2 pi, on any number of ranks and without a call of MPI:
! T = sin x sin y sin z decays as exp(-3 t). mpirun -n 4 ./heat 4 (steps a pass, with as many halo layers)
module physics
  use, intrinsic :: iso_c_binding
  use halo
  implicit none
  integer :: own(3), w = 1 ! halo layers
contains
  subroutine diffuse(box, step, now, next, user) bind(C)
    type(halo_box), intent(in) :: box
    integer(c_int), value :: step
    type(c_ptr), intent(in) :: now(*), next(*)
    type(c_ptr), value :: user
    real(c_double), pointer :: T(:, :, :), new(:, :, :), factor
    integer(c_int64_t) :: x, y, z
    if (step < 0) return
    call c_f_pointer(now(1), T, own + 2 * w) ! own cells begin at w + 1
    call c_f_pointer(next(1), new, own + 2 * w)
    call c_f_pointer(user, factor)
    do concurrent (z=box%lo(3)+w+1:box%hi(3)+w, y=box%lo(2)+w+1:box%hi(2)+w, x=box%lo(1)+w+1:box%hi(1)+w)
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
  integer :: processes(3) = 0, first(3), x, y, z, wrong, ierror
  type(halo_handle) :: handle
  character(len=20) :: given

  call get_command_argument(1, given)
  if (given /= "") read (given, *) w
  call halo_decompose(MPI_COMM_WORLD, [32, 32, 32], processes, first, own, ierror)
  allocate (T, new, source=reshape([(((product(sin(h * (first + [x, y, z] - w))), &
                                      x=1, own(1) + 2 * w), y=1, own(2) + 2 * w), z=1, own(3) + 2 * w)], own + 2 * w))
  allocate (exact, source=exp(-3 * a * h**2 * 100) * T(w + 1:w + own(1), w + 1:w + own(2), w + 1:w + own(3)))
  call halo_init(handle, MPI_COMM_WORLD, [halo_array_of(T, w, next=new)], &
                 halo_options_of(3, processes, periodic=[.true., .true., .true.]), ierror)
  ! Each step swaps T and new: after 100 T is the present one, as halo_data would tell.
  if (ierror == HALO_OK) call halo_steps(handle, HALO_BOUNDARY_FIRST, diffuse, 100, 1, ierror, per_pass=w, user=c_loc(a))
  if (ierror /= HALO_OK) error stop "heat: a halo function failed"
  exact = abs(T(w + 1:w + own(1), w + 1:w + own(2), w + 1:w + own(3)) - exact)
  wrong = count(exact > 0.01 * exp(-3 * a * h**2 * 100))
  if (all(first == 1)) print '(a, i0, a, es22.15)', "heat: ", wrong, " cells of this rank are off by more than 1 %, the most by", &
    maxval(exact)
  call halo_finalize(handle, ierror)
  if (wrong > 0 .or. ierror /= HALO_OK) error stop
end program
