// SPDX-License-Identifier: Apache-2.0
// Stages of the model of Karma and Rappel with differences of second order.
#include "solvers/dendrite/make_advance.hpp"

namespace sc::dendrite {

template void make_karma_rappel<SecondOrder>(Stages&, const DendriteOptions&, double, const Fields<float>&);
template void make_karma_rappel<SecondOrder>(Stages&, const DendriteOptions&, double, const Fields<double>&);

}  // namespace sc::dendrite
