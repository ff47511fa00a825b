// SPDX-License-Identifier: Apache-2.0
// Step: a caller's box function as a stage of the engine, under any of its strategies.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "api/c/registration.hpp"
#include "engine/overlap/runner.hpp"

namespace sc::halo {

class BoxStage;

/// The callback of halo_steps, and how far it reads around its box.
struct StepsCallback {
  halo_steps_callback callback = nullptr;
  void* user = nullptr;
  int reach = 1;
};

class Step {
 public:
  /// Collective. Throws Failure (HALO_ERR_UNSUPPORTED) for arrays that do not fit a grid of three axes.
  Step(Context& context, const Registration& registration);
  ~Step();

  void run(int strategy, halo_callback callback, void* user);
  /// Several steps, `per_pass` in each pass; 0: the fastest number that the halos allow, at most 16.
  void run(int strategy, const StepsCallback& callback, int steps, int per_pass);
  /// The passes of the last halo_steps and of earlier ones with the same arguments.
  std::string describe_passes() const;
  void modified();
  void* data(int array) const { return now_[static_cast<std::size_t>(array)]; }

 private:
  Runner& runner_of(int strategy, int per_pass, bool finds_length);
  std::unique_ptr<BoxStage> stage_of(int reach);
  int steps_in_halos(int reach) const;
  /// Steps of a pass, and why there is only one.
  struct Length {
    int steps = 1;
    std::string why = {};
  };
  Length checked_pass(const StepsCallback& callback, int steps, int per_pass) const;
  void inputs_are_written();
  void advance();

  Context& context_;
  const Registration& r_;
  std::vector<void*> now_, next_;
  std::vector<std::unique_ptr<AnyField>> fields_;
  std::vector<int> axes_;  ///< process dimensions in the order of the grid's axes
  std::optional<Grid> grid_;
  std::unique_ptr<BoxStage> stage_;                  ///< for halo_step: reads whole halos
  std::map<int, std::unique_ptr<BoxStage>> stages_;  ///< for halo_steps, by reach
  /// By strategy, steps of a pass, and whether that number is the maximum or fixed.
  std::map<std::tuple<int, int, bool>, std::unique_ptr<Runner>> runners_;
  // Of the last halo_steps.
  const Runner* last_runner_ = nullptr;
  Length last_length_;
  bool last_finds_ = false;
};

}  // namespace sc::halo
