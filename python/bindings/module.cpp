// SPDX-License-Identifier: Apache-2.0
// subcurrent._core: the module, its error type, and what it was built with.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "engine/base/build_info.hpp"
#include "engine/overlap/pass_trial.hpp"
#include "engine/plan/strategy.hpp"
#include "python/bindings/faces.hpp"
#include "python/bindings/stencil.hpp"

namespace nb = nanobind;

namespace {

/// sc::Error as a RuntimeError with the exit code that it deserves.
void bind_error(nb::module_& module) {
  PyObject* type = PyErr_NewExceptionWithDoc(
      "subcurrent._core.Error", "A failure in one sentence; exit_code is what a program should end with.",
      PyExc_RuntimeError, nullptr);
  if (!type) throw nb::python_error();
  module.attr("Error") = nb::handle(type);
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* error_type) {
        try {
          std::rethrow_exception(thrown);
        } catch (const sc::Error& error) {
          nb::object raised = nb::handle(static_cast<PyObject*>(error_type))(error.what());
          raised.attr("exit_code") = static_cast<int>(error.code());
          PyErr_SetObject(static_cast<PyObject*>(error_type), raised.ptr());
        }
      },
      type);
}

nb::dict build() {
  const sc::BuildInfo& info = sc::build_info();
  nb::dict build;
  build["mpi"] = sc::mpi_library();
  build["hdf5"] = info.hdf5;
  build["cuda"] = info.cuda;
  build["compiler"] = info.compiler;
  build["cxx"] = info.cxx;
  build["flags"] = info.flags;
  build["native_cpu"] = info.native_cpu;
  build["build_type"] = info.build_type;
  return build;
}

/// Names and what they do, in the order of the C header.
nb::list strategies() {
  nb::list all;
  for (const sc::Strategy* s : sc::Strategy::all())
    all.append(nb::make_tuple(std::string(s->name), std::string(s->says)));
  return all;
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() =
      "The compiled half of subcurrent: contexts and solvers. subcurrent.Cavity is the face for people.";
  module.attr("version") = sc::build_info().version;
  module.attr("build") = build();
  module.attr("strategies") = strategies();
  module.attr("most_steps_tried") = sc::PassTrial::most_tried;
  bind_error(module);
  sc::python::bind_context(module);
  sc::python::bind_cavity(module);
  sc::python::bind_fft(module);
  sc::python::bind_probe(module);
  sc::python::bind_predict(module);
  sc::python::bind_magnetosphere(module);
  sc::python::bind_dendrite(module);
  sc::python::bind_turbulence(module);
  sc::python::bind_compressible(module);
  sc::python::bind_wave(module);
  sc::python::bind_cg(module);
  sc::python::bind_stencil_field(module);
  sc::python::bind_stencil_loop(module);
}
