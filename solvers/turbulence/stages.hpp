// SPDX-License-Identifier: Apache-2.0
// Stages on modes in the precision of their fields and with all their components, with an interface that
// depends on neither.
#pragma once

#include <functional>

#include "solvers/common/stage_of.hpp"
#include "solvers/turbulence/kernels.hpp"

namespace sc::turbulence {

/// Calls use(float()) or use(double()), according to the type of a field of modes.
template <class Use>
decltype(auto) in_precision_of(const AnyField& modes, const Use& use) {
  const bool single = modes.storage(0).type() == element_type<Mode<float>>();
  return single ? use(float()) : use(double());
}

/// Calls use(integral_constant<int, N>()) with the number of components of a field of a flow: with a
/// scalar 4.
template <class Use>
void in_components_of(const AnyField& modes, const Use& use) {
  if (modes.storage(0).components() > 3)
    use(std::integral_constant<int, 4>());
  else
    use(std::integral_constant<int, 3>());
}

template <class Real, int N = 3>
Level<Mode<Real>, N> level_of(AnyField& modes) {
  return {&modes, 0};
}

/// The first N components, or all of them: as many as the first field that a sweep declares has.
constexpr int every_component = 0;
template <sc::Mode how, int N>
struct Declared {
  AnyField& field;
  template <class Real, int of_field = 3>
  auto in() const {
    constexpr int n = N == every_component ? of_field : N;
    return detail::Declared<Mode<Real>, n, how>{level_of<Real, n>(field), point};
  }
};
template <int N = every_component>
Declared<sc::Mode::write, N> writes(AnyField& modes) {
  return {modes};
}
template <int N = every_component>
Declared<sc::Mode::update, N> updates(AnyField& modes) {
  return {modes};
}
template <int N = every_component>
Declared<sc::Mode::read, N> reads(AnyField& modes) {
  return {modes};
}

/// A sweep over modes in either precision.
template <class Kernel>
struct ModeSweep : SetStage<Kernel> {
  template <class First, class... Others>
  ModeSweep(const char* name, const Kernel& kernel, SweepOptions options, First first, Others... others) {
    in_precision_of(first.field, [&](auto real) {
      in_components_of(first.field, [&](auto components) {
        using Real = decltype(real);
        constexpr int n = components;
        auto sweep =
            stage_of(name, kernel, options, first.template in<Real, n>(), others.template in<Real, n>()...);
        static_cast<SetStage<Kernel>&>(*this) = set_stage<Kernel>(std::move(sweep), std::identity());
      });
    });
  }
};

}  // namespace sc::turbulence
