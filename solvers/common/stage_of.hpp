// SPDX-License-Identifier: Apache-2.0
// stage_of: creates a sweep on the heap, to be stored as a Stage; and a function that sets its kernel.
#pragma once

#include <functional>
#include <memory>

#include "engine/stage/sweep.hpp"

namespace sc {

/// Creates Sweep(of...).
template <class... Of>
auto stage_of(const Of&... of) {
  return std::make_unique<decltype(Sweep(of...))>(of...);
}

/// A sweep whose kernel changes from run to run, with a function that sets the kernel from parameters.
template <class Parameters>
struct SetStage {
  std::unique_ptr<Stage> stage;
  std::function<void(const Parameters&)> set;
  operator Stage&() const { return *stage; }
  Stage& operator*() const { return *stage; }
  Stage* operator->() const { return stage.get(); }
};
/// The sweep's kernel is set to kernel_of(parameters).
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
