! SPDX-License-Identifier: Apache-2.0
! halo_steps in two dimensions, on any number of ranks: passes of every length leave the values of a plain loop
! over the whole grid, which is periodic along the first axis and has walls across the second one.
module spreading
  use, intrinsic :: iso_c_binding
  use halo
  implicit none
  integer, parameter :: cells(2) = [23, 26], width = 8
  real(c_double), parameter :: beyond = 0.75_c_double ! the walls
  integer :: first(2), own(2)
contains
  pure real(c_double) function initial(x, y)
    integer, intent(in) :: x, y ! of the whole grid, from 1
    initial = sin(0.7_c_double * modulo(x - 1, cells(1)) + 0.2_c_double * y * y)
  end function

  pure real(c_double) function rate(x, y)
    integer, intent(in) :: x, y
    rate = 1 + 0.1_c_double * initial(y, x)
  end function

  ! From the values around a cell, among them a corner, its rate, the number of the step and its first position.
  pure real(c_double) function updated(around, k, step, along, factor)
    real(c_double), intent(in) :: around(-1:1, -1:1), k, factor
    integer, intent(in) :: step, along
    updated = around(0, 0) + factor * k * (around(1, 0) + around(-1, 0) + around(0, 1) + around(0, -1) - 4 * around(0, 0)) &
              + 0.01_c_double * around(-1, 1) + 0.001_c_double * step + 0.0001_c_double * modulo(along - 1, cells(1))
  end function

  subroutine spread_out(box, step, now, next, user) bind(C)
    type(halo_box), intent(in) :: box
    integer(c_int), value :: step
    type(c_ptr), intent(in) :: now(*), next(*)
    type(c_ptr), value :: user
    real(c_double), pointer :: u(:, :), k(:, :), new(:, :), factor
    integer :: x, y
    call c_f_pointer(now(1), u, own + 2 * width) ! own cells begin at width + 1
    call c_f_pointer(now(2), k, own + 2 * width)
    call c_f_pointer(next(1), new, own + 2 * width)
    call c_f_pointer(user, factor)
    do y = int(box%lo(2)) + width + 1, int(box%hi(2)) + width
      do x = int(box%lo(1)) + width + 1, int(box%hi(1)) + width
        new(x, y) = updated(u(x - 1:x + 1, y - 1:y + 1), k(x, y), int(step), first(1) + x - width - 1, factor)
      end do
    end do
  end subroutine
end module

program several_steps
  use spreading
  use, intrinsic :: ieee_arithmetic
  use mpi_f08
  implicit none
  integer, parameter :: steps = 11, lengths(6) = [1, 2, 3, 5, 8, 0] ! 0: to be found
  real(c_double) :: whole(0:cells(1) + 1, 0:cells(2) + 1)
  integer :: n, ierror
  logical :: same, all_same
  call MPI_Init()
  call plain(whole)
  do n = 1, size(lengths)
    block
      real(c_double), allocatable :: passes(:, :), expected(:, :)
      call run(lengths(n), passes)
      expected = whole(first(1):first(1) + own(1) - 1, first(2):first(2) + own(2) - 1)
      same = all(transfer(passes, [0_c_int64_t]) == transfer(expected, [0_c_int64_t]))
      call MPI_Allreduce(same, all_same, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
      if (.not. all_same) then
        print '(a, i0)', "several_steps: other values with per_pass = ", lengths(n)
        call MPI_Abort(MPI_COMM_WORLD, 1)
      end if
    end block
  end do
  print '(a)', "several_steps: all passes have the values of a plain loop"
  call MPI_Finalize()
contains
  subroutine plain(u)
    real(c_double), intent(out) :: u(0:cells(1) + 1, 0:cells(2) + 1)
    real(c_double) :: new(0:cells(1) + 1, 0:cells(2) + 1)
    integer :: x, y, step
    new = beyond
    do concurrent (y=1:cells(2), x=1:cells(1))
      new(x, y) = initial(x, y)
    end do
    do step = 0, steps - 1
      u = new
      u(0, 1:cells(2)) = u(cells(1), 1:cells(2))
      u(cells(1) + 1, 1:cells(2)) = u(1, 1:cells(2))
      do y = 1, cells(2)
        do x = 1, cells(1)
          new(x, y) = updated(u(x - 1:x + 1, y - 1:y + 1), rate(x, y), step, x, 0.05_c_double)
        end do
      end do
    end do
    u = new
  end subroutine

  subroutine run(per_pass, values)
    integer, intent(in) :: per_pass
    real(c_double), allocatable, intent(out) :: values(:, :)
    real(c_double), allocatable, target :: u(:, :), new(:, :), k(:, :)
    real(c_double), target :: factor
    real(c_double), pointer :: last(:, :)
    type(c_ptr) :: data
    type(halo_handle) :: handle
    integer :: processes(2), x, y, error
    processes = 0
    factor = 0.05_c_double
    call halo_decompose(MPI_COMM_WORLD, cells, processes, first, own, error)
    if (error /= HALO_OK) error stop "the grid is not divided"
    allocate (u(own(1) + 2 * width, own(2) + 2 * width), source=ieee_value(factor, ieee_quiet_nan))
    allocate (k, new, source=u)
    do y = 1, own(2) + 2 * width
      if (first(2) + y - width - 1 >= 1 .and. first(2) + y - width - 1 <= cells(2)) cycle
      u(:, y) = beyond
      new(:, y) = beyond
      k(:, y) = 0
    end do
    do y = width + 1, width + own(2)
      do x = width + 1, width + own(1)
        u(x, y) = initial(first(1) + x - width - 1, first(2) + y - width - 1)
        k(x, y) = rate(first(1) + x - width - 1, first(2) + y - width - 1)
      end do
    end do
    call halo_init(handle, MPI_COMM_WORLD, [halo_array_of(u, width, next=new), halo_array_of(k, width)], &
                   halo_options_of(2, processes, periodic=[.true., .false.]), error)
    if (error /= HALO_OK) error stop "halo_init failed"
    call halo_steps(handle, HALO_BOUNDARY_FIRST, spread_out, steps, 1, error, per_pass, c_loc(factor))
    if (error /= HALO_OK) error stop "halo_steps failed"
    call halo_data(handle, 1, data, error)
    call c_f_pointer(data, last, own + 2 * width)
    values = last(width + 1:width + own(1), width + 1:width + own(2))
    if (.not. all(ieee_is_finite(values))) error stop "halo that nobody has filled was read"
    call halo_finalize(handle, error)
    if (error /= HALO_OK) error stop "halo_finalize failed"
  end subroutine
end program
