// SPDX-License-Identifier: Apache-2.0
// check: validates the options of a crystal.
#include <string>

#include "solvers/common/check.hpp"
#include "solvers/common/check_passes.hpp"
#include "solvers/dendrite/model.hpp"

namespace sc::dendrite {

namespace {

// From 1/15 on, the stiffness at <100> is negative: those orientations are missing, and the flux is unstable.
void check_anisotropy(const std::string& key, double anisotropy) {
  if (!(anisotropy >= 0 && anisotropy < 1.0 / 15))
    refuse(key + " is " + std::to_string(anisotropy) + "; it must be from 0 to below 1/15");
}

void check_material(const Material& m) {
  check_positive("material.surface_energy", m.surface_energy);
  check_positive("material.kinetic", m.kinetic);
  check_positive("material.melting", m.melting);
  check_positive("material.latent_heat", m.latent_heat);
  check_positive("material.heat_capacity", m.heat_capacity);
  check_positive("material.diffusivity", m.diffusivity);
  check_positive("material.interface_width", m.interface_width);
  if (!(m.lambda > 0 && m.lambda < 0.5))
    refuse("material.lambda is " + std::to_string(m.lambda) + "; it must lie between 0 and 0.5");
  if (!(m.noise >= 0)) refuse("material.noise is " + std::to_string(m.noise) + "; it must not be negative");
  check_anisotropy("material.anisotropy", m.anisotropy);
}

void check_karma_rappel(const KarmaRappel& m) {
  check_positive("model.interface_width", m.interface_width);
  check_positive("model.relaxation_time", m.relaxation_time);
  check_positive("model.diffusivity", m.diffusivity);
  check_positive("model.coupling", m.coupling);
  check_anisotropy("model.anisotropy", m.anisotropy);
}

void check_seeds(const DendriteOptions& o) {
  if (o.seeds.empty()) refuse("there is no seed: a melt without one stays a melt");
  for (std::size_t s = 0; s < o.seeds.size(); ++s) {
    const Seed& seed = o.seeds[s];
    const std::string name = "seed number " + std::to_string(s + 1);
    if (!(seed.radius > 0)) refuse(name + " has no positive radius");
    for (std::size_t a = 0; a < 3; ++a)
      if (!(seed.centre[a] >= 0 && seed.centre[a] <= (o.cells[int(a)] + slack) * o.spacing))
        refuse("seeds[" + std::to_string(s) + "].centre lies outside of the domain along " + "xyz"[a]);
    const Vec3& a = seed.axis;
    if (seed.angle != 0 && !(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] > 0))
      refuse(name + " is rotated about an axis of length 0");
  }
}

void check_faces(const DendriteOptions& o) {
  check_periodic([&](std::size_t f) { return o.faces[f] == FaceKind::periodic; });
  for (std::size_t f = 0; f < 6; ++f)
    if (o.faces[f] == FaceKind::symmetry && o.rotated())
      refuse(face_key(f) + " is a symmetry, which a rotated crystal does not have");
}

}  // namespace

void check(const DendriteOptions& o) {
  check_cells("grid.cells", o.cells);
  check_positive("grid.spacing", o.spacing);
  if (o.karma_rappel) {
    check_positive("start.undercooling", -o.temperature);
    check_karma_rappel(*o.karma_rappel);
  } else {
    check_positive("start.temperature", o.temperature);
    check_material(o.material);
  }
  if (o.dt == 0 && !(o.safety > 0 && o.safety <= 1))
    refuse("run.safety is " + std::to_string(o.safety) + "; it must be greater than 0 and at most 1");
  if (!(o.dt >= 0)) refuse("run.dt must not be negative");
  const std::string unit = o.karma_rappel ? "" : " s";
  if (o.dt > largest_step(o))
    refuse("run.dt is " + shown(o.dt) + unit + ", longer than the largest stable step, " +
           shown(largest_step(o)) + unit);
  check_seeds(o);
  check_faces(o);
  check_longest_pass(o.engine);
}

}  // namespace sc::dendrite
