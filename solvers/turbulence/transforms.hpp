// SPDX-License-Identifier: Apache-2.0
// Transforms: between modes and points, and what is done at the points, in single or double precision, which
// is hidden here. Fields and planes are of that precision.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "solvers/turbulence/kernels.hpp"
#include "solvers/turbulence/options.hpp"
#include "spectral/planes.hpp"

namespace sc::turbulence {

/// What becomes of the six arrays r at every point: (u, w) becomes (u, u x w); (…, u) the six products of u
/// with itself; (…, g) stays, and sums of g^2 and g^3 are made.
enum class AtPoints { cross, products, moments };

class Transforms {
 public:
  virtual ~Transforms() = default;

  virtual const Grid& points() const = 0;
  virtual const Grid& modes() const = 0;
  virtual ElementType point_type() const = 0;
  virtual ElementType mode_type() const = 0;
  virtual spectral::PlaneShape planes() const = 0;
  virtual spectral::Kept kept(int axis) const = 0;
  /// What they go under, where `automatic` chooses.
  virtual const Choice* choice() const = 0;
  virtual void begin_step() = 0;

  // Collective: a component of a field of modes, from and to planes; whole fields of three components.
  virtual void to_planes(AnyField& modes, int component, const spectral::PlaneBytes& planes) = 0;
  virtual void from_planes(const spectral::PlaneBytes& planes, AnyField& modes, int component) = 0;
  virtual void to_points(AnyField& modes, AnyField& points) = 0;
  virtual void from_points(AnyField& points, AnyField& modes) = 0;

  /// Through the points of some planes, back to planes where something was changed. `into`: what a thread has
  /// met, the largest speed for products (none: nobody asks), the sums for moments.
  using PerThread = std::vector<std::vector<Accumulator>>;
  virtual void at_points(AtPoints what, const spectral::Planes::Slab& slab, PerThread& into) = 0;
  /// Planes of what `value` is at the points.
  virtual void sample(const std::function<double(double x, double y, double z)>& value,
                      const spectral::PlaneBytes& planes) = 0;
};

std::unique_ptr<Transforms> make_transforms(Context& context, const TurbulenceOptions& options);

}  // namespace sc::turbulence
