// SPDX-License-Identifier: Apache-2.0
// Resampling: both transforms keep the same modes, so that the modes of one are those of the other.
#include "solvers/turbulence/resample.hpp"

#include <algorithm>

#include "solvers/turbulence/modes.hpp"
#include "spectral/fft.hpp"

namespace sc::turbulence {

namespace {

struct Multiply {
  double factor;
  template <class Real>
  SC_FN void operator()(At c, InOut<Mode<Real>> mode) const {
    set(mode[c], Real(factor) * value(mode[c]));
  }
};

double count(Int3 n) { return double(n.x) * n.y * n.z; }

template <class Real>
void resample_in(AnyField& from, AnyField& to) {
  const Grid& points = to.grid();
  Context& context = points.context();
  const Int3 a = from.grid().cells(), b = points.cells(), split = points.split();
  Int3 largest;
  for (int axis = 0; axis < 3; ++axis) largest[axis] = (std::min(a[axis], b[axis]) - 1) / 2;
  const auto options = [&](Int3 cells) {
    return spectral::FftOptions{.cells = cells,
                                .process_grid = {split.y, split.z},
                                .largest_mode = largest,
                                .strategy = Strategy::blocking};
  };
  spectral::FFT<Real> fft_from(context, options(a)), fft_to(context, options(b));
  Field<Mode<Real>> modes(fft_from.mode_grid(), "modes of both grids");
  const Grid& grid = modes.grid();
  to.storage(0).settle();
  to.storage(0).set_fresh(point);
  for (int d = 0; d < to.storage(0).components(); ++d) {
    fft_from.forward(spectral::cells_of(Level<Real, 1>{&from, 0}, d), spectral::cells_of(modes.now()));
    // Modes are sums over the points.
    for_each(grid.own(), {}, {grid.layout(), grid.origin()}, context.threads(), {},
             Multiply{count(b) / count(a)}, InOut<Mode<Real>>(modes.now().view()));
    fft_to.backward(spectral::Cells<const Mode<Real>>(spectral::cells_of(modes.now())),
                    spectral::cells_of(Level<Real, 1>{&to, 0}, d));
  }
}

}  // namespace

void resample(AnyField& from, AnyField& to) {
  if (to.storage(0).type() == element_type<float>())
    resample_in<float>(from, to);
  else
    resample_in<double>(from, to);
}

}  // namespace sc::turbulence
