// SPDX-License-Identifier: Apache-2.0
// MagnetosphereFace: what Python holds of the solver: the solver with its ledger, snapshots and checkpoints.
#pragma once

#include "python/bindings/faces.hpp"
#include "solvers/magnetosphere/solver.hpp"

namespace sc::python {

class MagnetosphereFace {
 public:
  /// Runs of every stage that a hidden strategy gives up to measure M in place.
  static constexpr int samples = 10;

  struct Account {
    Terms terms;
    double bytes_moved = 0;
    double bytes_declared = 0;
  };

  MagnetosphereFace(std::shared_ptr<Ranks> ranks, const magnetosphere::MagnetosphereOptions& options);

  magnetosphere::Magnetosphere& solver();
  const Ledger& ledger() const { return ledger_; }
  magnetosphere::StepReport step();
  std::vector<std::byte> gather(AnyField& field);
  void write_snapshot(const std::string& path);
  void write_checkpoint(const std::string& path) { io::write_checkpoint(path, contents()); }
  void read_checkpoint(const std::string& path) { io::read_checkpoint(path, contents()); }
  void write_timeline(const std::string& path);
  Account account();

 private:
  io::CheckpointContents contents();

  std::shared_ptr<Ranks> ranks_;
  std::shared_ptr<magnetosphere::Magnetosphere> solver_;
  Ledger ledger_;
};

magnetosphere::MagnetosphereOptions magnetosphere_options(const nanobind::dict& options);

}  // namespace sc::python
