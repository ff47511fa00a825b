// SPDX-License-Identifier: Apache-2.0
// The serial reference of a dendrite with these options, and comparisons with it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "solvers/dendrite/model.hpp"
#include "tests/oracle/dendrite_reference.hpp"

namespace sc::test {

inline oracle::Dendrite oracle_of(const dendrite::DendriteOptions& o) {
  oracle::Dendrite d;
  d.n = {o.cells.x, o.cells.y, o.cells.z};
  d.dx = o.spacing;
  d.dt = o.safety * dendrite::largest_step(o);
  d.metal.a = o.material.noise;
  d.metal.gamma = o.material.anisotropy;
  if (o.karma_rappel) {
    const dendrite::KarmaRappel& m = *o.karma_rappel;
    d.thin = oracle::ThinInterface{m.interface_width, m.relaxation_time, m.diffusivity, m.coupling};
    d.metal.gamma = m.anisotropy;
  }
  for (int a = 0; a < 3; ++a) d.periodic[std::size_t(a)] = o.periodic()[a];
  d.seed = o.noise_seed;
  d.fourth = o.divergence == dendrite::Divergence::fourth;
  for (const dendrite::Seed& s : o.seeds)
    d.crystals.push_back({s.centre, s.radius, oracle::turn_about(s.axis, s.angle)});
  d.start(o.temperature);
  return d;
}

template <class Real>
double largest_difference(const std::vector<std::byte>& got, const std::vector<double>& expected,
                          double less) {
  EXPECT_EQ(got.size(), expected.size() * sizeof(Real));
  double worst = 0;
  for (std::size_t n = 0; n < expected.size() && got.size() == expected.size() * sizeof(Real); ++n) {
    Real value;
    std::memcpy(&value, got.data() + n * sizeof(Real), sizeof(Real));
    const double difference = std::abs(double(value) + less - expected[n]);
    if (!(difference <= worst)) worst = std::isnan(difference) ? INFINITY : difference;
  }
  return worst;
}

}  // namespace sc::test
