// SPDX-License-Identifier: Apache-2.0
// Transforms in one precision. At the points, a thread takes some rows of a plane of all components: it
// transforms them, multiplies, and transforms back while all of it is in its cache. No whole array or plane
// of points is ever stored.
#include "solvers/turbulence/transforms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "engine/base/align.hpp"
#include "engine/exec/team.hpp"
#include "engine/plan/rehearsal.hpp"
#include "solvers/turbulence/budget.hpp"
#include "solvers/turbulence/statistics.hpp"
#include "spectral/pipeline.hpp"

namespace sc::turbulence {

namespace {

/// Rounds a number of elements up to whole cache lines.
template <class Real>
std::ptrdiff_t whole_cache_lines(std::ptrdiff_t count) {
  return round_up(count, static_cast<std::ptrdiff_t>(cache_line / sizeof(Real)));
}

/// A thread's own memory at the points: rows of a plane of all arrays, and a bundle of points of each.
template <class Real>
class Workplace {
 public:
  Workplace(const spectral::FFT<Real>& fft, int arrays)
      : row_stride_(static_cast<std::ptrdiff_t>(fft.rows_elements()) + cache_line / sizeof(Mode<Real>)),
        room_(fft.bundle().room),
        count_(static_cast<int>(fft.bundle().points)),
        point_stride_(whole_cache_lines<Real>(count_ + 2 * room_)),
        rows_(static_cast<std::size_t>(arrays * row_stride_)),
        points_(static_cast<std::size_t>(arrays * point_stride_ + whole_cache_lines<Real>(room_)) +
                cache_line),
        first_(on_cache_line(points_.data()) + whole_cache_lines<Real>(room_)) {}
  Workplace(Workplace&&) = default;
  Workplace& operator=(Workplace&&) = default;
  Mode<Real>* rows(int k) { return rows_.data() + k * row_stride_; }
  Real* points(int k) { return first_ + k * point_stride_; }
  template <int arrays, class Kernel>
  void multiply(const Kernel& kernel, std::span<Accumulator> into) {
    const InOut<Real, arrays> all{first_, point_stride_};
    for_each({{}, {count_, 1, 1}}, {}, {}, 1, into, kernel, all);
  }

 private:
  std::ptrdiff_t row_stride_, room_;
  int count_;  ///< number of points in a bundle
  std::ptrdiff_t point_stride_;
  std::vector<Mode<Real>> rows_;
  std::vector<Real> points_;
  Real* first_;
};

/// Two thirds: aliases of products reach only modes that are discarded. Otherwise the modes of the sphere.
Int3 largest_modes(Int3 points, Dealiasing dealiasing) {
  if (dealiasing == Dealiasing::two_thirds)
    return {(points.x - 1) / 3, (points.y - 1) / 3, (points.z - 1) / 3};
  const auto reach = [](int n) { return static_cast<int>(std::numbers::sqrt2 / 3 * n); };
  return {reach(points.x), reach(points.y), reach(points.z)};
}

template <class Real>
class TransformsIn final : public Transforms {
 public:
  TransformsIn(Context& context, const TurbulenceOptions& options)
      : context_(context),
        cells_(options.points),
        components_(options.components()),
        arrays_(options.plane_arrays()),
        fft_(context, {.cells = options.points,
                       .process_grid = options.process_grid,
                       .largest_mode = largest_modes(options.points, options.dealiasing),
                       .library = options.library,
                       .pencils_later = options.pipeline_fits(),
                       .strategy = options.engine.strategy}) {
    for (int k = 0; k < context.threads(); ++k) workplaces_.emplace_back(fft_, arrays_);
  }

  const Grid& points() const override { return fft_.real_grid(); }
  const Grid& modes() const override { return fft_.mode_grid(); }
  ElementType point_type() const override { return element_type<Real>(); }
  ElementType mode_type() const override { return element_type<Mode<Real>>(); }
  int components() const override { return components_; }
  int plane_arrays() const override { return arrays_; }
  spectral::PlaneShape planes() const override { return {fft_.plane_cells(), sizeof(Mode<Real>)}; }
  spectral::Kept kept(int axis) const override { return fft_.kept(axis); }
  const Choice* choice() const override { return fft_.choice(); }
  void begin_step() override { fft_.begin_step(); }

  void to_planes(AnyField& modes, int component, int array, const spectral::PlaneBytes& planes) override {
    const auto from = spectral::cells_of(modes_of(modes), component);
    pipeline_ ? pipeline_->to_planes(array, from)
              : fft_.backward_across(from, spectral::cells_of<Real>(planes));
  }
  void from_planes(int array, const spectral::PlaneBytes& planes, AnyField& modes, int component) override {
    const auto to = spectral::cells_of(modes_of(modes), component);
    pipeline_ ? pipeline_->from_planes(array, to) : fft_.forward_across(spectral::cells_of<Real>(planes), to);
  }
  void to_points(AnyField& modes, int first, AnyField& points) override {
    overwrite(points);
    for (int k = 0; k < points.storage(0).components(); ++k)
      fft_.backward(spectral::Cells<const Mode<Real>>(spectral::cells_of(modes_of(modes), first + k)),
                    spectral::cells_of(points_of(points), k));
  }
  void from_points(AnyField& points, AnyField& modes, int first) override {
    overwrite(modes);
    for (int k = 0; k < points.storage(0).components(); ++k)
      fft_.forward(spectral::cells_of(points_of(points), k), spectral::cells_of(modes_of(modes), first + k));
  }
  std::shared_ptr<spectral::Planes> open_pipeline(const std::vector<spectral::Planes::Use>& uses) override {
    using Pipeline = spectral::Pipeline<Real>;
    if (Pipeline::possible(fft_)) pipeline_ = std::make_shared<Pipeline>(fft_, arrays_, uses);
    return pipeline_;
  }
  std::int64_t pipeline_bytes() const override { return pipeline_ ? pipeline_->memory() : 0; }
  void at_points(AtPoints what, const spectral::Planes::Slab& slab, PerThread& into) override;
  void sample(const std::function<double(double, double, double)>& value, int array,
              const spectral::Planes::Slab& slab) override;

 private:
  static Level<Mode<Real>, 3> modes_of(AnyField& field) { return {&field, 0}; }
  static Level<Real, 3> points_of(AnyField& field) { return {&field, 0}; }
  static void overwrite(AnyField& field) {
    field.storage(0).settle();
    field.storage(0).set_fresh(point);
  }
  template <int arrays, class Multiply>
  void multiply(int first, int back, const spectral::Planes::Slab& slab, PerThread& fastest);
  template <int arrays, class Kernel>
  void compute(const Kernel& kernel, int first, int back, const spectral::Planes::Slab& slab,
               PerThread& into);
  void rehearse_points(int in, int out, int planes) const;
  template <class Multiply>
  void through_points(int z, const std::vector<spectral::PlaneBytes>& arrays, int first, int back, int thread,
                      const Multiply& multiply);

  Context& context_;
  Int3 cells_;
  int components_, arrays_;
  spectral::FFT<Real> fft_;
  std::shared_ptr<spectral::Pipeline<Real>> pipeline_;
  std::vector<Workplace<Real>> workplaces_;  ///< one for each thread
};

template <class Real>
void TransformsIn<Real>::at_points(AtPoints what, const spectral::Planes::Slab& slab, PerThread& into) {
  const bool scalar = components_ > 3;
  switch (what) {
    case AtPoints::cross:
      return scalar ? multiply<7, Cross>(0, 1, slab, into) : multiply<6, Cross>(0, 3, slab, into);
    case AtPoints::products:
      return scalar ? multiply<9, Products>(Products::velocity<9>, 0, slab, into)
                    : multiply<6, Products>(Products::velocity<6>, 0, slab, into);
    case AtPoints::moments:
      if (arrays_ == 6) return compute<6>(Moments{}, 3, 6, slab, into);
      if (arrays_ == 7) return compute<7>(Moments{}, 4, 7, slab, into);
      return compute<9>(Moments{}, 6, 9, slab, into);
  }
}

/// `fastest`, if not empty, gets the largest speed, too.
template <class Real>
template <int arrays, class Multiply>
void TransformsIn<Real>::multiply(int first, int back, const spectral::Planes::Slab& slab,
                                  PerThread& fastest) {
  const auto per_spacing = [](int count) { return count / (2 * std::numbers::pi); };
  const std::array<double, 3> h{per_spacing(cells_.x), per_spacing(cells_.y), per_spacing(cells_.z)};
  if (fastest.empty()) return compute<arrays>(Multiply{}, first, back, slab, fastest);
  compute<arrays>(Fastest<Multiply>{h}, first, back, slab, fastest);
}

/// Arrays from `first` on are transformed to the points, arrays from `back` on are transformed back.
template <class Real>
template <int arrays, class Kernel>
void TransformsIn<Real>::compute(const Kernel& kernel, int first, int back,
                                 const spectral::Planes::Slab& slab, PerThread& into) {
  if (context_.rehearses()) return rehearse_points(arrays - first, arrays - back, slab.hi - slab.lo);
  const Scope scope(context_.timeline(), context_.timeline().name("points"), Phase::all);
  team(context_.threads(), [&](int thread) {
    std::span<Accumulator> mine;
    if (!into.empty()) mine = into[static_cast<std::size_t>(thread)];
    const auto [lo, hi] = team_share(slab.hi - slab.lo);
    for (auto z = slab.lo + lo; z < slab.lo + hi; ++z)
      through_points(static_cast<int>(z), slab.arrays, first, back, thread,
                     [&](Workplace<Real>& here) { here.template multiply<arrays>(kernel, mine); });
  });
}

/// Records a number of planes transformed in and out, with their lines along x, and along y if planes are
/// whole.
template <class Real>
void TransformsIn<Real>::rehearse_points(int in, int out, int planes) const {
  Rehearsal* rehearsal = context_.rehearsal();
  if (!rehearsal) return;
  const double kept = fft_.kept(0).count() / static_cast<double>(cells_.x);
  const double x = 2.5 * std::log2(cells_.x);
  const double y = fft_.rows_elements() > 0 ? 5 * std::log2(cells_.y) * kept : 0;
  const std::int64_t rows = std::int64_t{points().own().extent().y} * planes;
  rehearsal->computed({"points", (in + out) * kept * sizeof(Mode<Real>), (in + out) * (x + y)},
                      rows * cells_.x, rows);
}

/// Computes plane z, bundle by bundle.
template <class Real>
template <class Multiply>
void TransformsIn<Real>::through_points(int z, const std::vector<spectral::PlaneBytes>& arrays, int first,
                                        int back, int thread, const Multiply& multiply) {
  Workplace<Real>& here = workplaces_[static_cast<std::size_t>(thread)];
  const auto plane = [&](int k) -> spectral::Rows<Mode<Real>> {
    const auto cells = spectral::cells_of<Real>(arrays[static_cast<std::size_t>(k)]);
    return {cells.at + z * cells.z, cells.y};
  };
  const auto rows = [&](int k) { return fft_.rows_of(plane(k), here.rows(k)); };
  for (int k = first; k < arrays_; ++k) fft_.backward_columns(plane(k), rows(k), thread);
  const int own = points().own().extent().y, most = fft_.bundle().rows;
  for (int y = 0; y < own; y += most) {
    const int some = std::min(most, own - y);
    for (int k = first; k < arrays_; ++k) fft_.backward_bundle(rows(k), y, some, here.points(k), thread);
    multiply(here);
    for (int k = back; k < arrays_; ++k) fft_.forward_bundle(here.points(k), rows(k), y, some, thread);
  }
  for (int k = back; k < arrays_; ++k) fft_.forward_columns(rows(k), plane(k), thread);
}

// Plane by plane: no array of points is allocated.
template <class Real>
void TransformsIn<Real>::sample(const std::function<double(double, double, double)>& value, int array,
                                const spectral::Planes::Slab& slab) {
  if (context_.rehearses()) return;
  const Int3 n = cells_, own = points().own().extent(), first = points().origin();
  const auto at = [](int i, int count) { return 2 * std::numbers::pi * i / count; };
  const auto cells = spectral::cells_of<Real>(slab.arrays[static_cast<std::size_t>(array)]);
  std::vector<Real> points(static_cast<std::size_t>(own.x) * static_cast<std::size_t>(own.y));
  for (int z = slab.lo; z < slab.hi; ++z) {
    for (int y = 0; y < own.y; ++y)
      for (int x = 0; x < own.x; ++x)
        points[static_cast<std::size_t>(y * own.x + x)] =
            Real(value(at(first.x + x, n.x), at(first.y + y, n.y), at(first.z + z, n.z)));
    const spectral::Rows<Mode<Real>> plane{cells.at + z * cells.z, cells.y};
    const auto rows = fft_.rows_of(plane, workplaces_[0].rows(0));
    fft_.forward_rows(points.data(), own.x, rows, 0);
    fft_.forward_columns(rows, plane, 0);
  }
}

}  // namespace

std::unique_ptr<Transforms> make_transforms(Context& context, const TurbulenceOptions& options) {
  if (options.single) return std::make_unique<TransformsIn<float>>(context, options);
  return std::make_unique<TransformsIn<double>>(context, options);
}

}  // namespace sc::turbulence
