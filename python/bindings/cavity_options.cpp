// SPDX-License-Identifier: Apache-2.0
// The options of a cavity: from the dict that the Python case makes of a case file, once, to the typed
// struct.
#include "python/bindings/options.hpp"
#include "python/bindings/reading.hpp"

namespace nb = nanobind;

namespace sc::python {

namespace {

using cavity::FaceKind;

constexpr const char* allowed =
    "wall, periodic, slip, outflow, (\"moving\", velocity, spin, about), "
    "(\"inflow\", velocity, parabolic, from, to), (\"pressure\", value)";

bool three(const nb::tuple& given, std::size_t n, std::array<double, 3>& into) {
  return nb::try_cast<std::array<double, 3>>(given[n], into);
}

/// A face with numbers: whether they are those of its kind.
bool read_face(const nb::tuple& given, cavity::FaceOptions& face) {
  std::string kind;
  if (nb::len(given) < 2 || !nb::try_cast<std::string>(given[0], kind)) return false;
  if (kind == "moving" && nb::len(given) == 4) {
    face.kind = FaceKind::moving;
    return three(given, 1, face.motion.velocity) && three(given, 2, face.motion.spin) &&
           three(given, 3, face.motion.about);
  }
  if (kind == "inflow" && nb::len(given) == 5) {
    face.kind = FaceKind::inflow;
    return three(given, 1, face.inflow.velocity) && nb::try_cast<bool>(given[2], face.inflow.parabolic) &&
           three(given, 3, face.inflow.from) && three(given, 4, face.inflow.to);
  }
  face.kind = FaceKind::pressure;
  return kind == "pressure" && nb::len(given) == 2 && nb::try_cast<double>(given[1], face.pressure);
}

cavity::FaceOptions face_from(const nb::handle& given, const std::string& name) {
  cavity::FaceOptions face;
  std::string kind;
  if (nb::try_cast<std::string>(given, kind)) {
    for (const auto& [word, is] :
         {std::pair{"wall", FaceKind::wall}, std::pair{"periodic", FaceKind::periodic},
          std::pair{"slip", FaceKind::slip}, std::pair{"outflow", FaceKind::outflow}})
      if (kind == word) {
        face.kind = is;
        return face;
      }
    refuse("boundaries." + name + " is \"" + kind + "\"; allowed are " + allowed);
  }
  if (!nb::isinstance<nb::tuple>(given) || !read_face(nb::cast<nb::tuple>(given), face))
    refuse("boundaries." + name + " is none of " + allowed);
  return face;
}

cavity::PressureOptions pressure_from(const nb::dict& options) {
  cavity::PressureOptions p;
  p.method = choice<cavity::Method>(options, "method",
                                    {{"jacobi", cavity::Method::jacobi},
                                     {"sor", cavity::Method::sor},
                                     {"multigrid", cavity::Method::multigrid}});
  p.scaled_residual = choice<bool>(options, "residual", {{"true", false}, {"scaled", true}});
  read(options, "tolerance", p.tolerance, "max_iterations", p.max_iterations, "check_every", p.check_every);
  read(options, "relaxation", p.relaxation, "fixed_iterations", p.fixed_iterations);
  read(options, "sweeps_per_pass", p.sweeps_per_pass);
  return p;
}

}  // namespace

cavity::CavityOptions cavity_options(const nb::dict& options) {
  using cavity::Clustering;
  cavity::CavityOptions o;
  read(options, "reynolds", o.reynolds, "points", o.points, "size", o.size, "smallest", o.smallest);
  read(options, "skew", o.skew, "grid_file", o.grid_file, "order", o.order);
  o.upwind = choice<cavity::Upwind>(
      options, "upwind", {{"utopia", cavity::Upwind::utopia}, {"kawamura", cavity::Upwind::kawamura}});
  o.clustering = choice<Clustering>(options, "clustering",
                                    {{"uniform", Clustering::uniform},
                                     {"tanh", Clustering::tanh},
                                     {"skewed", Clustering::skewed},
                                     {"file", Clustering::file}});
  o.fourth_order_metrics = choice<bool>(options, "metrics", {{"second", false}, {"fourth", true}});
  const auto faces = get<nb::dict>(options, "boundaries");
  for (std::size_t f = 0; f < o.faces.size(); ++f) {
    if (!faces.contains(face_names[f])) refuse(std::string("boundaries lack ") + face_names[f]);
    o.faces[f] = face_from(faces[face_names[f]], face_names[f]);
  }
  o.pressure = pressure_from(get<nb::dict>(options, "pressure"));
  if (const auto from = get<double>(options, "average_from"); from >= 0) o.average_from = from;
  o.initial = choice<cavity::Initial>(
      options, "initial", {{"rest", cavity::Initial::rest}, {"taylor_green", cavity::Initial::taylor_green}});
  read_common(options, o);
  return o;
}

}  // namespace sc::python
