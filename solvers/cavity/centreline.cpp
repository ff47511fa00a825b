// SPDX-License-Identifier: Apache-2.0
// Centrelines: Newton's method in index space, with cubic interpolation of the points.
#include "solvers/cavity/centreline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/cavity/cubic.hpp"

namespace sc::cavity {

namespace {

/// The grid surface of index `level` along `axis`, and its two index directions.
class Surface {
 public:
  Surface(const Gathered& flow, int axis, int level)
      : flow_(flow), axis_(axis), level_(level), a_((axis + 1) % 3), b_((axis + 2) % 3) {}

  /// Finds the indices where the line through the middle intersects the surface; false if it does not.
  bool find() {
    xi_ = {0.5 * (flow_.extent[a_] - 1), 0.5 * (flow_.extent[b_] - 1)};
    for (int iteration = 0; iteration < 60; ++iteration) {
      const Cubic p(0, flow_.extent[a_], xi_[0]), q(0, flow_.extent[b_], xi_[1]);
      const auto& x = flow_.coordinates;
      const double ra = flow_.middle[std::size_t(a_)] - sum(x, a_, p, p.w, q, q.w);
      const double rb = flow_.middle[std::size_t(b_)] - sum(x, b_, p, p.w, q, q.w);
      const double aa = sum(x, a_, p, p.dw, q, q.w), ab = sum(x, a_, p, p.w, q, q.dw);
      const double ba = sum(x, b_, p, p.dw, q, q.w), bb = sum(x, b_, p, p.w, q, q.dw);
      const double det = aa * bb - ab * ba;
      const double limit = 0.25 * std::max(flow_.extent[a_], flow_.extent[b_]);
      const double da = std::clamp((bb * ra - ab * rb) / det, -limit, limit);
      const double db = std::clamp((aa * rb - ba * ra) / det, -limit, limit);
      xi_[0] = std::clamp(xi_[0] + da, 0.0, flow_.extent[a_] - 1.0);
      xi_[1] = std::clamp(xi_[1] + db, 0.0, flow_.extent[b_] - 1.0);
      if (std::max(std::abs(da), std::abs(db)) < 1e-12) return true;
    }
    return false;
  }
  double value(const std::vector<double>& field, int component) const {
    const Cubic p(0, flow_.extent[a_], xi_[0]), q(0, flow_.extent[b_], xi_[1]);
    return sum(field, component, p, p.w, q, q.w);
  }

 private:
  using Four = std::array<double, 4>;
  double sum(const std::vector<double>& field, int component, const Cubic& p, const Four& wp, const Cubic& q,
             const Four& wq) const {
    const Int3 n = flow_.extent;
    double total = 0;
    for (int s = 0; s < 4; ++s)
      for (int t = 0; t < 4; ++t) {
        Int3 c;
        c[axis_] = level_;
        c[a_] = p.first + t;
        c[b_] = q.first + s;
        const auto at = ((std::size_t(component) * std::size_t(n.z) + std::size_t(c.z)) * std::size_t(n.y) +
                         std::size_t(c.y)) *
                            std::size_t(n.x) +
                        std::size_t(c.x);
        total += wp[std::size_t(t)] * wq[std::size_t(s)] * field[at];
      }
    return total;
  }

  const Gathered& flow_;
  int axis_, level_, a_, b_;
  std::array<double, 2> xi_{};
};

}  // namespace

Profile centreline(const Gathered& flow, int axis, int component) {
  Profile profile;
  for (int level = 0; level < flow.extent[axis]; ++level) {
    Surface surface(flow, axis, level);
    const bool met = surface.find();
    const double none = std::numeric_limits<double>::quiet_NaN();
    profile.position.push_back(met ? surface.value(flow.coordinates, axis) : none);
    profile.velocity.push_back(met ? surface.value(flow.velocity, component) : none);
  }
  return profile;
}

}  // namespace sc::cavity
