// SPDX-License-Identifier: Apache-2.0
// _core.StencilSweep and _core.StencilLoop.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/arrays.hpp"
#include "python/bindings/reading.hpp"
#include "python/bindings/stencil.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

std::vector<Access> accesses_of(const std::vector<StencilAccess>& all) {
  std::vector<Access> accesses;
  for (const StencilAccess& a : all)
    accesses.push_back({&a.field->field, a.level, a.mode, a.reach, a.reach.width});
  return accesses;
}

}  // namespace

StencilSweep::StencilSweep(const std::string& name, CompiledRows rows, int values, SweepOptions options,
                           const std::vector<StencilAccess>& all)
    : stage(name, std::move(rows), values, options, accesses_of(all)) {
  for (const StencilAccess& a : all) fields.push_back(a.field);
}

/// In the columns beside a neighbour a condition finds other fields' halos: they must be fresh to the
/// corners.
void StencilLoop::refresh_beside(const StencilField& field) {
  for (const auto& all : field.beside)
    for (const auto& [other, level] : all) {
      const Grid& grid = other->grid->grid;
      for (const Face face : all_faces)
        if (!grid.periodic()[face.axis] && other->field.boundaries().beyond(face) == Beyond::unset)
          refuse("the boundary condition of field \"" + field.field.name() + "\" reads field \"" +
                 other->field.name() + "\", for whose face " + face_name(face) +
                 " nothing is set; give it a condition by boundary()");
      runner_.refresh(Access{&other->field, level, Mode::read, box(grid.halo()), grid.halo()});
    }
}

std::vector<double> StencilLoop::run(StencilSweep& sweep, const std::string& kernel) {
  context();
  for (const auto& field : sweep.fields) refresh_beside(*field);
  sweep.stage.set(std::as_bytes(std::span(kernel)));
  runner_.run(sweep.stage);
  for (std::size_t n = 0; n < sweep.fields.size(); ++n)
    if (sweep.stage.accesses()[n].mode != Mode::read) sweep.fields[n]->changed();
  const std::span<const Accumulator> mine = sweep.stage.accumulators();
  std::vector<double> values;
  if (mine.empty()) return values;
  total_.start(mine);
  for (int k = 0; k < static_cast<int>(mine.size()); ++k) values.push_back(total_.value(k));
  return values;
}

namespace {

/// A field with its level, what is done with it ("read", "write" or "update"), and the reach.
using GivenAccess = std::tuple<std::shared_ptr<StencilField>, int, std::string, int, int>;

std::shared_ptr<StencilSweep> make_sweep(const std::string& name, std::uintptr_t function, bool on_device,
                                         int values, const std::string& reduce, int colours, bool by_position,
                                         double flops, const std::vector<GivenAccess>& given) {
  const auto reduction = choice_of<Reduce>(
      reduce, "reduce",
      {{"", Reduce::none}, {"sum", Reduce::sum}, {"max", Reduce::max}, {"min", Reduce::min}});
  std::vector<StencilAccess> all;
  for (const auto& [field, level, mode, width, diagonal] : given)
    all.push_back({field, level,
                   choice_of<Mode>(mode, "mode",
                                   {{"read", Mode::read}, {"write", Mode::write}, {"update", Mode::update}}),
                   Reach{width, diagonal}});
  CompiledRows rows{nullptr, {}, by_position};
  if (on_device)
    rows.on_device = reinterpret_cast<const char* (*)(const CellsCall*)>(function);
  else
    rows.function = reinterpret_cast<void (*)(const RowsCall*)>(function);
  return std::make_shared<StencilSweep>(name, std::move(rows), values,
                                        SweepOptions{.reduce = reduction, .colours = colours, .flops = flops},
                                        all);
}

std::shared_ptr<StencilLoop> make_loop(std::shared_ptr<StencilGrid> grid, const std::string& strategy,
                                       double poke_seconds, int steps_per_pass, bool finds_length,
                                       std::array<int, 3> tile) {
  return std::make_shared<StencilLoop>(std::move(grid),
                                       RunnerOptions{.strategy = Strategy::of(strategy),
                                                     .poke_seconds = poke_seconds,
                                                     .steps_per_pass = steps_per_pass,
                                                     .finds_length = finds_length,
                                                     .pass_tile = {tile[0], tile[1], tile[2]}});
}

nb::dict terms(StencilLoop& loop) {
  nb::dict result = terms_of(loop.context(), loop.ledger());
  if (const Choice* choice = loop.runner().choice()) result["automatic"] = dict_of({choice});
  return result;
}

}  // namespace

void bind_stencil_loop(nb::module_& module) {
  nb::class_<StencilSweep>(module, "StencilSweep").def_prop_ro("bytes_per_cell", [](StencilSweep& s) {
    return s.stage.bytes_per_cell();
  });
  module.def("make_stencil_sweep", &make_sweep, "name"_a, "function"_a, "on_device"_a, "values"_a, "reduce"_a,
             "colours"_a, "by_position"_a, "flops"_a, "accesses"_a,
             "A kernel of a compiled library, at the address of its function, with its fields; on_device: it "
             "was\ncompiled for one.");
  nb::class_<StencilLoop>(module, "StencilLoop")
      .def(
          "run",
          [](StencilLoop& loop, StencilSweep& sweep, const nb::bytes& kernel) {
            const std::string members(kernel.c_str(), kernel.size());
            return unlocked([&] { return loop.run(sweep, members); });
          },
          "sweep"_a, "kernel"_a)
      .def(
          "begin_steps", [](StencilLoop& loop) { loop.runner().begin_steps(); }, Unlocked())
      .def(
          "end_step", [](StencilLoop& loop) { loop.runner().end_step(); }, Unlocked())
      .def(
          "end_steps", [](StencilLoop& loop) { loop.runner().end_steps(); }, Unlocked())
      .def("passes", [](StencilLoop& loop) { return loop.runner().passes().describe(); })
      .def("plan", [](StencilLoop& loop) { return loop.runner().passes().plan(); })
      .def_prop_ro("strategy", [](StencilLoop& loop) { return std::string(loop.runner().strategy().name); })
      .def("terms", &terms)
      .def("book", &StencilLoop::book, "books"_a,
           "Whether terms() counts what is done from here on, by this loop or another one.")
      .def("restart_terms", &StencilLoop::restart_ledger, "What terms() tells counts from here on.")
      .def("timeline_summary",
           [](StencilLoop& loop) { return timeline_summary(loop.ledger(), loop.context().timeline()); });
  module.def("make_stencil_loop", &make_loop, "grid"_a, "strategy"_a, "poke_seconds"_a, "steps_per_pass"_a,
             "finds_length"_a, "pass_tile"_a, Unlocked());
}

}  // namespace sc::python
