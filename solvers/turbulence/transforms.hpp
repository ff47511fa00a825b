// SPDX-License-Identifier: Apache-2.0
// Transforms between modes and points, and the computation at the points, in single or double precision,
// which is encapsulated here. Fields and planes have that precision.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "solvers/turbulence/kernels.hpp"
#include "solvers/turbulence/options.hpp"
#include "spectral/planes.hpp"

namespace sc::turbulence {

/// The operation on the arrays r at every point: (u, w) becomes (u, u x w); (…, u) becomes the six products
/// of u with itself (Cross and Products say what a scalar adds); (…, g) stays unchanged, and g^2 and g^3 are
/// summed.
enum class AtPoints { cross, products, moments };

class Transforms {
 public:
  virtual ~Transforms() = default;

  virtual const Grid& points() const = 0;
  virtual const Grid& modes() const = 0;
  virtual ElementType point_type() const = 0;
  virtual ElementType mode_type() const = 0;
  virtual int components() const = 0;  ///< of a field of modes
  virtual spectral::PlaneShape planes() const = 0;
  virtual int plane_arrays() const = 0;  ///< used together at the points
  virtual spectral::Kept kept(int axis) const = 0;
  /// The choice of strategies, under `automatic`.
  virtual const Choice* choice() const = 0;
  virtual void begin_step() = 0;

  // Collective: a component of a field of modes, to and from an array of planes; components `first`, … of
  // such a field to and from all components of a field of points.
  virtual void to_planes(AnyField& modes, int component, int array, const spectral::PlaneBytes& planes) = 0;
  virtual void from_planes(int array, const spectral::PlaneBytes& planes, AnyField& modes, int component) = 0;
  virtual void to_points(AnyField& modes, int first, AnyField& points) = 0;
  virtual void from_points(AnyField& points, AnyField& modes, int first) = 0;

  /// Collective: from now on planes are those of a pipeline, if there are messages and ranks do not divide
  /// planes; otherwise returns nullptr. `uses` are all that will occur.
  virtual std::shared_ptr<spectral::Planes> open_pipeline(const std::vector<spectral::Planes::Use>& uses) = 0;
  virtual std::int64_t pipeline_bytes() const = 0;  ///< besides the planes

  /// Transforms some planes to the points and, if they are modified, back. `into`: results of each thread:
  /// the largest speed for products (empty: not computed), the sums for moments.
  using PerThread = std::vector<std::vector<Accumulator>>;
  virtual void at_points(AtPoints what, const spectral::Planes::Slab& slab, PerThread& into) = 0;
  /// Planes of an array: the transform of `value`, which is sampled at the points.
  virtual void sample(const std::function<double(double x, double y, double z)>& value, int array,
                      const spectral::Planes::Slab& slab) = 0;
};

std::unique_ptr<Transforms> make_transforms(Context& context, const TurbulenceOptions& options);

}  // namespace sc::turbulence
