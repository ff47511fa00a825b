// SPDX-License-Identifier: Apache-2.0
// _core.Wave: its options out of a case, what its files hold, its results as dicts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "python/bindings/bind_solver.hpp"
#include "python/bindings/reading.hpp"
#include "solvers/wave/wave.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

using wave::Wave;

wave::WaveOptions wave_options(const nb::dict& options) {
  using wave::FaceKind;
  wave::WaveOptions o;
  read(options, "cells", o.cells, "spacing", o.spacing, "speed", o.speed, "safety", o.safety);
  read(options, "centre", o.centre, "width", o.width, "amplitude", o.amplitude);
  o.faces = faces_from<FaceKind>(
      options, {{"periodic", FaceKind::periodic}, {"rigid", FaceKind::rigid}, {"soft", FaceKind::soft}});
  read_common(options, o);
  return o;
}

class WaveFace : public SolverFace<Wave> {
 public:
  WaveFace(std::shared_ptr<Ranks> ranks, const wave::WaveOptions& options)
      : SolverFace(ranks, std::make_shared<Wave>(ranks->open(), on_device_of(ranks->open(), options))) {}

  static void add(nb::dict& to, const wave::Measures& measures) {
    to["energy"] = measures.energy;
    to["p_low"] = measures.low;
    to["p_high"] = measures.high;
  }

 private:
  std::vector<NamedField> fields() override { return {{"pressure", &solver().pressure()}}; }
  void before_checkpoint() override { solver().measure(); }  // one of a lost state would be of no use
  std::optional<io::UniformPoints> even_points() override {
    const double h = solver().options().spacing;
    return io::UniformPoints{{h / 2, h / 2, h / 2}, {h, h, h}};
  }
  /// The two levels lie one time step apart, so they are of no use for another one.
  io::CheckpointContents contents() override {
    Wave::Clock& clock = solver().clock();
    const wave::WaveOptions& options = solver().options();
    return {.solver = "wave",
            .grid = solver().grid(),
            .fields = {{"pressure", &solver().pressure().storage(0)},
                       {"pressure_before", &solver().pressure().storage(1)}},
            .scalars = {{"time", &clock.time},
                        {"steps", &clock.steps},
                        {"dt", &solver().dt()},
                        {"speed", &options.speed},
                        {"spacing", &options.spacing}}};
  }
};

}  // namespace

void bind_wave(nb::module_& module) {
  bind_solver<WaveFace>(module, "Wave", "Sound in a box on all ranks of a context; collective.",
                        &wave_options)
      .def("step", &step_as_dict<WaveFace, int>, "diagnostics"_a = true, "count"_a = 1,
           "`count` time steps, the last described by a dict; energy and extremes, which take sweeps, only "
           "with diagnostics.")
      .def_prop_ro("dt", [](WaveFace& f) { return f.solver().dt(); });
}

}  // namespace sc::python
