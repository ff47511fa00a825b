// SPDX-License-Identifier: Apache-2.0
// What a kernel in conservation form sees of the faces around its cell.
//
// Such a kernel says `using FluxType = float` (or double), computes the flux through the face above a cell,
//   template <int axis> SC_FN FluxType flux_above(At c, views...) const;
// and takes those of its six faces before its views:
//   SC_FN void operator()(At c, Index g, const Fluxes<FluxType>& low, const Fluxes<FluxType>& high, views...)
//   const;
// The engine decides how often flux_above() is called: on the host once a face, on a device once or twice.
// It must depend on the face alone, so that both sides get the same bits.
#pragma once

#include "engine/field/views.hpp"
#include "engine/grid/box.hpp"

namespace sc {

/// Through the three upper faces of a cell, or the three lower ones.
template <class T>
struct Fluxes {
  T x, y, z;
};

template <class Kernel>
concept InFluxes = requires {
  typename Kernel::FluxType;
};

/// Through the faces above c: those below are fluxes_above() of the cells before it, each along its axis.
template <class Kernel, class... Views>
SC_FN Fluxes<typename Kernel::FluxType> fluxes_above(const Kernel& kernel, At c, const Views&... views) {
  return {kernel.template flux_above<0>(c, views...), kernel.template flux_above<1>(c, views...),
          kernel.template flux_above<2>(c, views...)};
}
template <class Kernel, class... Views>
SC_FN Fluxes<typename Kernel::FluxType> fluxes_below(const Kernel& kernel, At c, const Views&... views) {
  return {kernel.template flux_above<0>(c.x(-1), views...), kernel.template flux_above<1>(c.y(-1), views...),
          kernel.template flux_above<2>(c.z(-1), views...)};
}

}  // namespace sc
