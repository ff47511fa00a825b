// SPDX-License-Identifier: Apache-2.0
// The phase-field kernels by themselves: their operations counted, the flux where there is no direction, the
// noise.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "solvers/dendrite/stages.hpp"

namespace {

// A number that counts what is done with it.
struct Counted {
  double v = 0;
  static inline int operations = 0;
  Counted() = default;
  template <class T>
  constexpr explicit Counted(T value) : v(double(value)) {}
  Counted& operator+=(Counted o) { return *this = *this + o; }
  friend Counted operator+(Counted a, Counted b) { return ++operations, Counted(a.v + b.v); }
  friend Counted operator-(Counted a, Counted b) { return ++operations, Counted(a.v - b.v); }
  friend Counted operator*(Counted a, Counted b) { return ++operations, Counted(a.v * b.v); }
  friend Counted operator/(Counted a, Counted b) { return ++operations, Counted(a.v / b.v); }
  friend Counted operator-(Counted a) { return Counted(-a.v); }
  friend bool operator<(Counted a, Counted b) { return a.v < b.v; }
  friend bool operator>(Counted a, Counted b) { return a.v > b.v; }
};

using namespace sc;
using namespace sc::dendrite;

/// Three cells a side of every field, the middle one to be computed.
template <class Real>
struct Cube {
  std::vector<Real> phi = std::vector<Real>(27), theta = phi, out = phi, out_theta = phi,
                    turn = std::vector<Real>(4 * 27);
  At middle{13, 3, 9};
  In<Real> of(const std::vector<Real>& v) const { return {v.data(), 0}; }
};

template <class F>
int operations_of(F&& f) {
  Counted::operations = 0;
  f();
  return Counted::operations;
}

TEST(DendriteKernels, DoAsManyOperationsAsTheyDeclare) {
  Cube<Counted> q;
  const Out<Counted> phi{q.out.data(), 0}, theta{q.out_theta.data(), 0};
  const In<Counted, 4> turn{q.turn.data(), 27};
  EXPECT_EQ(operations_of([&] {
              Advance<Counted, false>{}(q.middle, Index{}, phi, theta, q.of(q.phi), q.of(q.theta));
            }),
            advance_flops);
  EXPECT_EQ(operations_of(
                [&] { Advance<Counted, true>{}(q.middle, Index{}, phi, theta, q.of(q.phi), q.of(q.theta)); }),
            advance_flops + noise_flops);
  EXPECT_EQ(operations_of([&] {
              AdvanceTurned<Counted, false>{}(q.middle, Index{}, phi, theta, q.of(q.phi), q.of(q.theta),
                                              turn);
            }),
            turned_flops);
}

}  // namespace
