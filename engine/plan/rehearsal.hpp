// SPDX-License-Identifier: Apache-2.0
// Rehearsal: a program's step as one of any number of ranks would carry it out, noted down and not done.
// Nothing is computed and nothing is sent; what is left are plans, and beside them what a chunk costs and
// where a piece goes, so that another executor can carry them out against a described machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/plan/passage.hpp"
#include "engine/plan/plan.hpp"

namespace sc {

/// What is computed cell by cell in one manner, and so at one rate.
struct Kernel {
  std::string name;
  double bytes_per_cell = 0, flops_per_cell = 0;  ///< as declared
};

/// What a chunk of a run consists of.
struct Work {
  enum class Part : std::uint8_t { nothing, shell, core, all } part = Part::nothing;
  std::int64_t cells = 0;
  std::int64_t rows = 0;  ///< along x, in which these cells lie
  int kernel = 0;         ///< of its run
};

/// Copies from files or to them, in batches that end in the order of their start: one is begun, or waited
/// for.
struct RehearsedCopy {
  bool in = true;  ///< from files
  bool begins = true;
  std::int64_t batch = 0;
  std::int64_t bytes = 0;
};

struct RehearsedRun {
  std::string stage;
  Plan plan;
  std::vector<Kernel> kernels = {};
  std::vector<std::vector<Work>> works = {};  ///< of the plan's chunks
  std::vector<Passage> departures = {};       ///< of the plan's pieces
  /// Of the plan's arrivals: the messages that must have come, and of each the piece of the plan that its
  /// sender, who does as this rank does, has started then; -1 for none.
  struct Awaited {
    Passage passage;
    int like = -1;
  };
  std::vector<std::vector<Awaited>> arrivals = {};
  /// Of the plan's chunks, in runs on slabs: which one it computes, what is copied before that and after.
  struct Slab {
    int number = -1;
    std::vector<RehearsedCopy> before = {}, after = {};
  };
  std::vector<Slab> slabs = {};

  /// The number of a kernel, which is added where it is new.
  int kernel(const Kernel& one);
};

/// A value that all ranks combine: begun, or waited for.
struct RehearsedReduction {
  const void* of = nullptr;  ///< tells one under way from another
  std::int64_t bytes = 0;
  bool begins = true;
};

using RehearsedEvent = std::variant<RehearsedRun, RehearsedReduction, RehearsedCopy>;

/// What ranks that are not there tell each other. A program is set up once as every rank, to tell, which
/// hears of nothing yet; then, as those that are wanted, to hear.
struct Told {
  using Lists = std::vector<std::vector<int>>;  ///< for each rank
  std::vector<std::vector<Lists>> of;           ///< by rank and call
  std::vector<bool> any;                        ///< by call: whether a rank has said so
  bool all = false;                             ///< all have told
};

class Rehearsal {
 public:
  std::vector<RehearsedEvent> events;

  /// All that is computed from here on belongs to the last chunk of `run`; to runs of its own after null.
  void into(RehearsedRun* run) { into_ = run; }
  /// Cells that no stage declares: lines of a transform, planes.
  void computed(const Kernel& kernel, std::int64_t cells, std::int64_t rows);
  /// All that files do from here on is done before or after slab `slab` of the last run is computed; in no
  /// run where it has none such. Nothing is noted without a rehearsal.
  static void at_slab(Rehearsal* rehearsal, int slab, bool after);
  void copied(const RehearsedCopy& copy);

  /// While a program is set up: what its ranks tell each other goes by `told`.
  void hear(std::shared_ptr<Told> told);
  bool hears() const { return told_ != nullptr; }
  /// Whether any rank says so; while they tell it is taken for true, so that all tell as often.
  bool any(bool here);
  /// As many calls of exchange() are left out because no rank has anything to tell.
  void leave_out(std::size_t calls) { calls_ += calls; }
  /// What each rank tells this one, as it tells each.
  std::vector<std::vector<int>> exchange(int rank, const std::vector<std::vector<int>>& for_each);

 private:
  RehearsedRun* into_ = nullptr;
  std::vector<RehearsedCopy>* beside_ = nullptr;
  std::shared_ptr<Told> told_;
  std::size_t calls_ = 0, questions_ = 0;  // of exchange() and any() since hear()
};

}  // namespace sc
