// SPDX-License-Identifier: Apache-2.0
// One evaluation of the nonlinear term: to the points, products, and back.
//
// The array v holds in turn the velocity, its curl and its nonlinear term. The other arrays of a step (u, the
// sum, the planes to and from the points) are processed piece by piece, from memory or from files. A phase is
// one stage or one array, and the first pieces of the next phase are prefetched during it.
#include "solvers/turbulence/solver.hpp"
#include "solvers/turbulence/stages.hpp"

namespace sc::turbulence {

using enum sc::Mode;

/// v <- F(v x curl v): six arrays to the points, three back; at the points planes of all of them are used
/// together. With a scalar, array 0, they are seven and six, and its source takes its place among the modes.
void Turbulence::evaluate(const Evaluation& how) {
  if (options_.form == Form::divergence) return evaluate_divergence(how);
  const int u = has_scalar() ? 1 : 0, w = u + 3;  // the first arrays of the velocity and of its curl
  const std::vector<Use> uses = this->uses();
  store_->planes().announce(uses);
  if (has_scalar()) to_planes(0, scalar_part.first);
  for (int d = 0; d < 3; ++d) to_planes(u + d, d);
  run_curl(how.keep);
  for (int d = 0; d < 3; ++d) to_planes(w + d, d, d == 2 ? &uses : nullptr);
  // w <- u x w, u <- theta u
  multiply_at_points(uses, how.choose_dt);
  std::vector<Product> order{{w + 2, 2}, {w + 1, 1}, {w, 0}};  // the last three are still in memory
  for (int d = 2; d >= 0 && has_scalar(); --d) order.push_back({u + d, 3, d});
  take(order, how.next);
}

/// u = v if requested, v <- i k x v, and the scalar's source
void Turbulence::run_curl(bool keep) {
  const Curl rotation{wavenumbers(), gradient()};
  ModeSweep curl("curl", rotation, {.flops = 18}, updates(v_));
  ModeSweep keep_curl("curl", KeepCurl{rotation}, {.flops = 18}, writes(*u_), updates(v_));
  store_->run(keep ? *keep_curl : *curl);
}

std::vector<spectral::Planes::Use> Turbulence::uses() const {
  std::vector<Use> all;
  if (options_.form == Form::rotational) {
    if (has_scalar()) all.push_back({0, read});
    for (int u = 0; u < 3; ++u) all.push_back({static_cast<int>(all.size()), has_scalar() ? update : read});
    for (int w = 0; w < 3; ++w) all.push_back({static_cast<int>(all.size()), update});
  } else {
    const int first = options_.plane_arrays() - options_.components();  // of the velocity and the scalar
    for (int d = 0; d < options_.components(); ++d) all.push_back({first + d, update});
    for (int product = 0; product < first; ++product) all.push_back({product, write});
  }
  return all;
}

/// v_a <- - i k_b F(v_a v_b): three arrays to the points, six back; with a scalar four and nine.
void Turbulence::evaluate_divergence(const Evaluation& how) {
  const int u = has_scalar() ? 5 : 3;  // the first array of the velocity
  const std::vector<Use> uses = this->uses();
  ModeSweep keep("keep", Copy{}, {}, writes(*u_), reads(v_));
  if (how.keep) store_->run(keep);
  store_->planes().announce(uses);
  const int last = options_.components() - 1;
  for (int d = 0; d <= last; ++d) to_planes(u + d, d, d == last ? &uses : nullptr);
  multiply_at_points(uses, how.choose_dt);
  if (has_scalar())  // in the same order of the velocity's products as without
    take({{8, 3, 2}, {7, 3, 1}, {5, 2, 2}, {4, 1, 2}, {0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {3, 1, 1}, {6, 3, 0}},
         how.next);
  else
    take({{5, 2, 2}, {4, 1, 2}, {0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {3, 1, 1}}, how.next);
}

/// Transforms the arrays back in this order: two of the last first, because others are read into their
/// memory.
void Turbulence::take(const std::vector<Product>& order, Stage& next) {
  std::optional<ModeSweep<Divergence>> derive;
  if (order.back().b != Product::whole)
    derive.emplace("divergence", Divergence{}, SweepOptions{.flops = 8}, updates(v_), reads<1>(work()));
  for (std::size_t n = 0; n < order.size(); ++n) {
    const Product& p = order[n];
    const bool more = n + 1 < order.size();
    store_->take(p.array, more ? order[n + 1].array : -1, [&](const spectral::PlaneBytes& from) {
      if (n == 0 || !more) runner_.prefetch(next);  // the disk is idle otherwise
      if (p.b == Product::whole)
        transforms_->from_planes(p.array, from, v_, p.a);
      else
        transforms_->from_planes(p.array, from, work(), 0);
    });
    if (p.b == Product::whole) continue;
    derive->set({wavenumbers(), p.a, p.b, n == 0, gradient()});
    runner_.run(*derive);
  }
}

/// Transforms a component of v to planes; the first piece of `next`, the arrays used at the points after it,
/// is prefetched meanwhile.
void Turbulence::to_planes(int array, int component, const std::vector<Use>* next) {
  store_->fill(array, [&](const spectral::PlaneBytes& to) {
    if (next) store_->planes().prefetch(*next);
    transforms_->to_planes(v_, component, array, to);
  });
}

void Turbulence::multiply_at_points(const std::vector<Use>& uses, bool speed) {
  const AtPoints what = options_.form == Form::rotational ? AtPoints::cross : AtPoints::products;
  Transforms::PerThread fastest;
  if (speed) fastest.assign(threads(), {Accumulator(Reduce::max)});
  store_->each_slab(uses, [&](const auto& slab) { transforms_->at_points(what, slab, fastest); });
  if (speed) reduce(speed_, fastest);  // overlaps with the transforms back
}

}  // namespace sc::turbulence
