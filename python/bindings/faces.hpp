// SPDX-License-Identifier: Apache-2.0
// What the bindings share: the ranks, and what the module consists of. Methods are collectives of the engine,
// run without the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "engine/base/context.hpp"
#include "engine/plan/rehearsal.hpp"

namespace sc::python {

class Ranks {
 public:
  Ranks(int threads, const std::string& transport, double delay, double rate, const std::string& device,
        const std::vector<int>& rehearsed);

  Context& context() { return context_; }
  /// Throws Error (failure) once the context is closed: the fields' memory went with it.
  Context& open();
  /// Collective: which ranks are joined by which transport, on all ranks together.
  std::string transports();
  /// What has been noted; throws Error (bad_input) unless the context rehearses.
  const Rehearsal& rehearsal() const;
  /// Notes from now on; forgets what was noted before.
  void note_rehearsal();

 private:
  Rehearsal rehearsal_;
  Context context_;
};

void bind_context(nanobind::module_& module);
void bind_cavity(nanobind::module_& module);
void bind_fft(nanobind::module_& module);
void bind_predict(nanobind::module_& module);
void bind_probe(nanobind::module_& module);
void bind_magnetosphere(nanobind::module_& module);
void bind_dendrite(nanobind::module_& module);
void bind_turbulence(nanobind::module_& module);
void bind_compressible(nanobind::module_& module);
void bind_wave(nanobind::module_& module);
void bind_cg(nanobind::module_& module);

}  // namespace sc::python
