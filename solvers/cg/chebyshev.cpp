// SPDX-License-Identifier: Apache-2.0
// Chebyshev: the recurrence, and the eigenvalue bound from a product with |A|.
#include "solvers/cg/chebyshev.hpp"

#include <algorithm>
#include <cmath>

namespace sc::cg {

Chebyshev::Chebyshev(int degree, const LocalRows& rows, Product& product, const PreconditionerFields& fields)
    : degree_(degree),
      product_(product),
      fields_(fields),
      direction_(product.grid(), "d"),
      first_(stages::chebyshev_first(operand_, direction_, fields.diagonal, fields.r)),
      next_(stages::chebyshev_next(operand_, direction_, fields.diagonal, fields.r, product.y())) {
  if (degree < 1 || degree > 64) refuse("degree is " + std::to_string(degree) + "; allowed is 1 to 64");
  if (&fields.u != &operand_) {
    using Giving = decltype(Sweep("", Copy{}, writes(fields.u.now()), reads(operand_.now())));
    give_ = std::make_unique<Giving>("precondition", Copy{}, writes(fields.u.now()), reads(operand_.now()));
  }
  require_positive_diagonal(rows, product.grid());
  bound_ = largest_row(rows);
}

// Ranks may share a row: a product with |A| sums it, for every partition.
double Chebyshev::largest_row(const LocalRows& rows) const {
  Context& context = product_.grid().context();
  LocalRows sizes = rows;
  for (double& value : sizes.value) value = std::abs(value);
  Product absolute(context, product_.partition(), sizes,
                   {product_.partition().division(), Strategy::blocking});
  absolute.x().fill([](int, int, int) { return 1.0; });
  absolute.run();
  const In<double> sums = absolute.y().read(), per_diagonal = fields_.diagonal.read();
  double largest = 0;
  for (int i = 0; i < product_.grid().own().hi.x; ++i)
    largest = std::max(largest, sums.base[i] * per_diagonal.base[i]);
  return context.max(largest);
}

// theta, delta: centre and half-width of the interval; sigma = theta / delta, rho_0 = 1 / sigma, d = D^-1 r /
// theta, u = d; then rho' = 1 / (2 sigma - rho), d = rho' rho d + (2 rho' / delta) D^-1 (r - A u), u += d. If
// the operand is not u, its first level is preserved for the outer iteration.
void Chebyshev::run() {
  Runner& runner = product_.runner();
  const double lowest = bound_ / (4.0 * degree_ * degree_);
  const double theta = 0.5 * (bound_ + lowest), delta = 0.5 * (bound_ - lowest), sigma = theta / delta;
  if (give_) operand_.advance();
  runner.run(first_, ChebyshevFirst{1 / theta});
  double rho = 1 / sigma;
  for (int step = 1; step < degree_; ++step) {
    product_.run();
    const double before = rho;
    rho = 1 / (2 * sigma - before);
    runner.run(next_, ChebyshevNext{rho * before, 2 * rho / delta});
  }
  if (!give_) return;
  runner.run(*give_);
  operand_.advance();
}

}  // namespace sc::cg
