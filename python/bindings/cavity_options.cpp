// SPDX-License-Identifier: Apache-2.0
// The options of a cavity: from the dict that the Python case makes of a case file, once, to the typed
// struct.
#include "python/bindings/options.hpp"
#include "python/bindings/reading.hpp"

namespace nb = nanobind;

namespace sc::python {

namespace {

cavity::FaceOptions face_from(const nb::handle& given, const std::string& name) {
  std::string kind;
  if (nb::try_cast<std::string>(given, kind)) {
    if (kind == "wall") return {};
    if (kind == "periodic") return {cavity::FaceKind::periodic, {}};
    refuse("boundaries." + name + " is \"" + kind +
           "\"; allowed are wall, periodic, (\"moving\", velocity, spin, about)");
  }
  cavity::WallMotion motion;
  const auto three = [&](int n, std::array<double, 3>& into) {
    return nb::try_cast<std::array<double, 3>>(given[n], into);
  };
  if (!nb::isinstance<nb::tuple>(given) || nb::len(given) != 4 || !three(1, motion.velocity) ||
      !three(2, motion.spin) || !three(3, motion.about))
    refuse("boundaries." + name +
           " is neither \"wall\", \"periodic\" nor (\"moving\", velocity, spin, about)");
  return {cavity::FaceKind::moving, motion};
}

cavity::PressureOptions pressure_from(const nb::dict& options) {
  cavity::PressureOptions p;
  p.method = choice<cavity::Method>(options, "method",
                                    {{"jacobi", cavity::Method::jacobi},
                                     {"sor", cavity::Method::sor},
                                     {"multigrid", cavity::Method::multigrid}});
  p.tolerance = get<double>(options, "tolerance");
  p.scaled_residual = choice<bool>(options, "residual", {{"true", false}, {"scaled", true}});
  p.max_iterations = get<int>(options, "max_iterations");
  p.check_every = get<int>(options, "check_every");
  p.relaxation = get<double>(options, "relaxation");
  p.fixed_iterations = get<int>(options, "fixed_iterations");
  p.sweeps_per_pass = get<int>(options, "sweeps_per_pass");
  return p;
}

}  // namespace

cavity::CavityOptions cavity_options(const nb::dict& options) {
  using cavity::Clustering;
  cavity::CavityOptions o;
  o.reynolds = get<double>(options, "reynolds");
  o.points = int3(options, "points");
  o.single = choice<bool>(options, "precision", {{"double", false}, {"single", true}});
  o.upwind = choice<cavity::Upwind>(
      options, "upwind", {{"utopia", cavity::Upwind::utopia}, {"kawamura", cavity::Upwind::kawamura}});
  o.clustering = choice<Clustering>(options, "clustering",
                                    {{"uniform", Clustering::uniform},
                                     {"tanh", Clustering::tanh},
                                     {"skewed", Clustering::skewed},
                                     {"file", Clustering::file}});
  o.smallest = get<double>(options, "smallest");
  o.skew = get<double>(options, "skew");
  o.grid_file = get<std::string>(options, "grid_file");
  o.fourth_order_metrics = choice<bool>(options, "metrics", {{"second", false}, {"fourth", true}});
  const auto faces = get<nb::dict>(options, "boundaries");
  constexpr std::array names = {"x-", "x+", "y-", "y+", "z-", "z+"};
  for (std::size_t f = 0; f < names.size(); ++f) {
    if (!faces.contains(names[f])) refuse(std::string("boundaries lack ") + names[f]);
    o.faces[f] = face_from(faces[names[f]], names[f]);
  }
  o.pressure = pressure_from(get<nb::dict>(options, "pressure"));
  o.courant = get<double>(options, "courant");
  o.dt = get<double>(options, "dt");
  o.initial = choice<cavity::Initial>(
      options, "initial", {{"rest", cavity::Initial::rest}, {"taylor_green", cavity::Initial::taylor_green}});
  const auto engine = get<nb::dict>(options, "engine");
  o.split = int3(engine, "split");
  o.engine = runner_from(engine);
  return o;
}

}  // namespace sc::python
