// SPDX-License-Identifier: Apache-2.0
// _core.FFT: the distributed transform on NumPy arrays of this rank's own points and modes.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/faces.hpp"
#include "spectral/fft.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

using Triple = std::array<int, 3>;  // x, y, z

/// A transform, which keeps its context alive.
template <class T>
struct FftFace {
  FftFace(std::shared_ptr<Ranks> r, Triple cells, std::array<int, 2> grid, Triple largest,
          const std::string& library)
      : ranks(std::move(r)),
        fft(ranks->open(), {.cells = {cells[0], cells[1], cells[2]},
                            .process_grid = grid,
                            .largest_mode = {largest[0], largest[1], largest[2]},
                            .library = spectral::library_of(library)}) {}
  std::shared_ptr<Ranks> ranks;
  spectral::FFT<T> fft;
};

/// In NumPy's order.
std::array<int, 3> backwards(Int3 v) { return {v.z, v.y, v.x}; }

std::string shape_of(Int3 n) {
  return "(" + std::to_string(n.z) + ", " + std::to_string(n.y) + ", " + std::to_string(n.x) + ")";
}

template <class T, class Array>
spectral::Cells<T> cells_of(const Array& array, const Grid& grid, const char* what) {
  const Int3 n = grid.own().extent();
  if (array.ndim() != 3 || array.shape(0) != std::size_t(n.z) || array.shape(1) != std::size_t(n.y) ||
      array.shape(2) != std::size_t(n.x))
    refuse(std::string("the array of ") + what + " must have this rank's shape, " + shape_of(n));
  if (n.x > 1 && array.stride(2) != 1)
    refuse(std::string("the array of ") + what + " must be contiguous along its last axis");
  return {array.data(), array.stride(1), array.stride(0)};
}

template <class T>
using OnCpu = nb::ndarray<T, nb::device::cpu>;

template <class T>
void bind_fft_of(nb::module_& module, const char* name) {
  using C = std::complex<T>;
  using Face = FftFace<T>;
  nb::class_<Face>(module, name, "Distributed real transform; every method but its attributes is collective.")
      .def(nb::init<std::shared_ptr<Ranks>, Triple, std::array<int, 2>, Triple, const std::string&>(),
           "context"_a, "cells"_a, "process_grid"_a, "largest_mode"_a, "library"_a,
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("real_shape", [](Face& f) { return backwards(f.fft.real_grid().own().extent()); })
      .def_prop_ro("real_start", [](Face& f) { return backwards(f.fft.real_grid().origin()); })
      .def_prop_ro("mode_shape", [](Face& f) { return backwards(f.fft.mode_grid().own().extent()); })
      .def_prop_ro("mode_start", [](Face& f) { return backwards(f.fft.mode_grid().origin()); })
      .def_prop_ro("mode_cells", [](Face& f) { return backwards(f.fft.mode_grid().cells()); })
      .def_prop_ro("bytes", [](Face& f) { return f.fft.bytes(); })
      .def(
          "wavenumbers",
          [](Face& f, int axis) {
            const Int3 first = f.fft.mode_grid().origin(), n = f.fft.mode_grid().own().extent();
            std::vector<int> all;
            for (int i = 0; i < n[axis]; ++i) all.push_back(f.fft.wavenumber(axis, first[axis] + i));
            return all;
          },
          "axis"_a, "Of this rank's modes along x (0), y (1) or z (2).")
      .def(
          "forward",
          [](Face& f, const OnCpu<const T>& points, const OnCpu<C>& modes) {
            f.ranks->open().together([&] {
              cells_of<const T>(points, f.fft.real_grid(), "points");
              cells_of<C>(modes, f.fft.mode_grid(), "modes");
            });
            const auto in = cells_of<const T>(points, f.fft.real_grid(), "points");
            const auto out = cells_of<C>(modes, f.fft.mode_grid(), "modes");
            const nb::gil_scoped_release release;
            f.fft.forward(in, out);
          },
          "points"_a.noconvert(), "modes"_a.noconvert())
      .def(
          "backward",
          [](Face& f, const OnCpu<const C>& modes, const OnCpu<T>& points) {
            f.ranks->open().together([&] {
              cells_of<const C>(modes, f.fft.mode_grid(), "modes");
              cells_of<T>(points, f.fft.real_grid(), "points");
            });
            const auto in = cells_of<const C>(modes, f.fft.mode_grid(), "modes");
            const auto out = cells_of<T>(points, f.fft.real_grid(), "points");
            const nb::gil_scoped_release release;
            f.fft.backward(in, out);
          },
          "modes"_a.noconvert(), "points"_a.noconvert());
}

}  // namespace

void bind_fft(nb::module_& module) {
  bind_fft_of<double>(module, "FFT");
  bind_fft_of<float>(module, "SingleFFT");
  nb::dict libraries;
  libraries["pocketfft"] = spectral::has(spectral::Library::pocketfft);
  libraries["fftw"] = spectral::has(spectral::Library::fftw);
  module.attr("fft_libraries") = libraries;
}

}  // namespace sc::python
