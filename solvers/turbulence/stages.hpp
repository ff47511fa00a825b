// SPDX-License-Identifier: Apache-2.0
// Stages on modes in the precision of their fields, with an interface that does not depend on it.
#pragma once

#include <functional>
#include <memory>

#include "solvers/common/stage_of.hpp"
#include "solvers/turbulence/kernels.hpp"

namespace sc::turbulence {

/// Calls use(float()) or use(double()), according to the type of a field of modes.
template <class Use>
decltype(auto) in_precision_of(const AnyField& modes, const Use& use) {
  const bool single = modes.storage(0).type() == element_type<Mode<float>>();
  return single ? use(float()) : use(double());
}

template <class Real, int N = 3>
Level<Mode<Real>, N> level_of(AnyField& modes) {
  return {&modes, 0};
}

template <sc::Mode how, int N>
struct Declared {
  AnyField& field;
  template <class Real>
  auto in() const {
    return detail::Declared<Mode<Real>, N, how>{level_of<Real, N>(field), point};
  }
};
template <int N = 3>
Declared<sc::Mode::write, N> writes(AnyField& modes) {
  return {modes};
}
template <int N = 3>
Declared<sc::Mode::update, N> updates(AnyField& modes) {
  return {modes};
}
template <int N = 3>
Declared<sc::Mode::read, N> reads(AnyField& modes) {
  return {modes};
}

/// A sweep over modes in either precision.
template <class Kernel>
struct ModeSweep : SetStage<Kernel> {
  template <class First, class... Others>
  ModeSweep(const char* name, const Kernel& kernel, SweepOptions options, First first, Others... others) {
    in_precision_of(first.field, [&](auto real) {
      using Real = decltype(real);
      auto sweep = stage_of(name, kernel, options, first.template in<Real>(), others.template in<Real>()...);
      static_cast<SetStage<Kernel>&>(*this) = set_stage<Kernel>(std::move(sweep), std::identity());
    });
  }
};

}  // namespace sc::turbulence
