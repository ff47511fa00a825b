// SPDX-License-Identifier: Apache-2.0
// Store: the place of a step's fields (memory or files, as planned); runs stages over them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/overlap/runner.hpp"
#include "solvers/turbulence/budget.hpp"
#include "solvers/turbulence/transforms.hpp"

namespace sc::turbulence {

/// Seconds and bytes of all phases of a name on a rank so far.
struct StorePhase {
  double compute = 0;
  double elapsed = 0;  ///< including waits for the disk
  std::int64_t read = 0, written = 0;
};

class Store {
 public:
  using Planes = spectral::Planes;

  /// Collective. `pipeline` has the planes, unless it is nullptr. `fields`: names of the fields of modes
  /// besides the velocity. Throws Error (storage) if the files cannot be created.
  Store(Runner& runner, const Transforms& transforms, const Budget& budget, const StorageOptions& options,
        std::shared_ptr<Planes> pipeline, const std::vector<const char*>& fields);

  AnyField& field(std::size_t n) { return *fields_[n]; }
  Planes& planes() { return *planes_; }
  // A phase is one array, or each_slab(), or one stage. See Planes for the first three.
  void fill(int array, const Planes::Action& action);
  void each_slab(const std::vector<Planes::Use>& uses, const Planes::SlabAction& action);
  void take(int array, int next, const Planes::Action& action);
  /// Collective. The first piece of `next`, the following stage, is prefetched meanwhile.
  void run(Stage& stage, Stage* next = nullptr);
  /// Waits for all reads and writes.
  void finish();
  /// Bytes copied between memory and files so far, without copies in progress.
  std::int64_t bytes(Way way) const { return files_ ? files_->bytes(way) : 0; }
  /// "io_uring", "two threads", "blocking calls"; empty if nothing is in files.
  const char* io_name() const { return disk_ ? disk_->io_name() : ""; }
  bool past_page_cache() const { return disk_ && disk_->direct(); }
  const std::map<std::string, StorePhase>& phases() const { return phases_; }

 private:
  void timed(const std::string& phase, const StreamPhase& copies, const std::function<void()>& action);

  Runner& runner_;
  std::unique_ptr<FarMemory> files_;  // declared first: the other members wait for it in their destructors
  const FileMemory* disk_ = nullptr;  // the same object; null in a rehearsal
  std::shared_ptr<SlabPlace> place_;
  std::vector<std::unique_ptr<AnyField>> fields_;
  std::shared_ptr<Planes> planes_;
  bool pipelined_;  ///< messages overlap with each_slab()
  std::map<std::string, StorePhase> phases_;
};

}  // namespace sc::turbulence
