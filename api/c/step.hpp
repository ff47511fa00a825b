// SPDX-License-Identifier: Apache-2.0
// Step: a caller's box function as a stage of the engine, run under any of its strategies.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "api/c/registration.hpp"
#include "engine/overlap/runner.hpp"

namespace sc::halo {

class BoxStage;

class Step {
 public:
  /// Collective. Throws Failure (HALO_ERR_UNSUPPORTED) for arrays that no grid of three axes can hold.
  Step(Context& context, const Registration& registration);
  ~Step();

  void run(halo_strategy strategy, halo_callback callback, void* user);
  void modified();
  void* data(int array) const { return now_[static_cast<std::size_t>(array)]; }

 private:
  Runner& runner_of(halo_strategy strategy);

  Context& context_;
  const Registration& r_;
  std::vector<void*> now_, next_;
  std::vector<std::unique_ptr<AnyField>> fields_;
  std::unique_ptr<BoxStage> stage_;
  std::map<halo_strategy, std::unique_ptr<Runner>> runners_;
};

}  // namespace sc::halo
