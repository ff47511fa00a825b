// SPDX-License-Identifier: Apache-2.0
// What Python holds: a context with the solvers made on it, and a cavity with its ledger. Each method is one
// collective of the engine, run without the interpreter's lock; the .cpp files give them to Python.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/overlap/ledger.hpp"
#include "io/checkpoint.hpp"
#include "solvers/cavity/centreline.hpp"
#include "solvers/cavity/solver.hpp"

namespace sc::python {

class Ranks {
 public:
  Ranks(int threads, const std::string& transport, double delay);

  Context& context() { return context_; }
  /// Throws Error (failure) once the context is closed: the fields' memory went with it.
  Context& open();
  /// Keeps an eye on a solver made here, for transports().
  template <class Solver>
  void add(const std::shared_ptr<Solver>& solver) {
    halos_.push_back([weak = std::weak_ptr<Solver>(solver)] {
      const auto alive = weak.lock();
      return alive ? alive->runner().describe() : std::string();
    });
  }
  /// Collective: which ranks are joined by which transport, on all ranks together.
  std::string transports();

 private:
  Context context_;
  std::vector<std::function<std::string()>> halos_;  ///< of each solver that is still alive
};

struct Step {
  cavity::StepReport report;
  double divergence_rms = 0;
};

/// The terms of the slowest rank, and what all ranks moved.
struct Account {
  Terms terms;
  double pressure = 0;  ///< seconds in stages of the pressure equation
  double velocity = 0;  ///< seconds in the other stages
  double max_reduction = 0, sum_reduction = 0;
  double bytes_moved = 0;
  double bytes_declared = 0;
};

class CavityFace {
 public:
  CavityFace(std::shared_ptr<Ranks> ranks, const cavity::CavityOptions& options);

  cavity::Cavity& solver();
  const cavity::CavityOptions& options() const { return options_; }
  const Ledger& ledger() const { return ledger_; }
  Step step(bool diagnostics);
  /// The present level of a field for a view that may be written to.
  Storage& viewed(AnyField& field);
  /// On rank 0 all points of a field, walls included.
  std::vector<std::byte> gather(AnyField& field);
  Int3 gathered_extent();
  /// On rank 0 coordinates and velocity in double precision; nothing elsewhere.
  cavity::Gathered gather_flow();
  void write_snapshot(const std::string& path);
  void write_checkpoint(const std::string& path);
  void read_checkpoint(const std::string& path);
  void write_timeline(const std::string& path);
  Account account();

 private:
  io::CheckpointContents contents();

  std::shared_ptr<Ranks> ranks_;
  cavity::CavityOptions options_;
  std::shared_ptr<cavity::Cavity> solver_;
  Ledger ledger_;
  bool viewed_ = false;  ///< a view has been handed out since the last step: halos may be stale
};

cavity::CavityOptions options_from(const nanobind::dict& options);

void bind_context(nanobind::module_& module);
void bind_cavity(nanobind::module_& module);
void bind_fft(nanobind::module_& module);
void bind_probe(nanobind::module_& module);
void bind_magnetosphere(nanobind::module_& module);
void bind_dendrite(nanobind::module_& module);
void bind_cg(nanobind::module_& module);

}  // namespace sc::python
