// SPDX-License-Identifier: Apache-2.0
// _core.Wave: its options out of a case, what its files hold, its results as dicts.
#include <nanobind/nanobind.h>

#include "python/bindings/bind_solver.hpp"
#include "python/bindings/reading.hpp"
#include "solvers/wave/wave.hpp"

namespace nb = nanobind;

namespace sc::python {

namespace {

wave::WaveOptions wave_options(const nb::dict& options) {
  using wave::FaceKind;
  wave::WaveOptions o;
  read(options, "cells", o.cells, "spacing", o.spacing, "speed", o.speed);
  read(options, "centre", o.centre, "width", o.width, "amplitude", o.amplitude);
  o.faces = faces_from<FaceKind>(
      options, {{"periodic", FaceKind::periodic}, {"rigid", FaceKind::rigid}, {"soft", FaceKind::soft}});
  read_common(options, o);
  return o;
}

class WaveFace : public SolverFace<wave::Wave> {
 public:
  using SolverFace::SolverFace;

  static void add(nb::dict& to, const wave::Measures& measures) {
    put(to, "energy", measures.energy, "p_low", measures.low, "p_high", measures.high);
  }

 private:
  std::vector<NamedField> fields() override { return {{"pressure", &solver().pressure()}}; }
  void before_checkpoint() override { solver().measure(); }  // one of a lost state would be of no use
  std::optional<io::UniformPoints> even_points() override { return cell_centres(solver().options().spacing); }
  /// The two levels lie one time step apart, so they are of no use for another one.
  io::CheckpointContents contents() override {
    const wave::WaveOptions& options = solver().options();
    return {.solver = "wave",
            .grid = solver().grid(),
            .fields = {{"pressure", &solver().pressure().storage(0)},
                       {"pressure_before", &solver().pressure().storage(1)}},
            .scalars = {{"dt", &solver().dt()}, {"speed", &options.speed}, {"spacing", &options.spacing}}};
  }
};

}  // namespace

void bind_wave(nb::module_& module) {
  bind_solver<WaveFace>(module, "Wave", "Sound in a box on all ranks of a context; collective.",
                        &wave_options, "energy and extremes, which take sweeps");
}

}  // namespace sc::python
