// SPDX-License-Identifier: Apache-2.0
// The stages `advance` and `sums` of both models, for each order of the differences. Each combination of
// model and order is instantiated in a file of its own, so that one more does not change the code of the
// others.
#pragma once

#include "solvers/dendrite/gradients.hpp"
#include "solvers/dendrite/stages.hpp"

namespace sc::dendrite {

/// The fields of a step. `orientation` is null if no crystal is rotated.
template <class Real>
struct Fields {
  Field<Real>&phi, &theta;
  Field<Real, 4>* orientation;
};

/// `Differences`: SecondOrder or FourthOrder.
template <class Differences, class Real>
void make_kobayashi(Stages& stages, const DendriteOptions& o, double dt, const Fields<Real>& fields);
template <class Differences, class Real>
void make_karma_rappel(Stages& stages, const DendriteOptions& o, double dt, const Fields<Real>& fields);

}  // namespace sc::dendrite
