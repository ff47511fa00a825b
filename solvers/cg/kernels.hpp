// SPDX-License-Identifier: Apache-2.0
// The vector operations of conjugate gradients, each below its formula. Returned values are summed over all
// entries, independently of the order.
#pragma once

#include <array>

#include "engine/subcurrent.hpp"

namespace sc::cg {

// x^T y
struct Dot {
  SC_FN double operator()(At c, In<double> x, In<double> y) const { return x[c] * y[c]; }
};
// z = 0, r = x, p = x; x^T x
struct Start {
  SC_FN double operator()(At c, Out<double> z, Out<double> r, Out<double> p, In<double> x) const {
    z[c] = 0;
    r[c] = x[c];
    p[c] = x[c];
    return x[c] * x[c];
  }
};
// y = y + a x
struct Add {
  double a = 0;
  SC_FN void operator()(At c, InOut<double> y, In<double> x) const { y[c] += a * x[c]; }
};
// r = r - a q; r^T r
struct Reduced {
  double a = 0;
  SC_FN double operator()(At c, InOut<double> r, In<double> q) const {
    const double left = r[c] - a * q[c];
    r[c] = left;
    return left * left;
  }
};
// p = r + b p
struct NextDirection {
  double b = 0;
  SC_FN void operator()(At c, InOut<double> p, In<double> r) const { p[c] = r[c] + b * p[c]; }
};
// y = x
struct Copy {
  SC_FN void operator()(At c, Out<double> y, In<double> x) const { y[c] = x[c]; }
};
// x = a z
struct Scale {
  double a = 1;
  SC_FN void operator()(At c, Out<double> x, In<double> z) const { x[c] = a * z[c]; }
};
// x = a z; |x|
struct Scaled {
  double a = 1;
  SC_FN double operator()(At c, Out<double> x, In<double> z) const {
    const double scaled = a * z[c];
    x[c] = scaled;
    return scaled < 0 ? -scaled : scaled;
  }
};
// x^T z, z^T z
struct Norms {
  SC_FN std::array<double, 2> operator()(At c, In<double> x, In<double> z) const {
    return {x[c] * z[c], z[c] * z[c]};
  }
};
// |x - y|^2
struct Distance {
  SC_FN double operator()(At c, In<double> x, In<double> y) const { return (x[c] - y[c]) * (x[c] - y[c]); }
};
// r = b - q; r^T r
struct Left {
  SC_FN double operator()(At c, Out<double> r, In<double> b, In<double> q) const {
    const double left = b[c] - q[c];
    r[c] = left;
    return left * left;
  }
};
// x^T y, x^T x, y^T y
struct Dots {
  SC_FN std::array<double, 3> operator()(At c, In<double> x, In<double> y) const {
    return {x[c] * y[c], x[c] * x[c], y[c] * y[c]};
  }
};
// p^T D p, where d = 1 / D; without the entries where d is 0
struct WeightedSquare {
  SC_FN double operator()(At c, In<double> p, In<double> d) const {
    return d[c] > 0 ? p[c] * (p[c] / d[c]) : 0;
  }
};
// u = d r, the Jacobi preconditioner with d = 1 / diagonal
struct Diagonal {
  SC_FN void operator()(At c, Out<double> u, In<double> d, In<double> r) const { u[c] = d[c] * r[c]; }
};
// r = r - a q; r^T u and r^T r with u = d r, which is not stored
struct ReducedByDiagonal {
  double a = 0;
  SC_FN std::array<double, 2> operator()(At c, InOut<double> r, In<double> q, In<double> d) const {
    const double left = r[c] - a * q[c];
    r[c] = left;
    return {left * (d[c] * left), left * left};
  }
};
// p = d r + b p
struct NextDirectionByDiagonal {
  double b = 0;
  SC_FN void operator()(At c, InOut<double> p, In<double> d, In<double> r) const {
    p[c] = d[c] * r[c] + b * p[c];
  }
};

// Chebyshev's iteration: d = a D^-1 r, u = d
struct ChebyshevFirst {
  double a = 0;
  SC_FN void operator()(At c, Out<double> u, Out<double> d, In<double> diagonal, In<double> r) const {
    const double step = a * (diagonal[c] * r[c]);
    d[c] = step;
    u[c] = step;
  }
};
// d = a d + b D^-1 (r - q), u = u + d
struct ChebyshevNext {
  double a = 0, b = 0;
  SC_FN void operator()(At c, InOut<double> u, InOut<double> d, In<double> diagonal, In<double> r,
                        In<double> q) const {
    const double step = a * d[c] + b * (diagonal[c] * (r[c] - q[c]));
    d[c] = step;
    u[c] += step;
  }
};

// Pipelined conjugate gradients: r^T r, r^T u, and with s = A p the parts of the next p^T A p: u^T w, u^T s +
// p^T w, p^T s
struct PipelinedDots {
  SC_FN std::array<double, 5> operator()(At c, In<double> r, In<double> u, In<double> w, In<double> p,
                                         In<double> s) const {
    return {r[c] * r[c], r[c] * u[c], u[c] * w[c], u[c] * s[c] + p[c] * w[c], p[c] * s[c]};
  }
};
// z = n + b z, q = m + b q, s = w + b s, p = u + b p
struct PipelinedDirections {
  double b = 0;
  SC_FN void operator()(At c, InOut<double> z, InOut<double> q, InOut<double> s, InOut<double> p,
                        In<double> n, In<double> m, In<double> w, In<double> u) const {
    z[c] = n[c] + b * z[c];
    q[c] = m[c] + b * q[c];
    s[c] = w[c] + b * s[c];
    p[c] = u[c] + b * p[c];
  }
};
// x = x + a p, r = r - a s, u = u - a q, w = w - a z
struct PipelinedStep {
  double a = 0;
  SC_FN void operator()(At c, InOut<double> x, InOut<double> r, InOut<double> u, InOut<double> w,
                        In<double> p, In<double> s, In<double> q, In<double> z) const {
    x[c] += a * p[c];
    r[c] -= a * s[c];
    u[c] -= a * q[c];
    w[c] -= a * z[c];
  }
};

}  // namespace sc::cg
