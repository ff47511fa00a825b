// SPDX-License-Identifier: Apache-2.0
// Pipeline: passes of lines, chunk by chunk, and the transposes that carry chunks from one pass to the next.
// Every transform, forward and backward, whole or across planes, is a list of passes.
#pragma once

#include <functional>
#include <span>

#include "engine/base/context.hpp"
#include "engine/move/transpose.hpp"

namespace sc::spectral {

/// Lines of all own cells, in chunks that are computed one after the other.
struct Pass {
  int chunks = 1;
  std::function<void(int chunk)> compute;
  Transpose* gives = nullptr;  ///< to the next pass; the last one gives nothing
};

class Pipeline {
 public:
  /// Without overlap every pass ends before its transpose begins, and a transpose before the next pass does.
  Pipeline(Context& context, bool overlap);
  /// Collective. What the passes compute does not depend on the order. Now and then, as `sampled` counts, a
  /// run goes without overlap, to measure M.
  void run(std::span<const Pass> passes, Sampled& sampled);

 private:
  void in_turn(std::span<const Pass> passes);
  void overlapped(std::span<const Pass> passes);
  /// Computes the next chunk of pass k, and chunks of later passes that have come meanwhile.
  void advance(std::span<const Pass> passes, std::size_t k);
  void await(std::span<const Pass> passes, std::size_t k, int chunk);
  void timed(Phase phase, const std::function<void()>& action);

  Context& context_;
  bool overlap_;
  bool sample_ = false;
  double moving_ = 0;      // seconds of this run in starting and waiting
  std::vector<int> next_;  // chunk of each pass
  std::uint16_t name_, sample_name_;
};

}  // namespace sc::spectral
