// SPDX-License-Identifier: Apache-2.0
// stage_of: a sweep on the heap, where a solver keeps it as a Stage, and what sets its kernel.
#pragma once

#include <functional>
#include <memory>

#include "engine/stage/sweep.hpp"

namespace sc {

/// Sweep(of...).
template <class... Of>
auto stage_of(const Of&... of) {
  return std::make_unique<decltype(Sweep(of...))>(of...);
}

/// A sweep whose kernel changes from run to run, with what it follows from.
template <class Parameters>
struct SetStage {
  std::unique_ptr<Stage> stage;
  std::function<void(const Parameters&)> set;
  operator Stage&() const { return *stage; }
  Stage& operator*() const { return *stage; }
  Stage* operator->() const { return stage.get(); }
};
/// The sweep's kernel is kernel_of(parameters), or holds them.
template <class Parameters, class Of, class KernelOf>
SetStage<Parameters> set_stage(std::unique_ptr<Of> sweep, const KernelOf& kernel_of) {
  auto set = [sweep = sweep.get(), kernel_of](const Parameters& p) { sweep->set(kernel_of(p)); };
  return {std::move(sweep), std::move(set)};
}
template <class Parameters, class Of>
SetStage<Parameters> set_stage(std::unique_ptr<Of> sweep) {
  auto set = [sweep = sweep.get()](const Parameters& p) { sweep->set({p}); };
  return {std::move(sweep), std::move(set)};
}

}  // namespace sc
