// SPDX-License-Identifier: Apache-2.0
// _core.Context.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "engine/stage/global_value.hpp"
#include "io/file.hpp"
#include "python/bindings/faces.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

double sum_of(Ranks& ranks, const std::vector<double>& values) {
  Accumulator mine(Reduce::sum);
  for (std::size_t i = 0; i < values.size(); i += Accumulator::chunk)
    mine.add(values.data() + i,
             static_cast<int>(std::min<std::size_t>(Accumulator::chunk, values.size() - i)));
  return GlobalValue(ranks.open()).reduce({&mine, 1});
}

}  // namespace

// close() is for the program to call: a finaliser runs at a moment of the rank's own, and would wait for
// others that never come.
void bind_context(nb::module_& module) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Ranks>(module, "Context",
                    "All ranks of MPI_COMM_WORLD; everything but its attributes is collective.")
      .def(nb::init<int, const std::string&, double, double, const std::string&, const std::vector<int>&>(),
           "threads"_a = 1, "transport"_a = "auto", "delay"_a = 5e-4, "rate"_a = 0.0, "device"_a = "cpu",
           "rehearsed"_a = std::vector<int>{}, Unlocked(),
           "`delay`, `rate`: seconds by which the transport delayed holds messages back, and bytes per "
           "second\n"
           "that it sends from a rank (0: no limit, and messages are reordered).\n"
           "`rehearsed`: a rank, the number of ranks and how many are on a node; this process then plays "
           "that\n"
           "rank of a run that is not there, see note_rehearsal().")
      .def_prop_ro("rank", [](Ranks& r) { return r.context().rank(); })
      .def_prop_ro("size", [](Ranks& r) { return r.context().size(); })
      .def_prop_ro("device",
                   [](Ranks& r) {
                     return r.context().device() ? r.context().device()->describe() : std::string("cpu");
                   })
      .def_prop_ro("threads", [](Ranks& r) { return r.context().threads(); })
      .def_prop_ro("rehearses", [](Ranks& r) { return r.context().rehearses(); })
      .def(
          "close", [](Ranks& r) { r.context().close(); }, Unlocked(),
          "Frees what the ranks share, fields included, and ends MPI.")
      .def(
          "barrier", [](Ranks& r) { r.open().barrier(); }, Unlocked())
      .def(
          "any", [](Ranks& r, bool flag) { return r.open().any(flag); }, "flag"_a, Unlocked(),
          "True on all ranks where any rank said true.")
      .def("sum", &sum_of, "values"_a, Unlocked(),
           "The sum of all ranks' values, whose bits do not depend on who has which.")
      .def(
          "sample",
          [](Ranks& r, int first, int every) {
            r.open().accounts().sampling = {first, every};
          },
          "first"_a, "every"_a,
          "Of the runs of every stage from the third on, `first` and then one in `every` go without overlap, "
          "to\n"
          "measure M; 0: none. The same on all ranks.")
      .def(
          "transports", [](Ranks& r) { return r.transports(); }, Unlocked(),
          "Which ranks exchange halos by which transport, as a line of text.")
      .def(
          "remove_leftovers",
          [](Ranks& r, const std::string& folder) { io::remove_leftovers(r.open(), folder); }, "folder"_a,
          Unlocked(), "Removes the half-written files that a killed run left in a folder.")
      .def(
          "abort", [](Ranks& r, const std::string& text, int code) { r.context().abort(text, Exit{code}); },
          "text"_a, "code"_a, Unlocked(),
          "Says why, if there is a text, and ends all ranks; not collective.");
}

}  // namespace sc::python
