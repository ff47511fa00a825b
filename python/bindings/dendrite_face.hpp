// SPDX-License-Identifier: Apache-2.0
// DendriteFace: what Python holds of the solver: the solver with its ledger, snapshots and checkpoints.
#pragma once

#include "python/bindings/faces.hpp"
#include "solvers/dendrite/solver.hpp"

namespace sc::python {

class DendriteFace {
 public:
  struct Account {
    Terms terms;
    double bytes_moved = 0;
    double bytes_declared = 0;
  };

  DendriteFace(std::shared_ptr<Ranks> ranks, const dendrite::DendriteOptions& options);

  dendrite::Dendrite& solver();
  const Ledger& ledger() const { return ledger_; }
  dendrite::StepReport step();
  std::vector<std::byte> gather(AnyField& field);
  void write_snapshot(const std::string& path);
  /// Looks first whether the state is finite: a checkpoint of a lost one would be of no use.
  void write_checkpoint(const std::string& path);
  void read_checkpoint(const std::string& path) { io::read_checkpoint(path, contents()); }
  void write_timeline(const std::string& path);
  Account account();

 private:
  io::CheckpointContents contents();

  std::shared_ptr<Ranks> ranks_;
  std::shared_ptr<dendrite::Dendrite> solver_;
  Ledger ledger_;
};

dendrite::DendriteOptions dendrite_options(const nanobind::dict& options);

}  // namespace sc::python
