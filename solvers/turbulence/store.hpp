// SPDX-License-Identifier: Apache-2.0
// Store: where the fields of a step live (memory or files, as planned), and who runs its stages over them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/overlap/runner.hpp"
#include "solvers/turbulence/budget.hpp"
#include "solvers/turbulence/transforms.hpp"

namespace sc::turbulence {

/// What phases of one name took so far on a rank: seconds computing, waiting for files left out, and bytes.
struct StorePhase {
  double compute = 0;
  double elapsed = 0;  ///< with what waited for the disk
  std::int64_t read = 0, written = 0;
  std::int64_t runs = 0;
};

class Store {
 public:
  using Planes = spectral::Planes;

  /// Collective. `fields` names the fields of modes beside the velocity. Throws Error (storage) where the
  /// files cannot be had.
  Store(Runner& runner, const Transforms& transforms, const Budget& budget, const StorageOptions& options,
        const std::vector<const char*>& fields);

  AnyField& field(std::size_t n) { return *fields_[n]; }
  // A phase: one array, or all that meet, or one stage. See Planes for the first four.
  void fill(int array, const Planes::Action& action);
  void prefetch(const std::vector<Planes::Use>& uses);
  void meet(const std::vector<Planes::Use>& uses, const Planes::Meeting& meeting);
  void take(int array, int next, const Planes::Action& action);
  /// Collective. Of `next`, the stage that follows, the first piece is read meanwhile.
  void run(Stage& stage, Stage* next = nullptr);
  /// The same of a stage that is run later, while something else is computed; no file is read until then.
  void prefetch(Stage& stage);

  /// Until nothing is read or written any more.
  void settle();
  /// Copied between memory and files so far, what is under way left out.
  std::int64_t bytes(Way way) const { return files_ ? files_->bytes(way) : 0; }
  /// "io_uring", "two threads", "blocking calls"; empty where nothing is in files.
  const char* io_name() const { return disk_ ? disk_->io_name() : ""; }
  bool past_page_cache() const { return disk_ && disk_->direct(); }
  const std::map<std::string, StorePhase>& phases() const { return phases_; }

 private:
  void timed(double& seconds, const std::function<void()>& action);
  static void count(StorePhase& phase, const StreamPhase& bytes);

  Runner& runner_;
  std::unique_ptr<FarMemory> files_;  // first: the others wait for it before they go
  const FileMemory* disk_ = nullptr;  // the same, unless this is a rehearsal
  std::shared_ptr<SlabPlace> place_;
  std::vector<std::unique_ptr<AnyField>> fields_;
  std::unique_ptr<Planes> planes_;
  std::map<std::string, StorePhase> phases_;
};

}  // namespace sc::turbulence
