! SPDX-License-Identifier: Apache-2.0
! The loop of 26 neighbours: every face, edge and corner of a block travels by itself, then every halo cell is looked
! at. mpirun -n 4 ./neighbours
program neighbours
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Init
  use halo
  implicit none
  integer, parameter :: n = 20 ! cells of the whole box along every dimension, periodic
  real(real64), allocatable, target :: f(:, :, :)
  integer :: processes(3), first(3), own(3), d(3), l, x, y, z, wrong, ierror
  integer(int64) :: receive, send
  type(halo_options) :: options
  type(halo_handle) :: handle

  call MPI_Init()
  processes = 0 ! chosen
  call halo_decompose(MPI_COMM_WORLD, [n, n, n], processes, first, own, ierror)
  call must(ierror)
  allocate (f(0:own(1) + 1, 0:own(2) + 1, 0:own(3) + 1), source=-1.0_real64)
  do z = 1, own(3)
    do y = 1, own(2)
      do x = 1, own(1)
        f(x, y, z) = value_at(x, y, z)
      end do
    end do
  end do

  options = halo_options_of(3)
  options%processes(:3) = processes
  options%periodic(:3) = 1
  call halo_init(handle, MPI_COMM_WORLD, [halo_array_of(f, 1)], options, ierror)
  call must(ierror)

  do l = 0, 26
    if (l == 13) cycle ! leads nowhere
    d = [mod(l, 3), mod(l / 3, 3), l / 9] - 1
    call halo_irecv(handle, -d, receive, ierror)
    call must(ierror)
    call halo_isend(handle, d, send, ierror)
    call must(ierror)
    call halo_wait(handle, receive, ierror)
    call must(ierror)
    call halo_wait(handle, send, ierror)
    call must(ierror)
  end do

  wrong = 0
  do z = 0, own(3) + 1
    do y = 0, own(2) + 1
      do x = 0, own(1) + 1
        if (abs(f(x, y, z) - value_at(x, y, z)) > 0) wrong = wrong + 1
      end do
    end do
  end do
  call halo_finalize(handle, ierror)
  call must(ierror)
  print '(a, i0, a)', "neighbours: ", wrong, " wrong cells"
  if (wrong > 0) error stop
  call end_mpi()

contains

  pure real(real64) function value_at(x, y, z)
    integer, intent(in) :: x, y, z
    integer :: g(3)
    g = modulo(first + [x, y, z] - 2, n)
    value_at = real((g(3) * n + g(2)) * n + g(1), real64)
  end function

  subroutine must(ierror)
    integer, intent(in) :: ierror
    if (ierror == HALO_OK) return
    print '(2a)', "neighbours: ", halo_error_text(ierror)
    error stop
  end subroutine

  subroutine end_mpi()
    use mpi_f08, only: MPI_Finalize
    call MPI_Finalize()
  end subroutine
end program
