// SPDX-License-Identifier: Apache-2.0
// Problems between walls for benchmarks of sweeps and passes: the heat equation (7 points) and the wave
// equation (4th order, 13 points, overwriting the previous level).
#pragma once

#include <memory>
#include <vector>

#include "bench/arguments.hpp"
#include "bench/heat_kernel.hpp"
#include "solvers/common/stage_of.hpp"

namespace sc::bench {

/// u_next = 2 u - u_before + c2 laplace(u), which overwrites u_before.
template <class Real>
struct Swing {
  Real c2;
  SC_FN void operator()(At c, InOut<Real> before, In<Real> u) const {
    const Real near = u[c.x(1)] + u[c.x(-1)] + u[c.y(1)] + u[c.y(-1)] + u[c.z(1)] + u[c.z(-1)];
    const Real far = u[c.x(2)] + u[c.x(-2)] + u[c.y(2)] + u[c.y(-2)] + u[c.z(2)] + u[c.z(-2)];
    before[c] = 2 * u[c] - before[c] + c2 * (Real(4) / 3 * near - Real(1) / 12 * far - Real(7.5) * u[c]);
  }
};

template <class Real>
void fill_between_walls(Field<Real>& field) {
  for (int level = 0; level < field.levels(); ++level)
    field.fill([](int x, int y, int z) { return Real(1e-2) * Real((x + 3 * y + 7 * z) % 11); }, level);
  for (const Face face : all_faces) boundary(field, face, Fixed<Real>{0});
}

/// A field with two levels, and the sweep of its step.
template <class Real>
class Problem {
 public:
  using Value = Real;
  Problem(const Grid& grid, const char* name, const FieldOptions& options) : field_(grid, name, options) {
    fill_between_walls(field_);
  }
  Field<Real>& field() { return field_; }
  std::vector<const Stage*> stages() const { return {sweep_.get()}; }
  void step(Runner& runner) {
    runner.run(*sweep_);
    field_.advance();
  }

 protected:
  Field<Real> field_;
  std::unique_ptr<Stage> sweep_;
};

struct Heat : Problem<double> {
  static constexpr int reach = 1, moved = 2;  ///< values of a cell that a step must read and write
  explicit Heat(const Grid& grid, const FieldOptions& options = {.levels = 2})
      : Problem(grid, "temperature", options) {
    sweep_ =
        stage_of("diffuse", Diffuse<double>{0.1}, writes(field_.next()), reads(field_.now(), star(reach)));
  }
};

template <class Real>
struct Wave : Problem<Real> {
  static constexpr int reach = 2, moved = 3;
  explicit Wave(const Grid& grid) : Problem<Real>(grid, "u", {.levels = 2}) {
    Field<Real>& u = this->field_;
    this->sweep_ = stage_of("swing", Swing<Real>{Real(0.1)}, updates(u.next()), reads(u.now(), star(reach)));
  }
};

}  // namespace sc::bench
