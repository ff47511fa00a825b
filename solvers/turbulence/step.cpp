// SPDX-License-Identifier: Apache-2.0
// Turbulence, one step. Viscosity by the integrating factor e = exp(-nu k^2 dt / 2); fourth order:
//
//   k1 = N(u)                 v = e (u + dt/2 k1)
//   k2 = N(v)                 v = e u + dt/2 k2
//   k3 = N(v)                 v = e^2 u + dt e k3
//   k4 = N(v)                 u = e^2 u + dt/6 (e^2 k1 + 2 e (k2 + k3) + k4)
//
// The array v holds in turn the velocity, its curl and its nonlinear term. What else a step needs (u, the
// sum, the planes on their way to the points and back) passes by piece by piece, from memory or from files: a
// phase is one stage or one array, and what the next phase needs first is read under it.
#include <algorithm>

#include "solvers/turbulence/flow.hpp"

namespace sc::turbulence {

namespace {

constexpr auto reads_only = StreamUse::Mode::reads, writes_only = StreamUse::Mode::writes,
               changes = StreamUse::Mode::updates;

}  // namespace

template <class Real>
StepReport Flow<Real>::step() {
  runner_.begin_step();
  fft_.begin_step();
  options_.scheme == Scheme::rk4 ? runge_kutta_4() : low_storage_3();
  clock_.steps += 1;
  clock_.time += dt_;
  return {.step = clock_.steps, .time = clock_.time, .dt = dt_};
}

template <class Real>
void Flow<Real>::runge_kutta_4() {
  constexpr Powers none{0, 0, 0};
  const auto one = [](double a) { return Powers{a, 0, 0}; };
  const auto e = [](double a) { return Powers{0, a, 0}; };
  const auto e2 = [](double a) { return Powers{0, 0, a}; };
  const Projection project = projection();
  const SweepOptions flops{.flops = 70};
  const Level<Mode, 3> v = v_.now();

  Sweep first("stage", Stage123{}, flops, updates(v), writes(sum_), reads(u_));
  Sweep middle("stage", Stage23{}, flops, updates(v), updates(sum_), reads(u_));
  Sweep last("last stage", Stage4{}, flops, updates(v), reads(sum_));
  // v = e (u + dt/2 k1),   sum = e^2 (u + dt/6 k1)
  nonlinear({.next = first, .keep = true, .choose_dt = true});
  const double dt = dt_;
  first.set(Stage123{project, decay(0), e(1), e(dt / 2), e2(1), e2(dt / 6)});
  store_->run(first);
  // v = e u + dt/2 k2,     sum += e dt/3 k2
  nonlinear({.next = middle});
  middle.set(Stage23{{project, decay(0), e(1), one(dt / 2), none, e(dt / 3)}});
  store_->run(middle);
  // v = e^2 u + dt e k3,   sum += e dt/3 k3
  nonlinear({.next = middle});
  middle.set(Stage23{{project, decay(0), e2(1), e(dt), none, e(dt / 3)}});
  store_->run(middle);
  // v = sum + dt/6 k4
  nonlinear({.next = last});
  last.set(Stage4{project, dt / 6});
  store_->run(last);
}

/// Williamson, J. Comput. Phys. 35 (1980), case 7:  g = a g + dt N(u),  u <- E (u + b g),  g <- E g
template <class Real>
void Flow<Real>::low_storage_3() {
  constexpr std::array a{0.0, -5.0 / 9, -153.0 / 128}, b{1.0 / 3, 15.0 / 16, 8.0 / 15};
  const SweepOptions flops{.flops = 60};
  const Level<Mode, 3> v = v_.now();
  Sweep first("stage", LowStorageFirst{}, flops, updates(v), writes(sum_), reads(u_));
  Sweep later("stage", LowStorage{}, flops, updates(v), updates(sum_), reads(u_));
  for (std::size_t s = 0; s < a.size(); ++s) {
    Stage& stage = s == 0 ? static_cast<Stage&>(first) : later;
    nonlinear({.next = stage, .keep = true, .choose_dt = s == 0});
    const LowStorage now{projection(), decay(s), a[s], b[s], dt_};
    first.set({now});
    later.set(now);
    store_->run(stage);
  }
}

/// v <- N(v) + c v in the band that is forced
template <class Real>
void Flow<Real>::nonlinear(const Evaluation& how) {
  forcing_.hold(v_.now());
  const bool speed = how.choose_dt && options_.courant > 0;
  if (options_.dealiasing == Dealiasing::two_thirds)
    evaluate({how.next, how.keep, speed});
  else
    evaluate_twice({how.next, how.keep, speed});
  forcing_.add(v_.now());
  if (speed) choose_dt();
}

/// v <- (N(v) + N on points half a spacing away) / 2
template <class Real>
void Flow<Real>::evaluate_twice(const Evaluation& how) {
  const Level<Mode, 3> v = v_.now();
  const SweepOptions flops{.flops = 24};
  Sweep shift("shift", Shifted{half_spacing()}, flops, writes(held_), reads(v));
  Sweep exchange("exchange", Exchange{}, updates(v), updates(held_));
  Sweep average("average", Averaged{half_spacing()}, flops, updates(v), reads(held_));
  store_->run(shift);
  evaluate({exchange, how.keep, how.choose_dt});
  store_->run(exchange);
  evaluate({average});
  store_->run(average, &how.next);
}

/// v <- F(v x curl v): six arrays to the points, three back, where planes of all of them meet.
template <class Real>
void Flow<Real>::evaluate(const Evaluation& how) {
  if (options_.form == Form::divergence) return evaluate_divergence(how);
  const std::vector<Use> uses{{0, reads_only}, {1, reads_only}, {2, reads_only},
                              {3, changes},    {4, changes},    {5, changes}};
  for (int d = 0; d < 3; ++d) to_planes(d, d);
  // u = v if it is to be kept, v <- i k x v
  Sweep curl("curl", Curl{wavenumbers()}, SweepOptions{.flops = 18}, updates(v_.now()));
  Sweep keep_curl("curl", KeepCurl{{wavenumbers()}}, SweepOptions{.flops = 18}, writes(u_),
                  updates(v_.now()));
  store_->run(how.keep ? static_cast<Stage&>(keep_curl) : curl);
  for (int d = 0; d < 3; ++d) to_planes(3 + d, d, d == 2 ? &uses : nullptr);
  // w <- u x w
  meet(uses, how.choose_dt);
  for (int d = 2; d >= 0; --d)  // the last two are still in memory
    store_->take(3 + d, d > 0 ? 2 + d : -1, [&](spectral::Cells<const Mode> from) {
      if (d != 1) store_->prefetch(how.next);  // the disk has nothing else to do
      fft_.forward_across(from, spectral::cells_of(v_.now(), d));
    });
}

/// v_a <- - i k_b F(v_a v_b): three arrays to the points, six back.
template <class Real>
void Flow<Real>::evaluate_divergence(const Evaluation& how) {
  const std::vector<Use> uses{{3, changes},     {4, changes},     {5, changes},
                              {0, writes_only}, {1, writes_only}, {2, writes_only}};
  Sweep keep("keep", Copy{}, writes(u_), reads(v_.now()));
  if (how.keep) store_->run(keep);
  for (int d = 0; d < 3; ++d) to_planes(3 + d, d, d == 2 ? &uses : nullptr);
  meet(uses, how.choose_dt);
  struct Product {
    int array, a, b;
  };
  constexpr std::array<Product, 6> order{{{5, 2, 2}, {4, 1, 2}, {0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {3, 1, 1}}};
  Sweep derive("divergence", Divergence{}, SweepOptions{.flops = 8}, updates(v_.now()), reads(work().now()));
  for (std::size_t n = 0; n < order.size(); ++n) {
    const Product& p = order[n];
    const bool more = n + 1 < order.size();
    store_->take(p.array, more ? order[n + 1].array : -1, [&](spectral::Cells<const Mode> from) {
      if (n == 0 || !more) store_->prefetch(how.next);
      fft_.forward_across(from, spectral::cells_of(work().now()));
    });
    runner_.run(derive, Divergence{wavenumbers(), p.a, p.b, n == 0});
  }
}

/// Planes of a component of v; of `meeting`, if it comes next, the first piece is read meanwhile.
template <class Real>
void Flow<Real>::to_planes(int array, int component, const std::vector<Use>* meeting) {
  store_->fill(array, [&](spectral::Cells<Mode> to) {
    if (meeting) store_->prefetch(*meeting);
    fft_.backward_across(spectral::cells_of(v_.now(), component), to);
  });
}

template <class Real>
void Flow<Real>::meet(const std::vector<Use>& uses, bool speed) {
  for (auto& of_thread : fastest_)
    for (Accumulator& a : of_thread) a.clear();
  store_->meet(uses, [&](int lo, int hi, const auto& arrays) { products(lo, hi, arrays, speed); });
  if (!speed) return;
  for (std::size_t thread = 1; thread < fastest_.size(); ++thread) merge(fastest_[0], fastest_[thread]);
  speed_.start(fastest_[0]);  // travels under the transforms back
}

/// What the Courant number allows, from the speeds of the step's first evaluation.
template <class Real>
void Flow<Real>::choose_dt() {
  const double per_time = speed_.value();
  dt_ = per_time > 0 ? std::min(options_.dt, options_.courant / per_time) : options_.dt;
  tabulate();
}

template <class Real>
Field<Mode<Real>, 3>& Flow<Real>::nonlinear_term() {
  if (!term_) term_.emplace(fft_.mode_grid(), "nonlinear term");
  Sweep copy("copy", Copy{}, writes(term_->now()), reads(v_.now()));
  Sweep exchange("exchange", Exchange{}, updates(v_.now()), updates(term_->now()));
  Sweep project("project", Projected{projection()}, updates(term_->now()));
  runner_.run(copy);
  nonlinear({.next = copy});
  runner_.run(exchange);
  runner_.run(project);
  return *term_;
}

template class Flow<float>;
template class Flow<double>;

}  // namespace sc::turbulence
