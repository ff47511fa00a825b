// SPDX-License-Identifier: Apache-2.0
// Magnetosphere apart from its step: set-up, length of the steps, diagnostics.
#include "solvers/magnetosphere/solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "engine/grid/cells.hpp"
#include "engine/move/output/excerpt.hpp"
#include "solvers/magnetosphere/diagnostics.hpp"
#include "solvers/magnetosphere/faces.hpp"

namespace sc::magnetosphere {

namespace {

// Explicit diffusion alone is stable up to D dt / h^2 = 1/6; the margin is for the other terms.
constexpr double diffusion_limit = 0.15;
// An unstable plasma may become ever faster and stay finite; no meaningful run needs more steps.
constexpr double most_steps = 1e8;

Grid grid_of(Context& context, const MagnetosphereOptions& o) {
  return {context,
          {.cells = o.cells,
           .periodic = o.periodic(),
           .halo = o.halo(),
           .wall_halo = o.wall_halo(),
           .split = o.split}};
}

/// rho, rho v, energy, B
std::array<double, 8> conserved(const PointState& q, double gamma) {
  double energy = q.p / (gamma - 1);
  for (std::size_t k = 0; k < 3; ++k) energy += 0.5 * (q.rho * q.v[k] * q.v[k] + q.B[k] * q.B[k]);
  return {q.rho, q.rho * q.v[0], q.rho * q.v[1], q.rho * q.v[2], energy, q.B[0], q.B[1], q.B[2]};
}

/// With the wind at the start.
MagnetosphereOptions started(MagnetosphereOptions o) {
  if (o.winds) o.wind = o.winds->at(0);
  return o;
}

}  // namespace

Magnetosphere::Magnetosphere(Context& context, const MagnetosphereOptions& options)
    : options_(started(checked_options(options))),
      runner_(context, options.engine),
      nodes_(grid_of(context, options), "", options.space),
      centres_(nodes_.rho.grid(), "centres' ", options.space),
      coordinates_(nodes_.rho.grid(), "coordinates"),
      stages_(make_stages(nodes_, centres_, options_)),
      diagnostics_(std::make_unique<Diagnostics>(nodes_, centres_)),
      global_(context) {
  set_faces(nodes_, Half::nodes, options_);
  set_faces(centres_, Half::centres, options_);
  set_initial();
  runner_.refresh(nodes_.B.now(), box(1));
}

Magnetosphere::~Magnetosphere() = default;

void Magnetosphere::set_initial() {
  const Start start(options_);
  const auto position = [positions = positions_of(options_, Half::nodes)](int x, int y, int z) {
    return positions.at({x, y, z});
  };
  const auto component = [&](auto member) {
    return [=, &start](int k, int x, int y, int z) {
      return (start.at(position(x, y, z)).*member)[std::size_t(k)];
    };
  };
  nodes_.rho.fill([&](int x, int y, int z) { return start.at(position(x, y, z)).rho; });
  nodes_.p.fill([&](int x, int y, int z) { return start.at(position(x, y, z)).p; });
  nodes_.v.fill(component(&PointState::v));
  nodes_.B.fill(component(&PointState::B));
  coordinates_.fill([&](int k, int x, int y, int z) {
    const Vector r = position(x, y, z);
    return k == 0 ? r.x : k == 1 ? r.y : r.z;
  });
  set_surroundings(nodes_, Half::nodes);
  set_surroundings(centres_, Half::centres);
}

// Curl and divergence of the dipole, by the differences of the step, from its values at the corners.
void Magnetosphere::set_surroundings(Plasma& set, Half half) {
  if (!options_.planet) return;
  const Planet body = planet_of(options_);
  const Lattice3 positions = positions_of(options_, half);
  const double a = 0.5 * options_.spacing, d = 1 / (4 * options_.spacing);
  const auto sum_over_corners = [&](Vector r, int k) {
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const int sx = corner & 1 ? 1 : -1, sy = corner & 2 ? 1 : -1, sz = corner & 4 ? 1 : -1;
      const Vector B = body.dipole.field({r.x + sx * a, r.y + sy * a, r.z + sz * a});
      sum += k == 0   ? sy * B.z - sz * B.y
             : k == 1 ? sz * B.x - sx * B.z
             : k == 2 ? sx * B.y - sy * B.x
                      : sx * B.x + sy * B.y + sz * B.z;
    }
    return d * sum;
  };
  set.around.fill([&](int k, int i, int j, int l) {
    const Vector r = positions.at({i, j, l});
    return k == 3 ? body.static_weight(r) : k == 4 ? body.inverse_radius(r) : sum_over_corners(r, k);
  });
  set.dipole_divergence.fill([&](int i, int j, int l) {
    return sum_over_corners(positions.at({i, j, l}), 3);
  });
}

// dt (|v| + fast speed) <= courant h, and dt D <= 0.15 h^2 for every coefficient D. The steps that remain to
// the end of the run have equal lengths.
void Magnetosphere::begin_cycle() {
  const double inner = options_.planet ? options_.planet->inner : 0;
  auto& limits = diagnostics_->limits;
  runner_.run(limits, {options_.gamma, inner * inner, positions_of(options_, Half::nodes)});
  reduce_found();  // the stage has ended a pass; a plasma that is lost has no limits
  global_.reduce(limits.accumulators());
  const double h = options_.spacing;
  clock_.signal = global_.value(0);
  double dt = options_.courant * h / clock_.signal;
  const DiffusionOptions& d = options_.diffusion;
  const double largest = std::max({d.density, d.pressure, d.viscosity * global_.value(1), d.resistivity}) +
                         d.smoothing * h * clock_.signal;
  if (largest > 0) dt = std::min(dt, diffusion_limit * h * h / largest);
  if (options_.dt > 0) dt = options_.dt;
  const double left = options_.end - clock_.time;
  if (options_.end > 0 && left > most_steps * dt) refuse_step(dt);
  if (options_.end > 0 && left > 1e-12 * options_.end) dt = left / std::ceil(left / dt * (1 - 1e-12));
  clock_.dt = dt;
  cycle_begun_ = true;
}

double Magnetosphere::next_dt() {
  if (clock_.place == 0 && !cycle_begun_) begin_cycle();
  return clock_.dt;
}

void Magnetosphere::refuse_step(double dt) const {
  std::ostringstream sentence;
  sentence << "the plasma breaks up: after step " << clock_.steps << " (time " << clock_.time
           << ") its fastest signal is " << clock_.signal << " and the time step would be " << dt
           << "; more diffusion or a smaller run.courant may help";
  throw Error(Exit::diverged, sentence.str());
}

Numbers Magnetosphere::numbers(double dt, Half half) const {
  const double h = options_.spacing;
  const DiffusionOptions& d = options_.diffusion;
  Numbers n;
  n.dt = dt;
  n.gamma = options_.gamma;
  n.per_edges = 1 / (4 * h);
  n.per_h2 = 1 / (h * h);
  n.D = d.density;
  n.D_p = d.pressure;
  n.mu = d.viscosity;
  n.eta = d.resistivity;
  n.mixing = d.smoothing * h * clock_.signal;
  n.heat = d.heating ? options_.gamma - 1 : 0;
  n.rho_floor = options_.density_floor;
  n.p_floor = options_.pressure_floor;
  if (options_.planet) n.planet = planet_of(options_);
  n.positions = positions_of(options_, half);
  return n;
}

std::optional<PassCost> Magnetosphere::pass_cost() {
  return cost_of_pass(options_.engine, [this](const auto& run) {
    run(stages_.first);
    centres_.advance();
    run(stages_.second);
    nodes_.advance();
    run(diagnostics_->low_centres);
    run(diagnostics_->low_nodes);
  });
}

Measures Magnetosphere::measure() {
  hold_wind(nodes_, clock_.time);
  const double h = options_.spacing, volume = h * h * h;
  auto& totals = diagnostics_->totals;
  runner_.run(totals, {1 / (options_.gamma - 1)});
  global_.reduce(totals.accumulators());
  Measures m;
  m.mass = volume * global_.value(0);
  for (int k = 0; k < 3; ++k) {
    m.momentum[std::size_t(k)] = volume * global_.value(1 + k);
    m.flux[std::size_t(k)] = volume * global_.value(5 + k);
  }
  m.energy = volume * global_.value(4);
  m.magnetic_energy = volume * global_.value(8);
  auto& divergence = diagnostics_->divergence;
  const double outer = options_.planet ? options_.planet->outer : 0;
  runner_.run(divergence, {1 / (4 * h), outer * outer, positions_of(options_, Half::centres)});
  m.divergence = global_.reduce(divergence.accumulators());
  return m;
}

// Only this line of each field is copied to the host, because fields may be on a device and the line is read
// often.
std::vector<AxisPoint> Magnetosphere::own_axis(const Box& line) {
  const Excerpt rho(nodes_.rho.now(), line), p(nodes_.p.now(), line), v(nodes_.v.now(), line);
  const Excerpt whole_B(nodes_.B.now(), line.grown({1, 1, 1}));
  const Dipole dipole = options_.planet ? planet_of(options_).dipole : Dipole{};
  const Lattice3 positions = positions_of(options_, Half::nodes);
  const auto position = [&](Int3 c) {
    const Int3 g = grid().origin() + c;
    return positions.at({g.x, g.y, g.z});
  };
  const auto B = [&](Int3 c, int k) {
    const Vector d = options_.planet ? dipole.field(position(c)) : Vector{0, 0, 0};
    return whole_B.get(c, k) - (k == 0 ? d.x : k == 1 ? d.y : d.z);
  };
  std::vector<AxisPoint> points;
  for (Int3 c = line.lo; c.x < line.hi.x; ++c.x) {
    const auto slope = [&](int k, Int3 e) { return (B(c + e, k) - B(c - e, k)) / (2 * options_.spacing); };
    const Int3 ex{1, 0, 0}, ey{0, 1, 0}, ez{0, 0, 1};
    AxisPoint point;
    point.x = position(c).x;
    point.state.rho = rho.get(c);
    point.state.p = p.get(c);
    for (int k = 0; k < 3; ++k) {
      point.state.v[std::size_t(k)] = v.get(c, k);
      point.state.B[std::size_t(k)] = whole_B.get(c, k);
    }
    point.current =
        std::hypot(slope(2, ey) - slope(1, ez), slope(0, ez) - slope(2, ex), slope(1, ex) - slope(0, ey));
    points.push_back(point);
  }
  return points;
}

std::vector<AxisPoint> Magnetosphere::axis() {
  hold_wind(nodes_, clock_.time);
  runner_.refresh(nodes_.B.now(), star(1));
  const auto nearest = [&](int a) {
    return std::clamp(static_cast<int>(std::lround(-options_.low[std::size_t(a)] / options_.spacing)), 0,
                      options_.cells[a] - 1);
  };
  const Box line{{0, nearest(1), nearest(2)}, {options_.cells.x, nearest(1) + 1, nearest(2) + 1}};
  const Box mine = intersect(line, grid().global_box());
  std::vector<AxisPoint> points;
  if (!mine.empty()) points = own_axis(mine.shifted(Int3{} - grid().origin()));
  const std::string bytes(reinterpret_cast<const char*>(points.data()), points.size() * sizeof(AxisPoint));
  std::vector<AxisPoint> all;
  for (const std::string& part : grid().context().gather(bytes)) {
    const std::size_t before = all.size();
    all.resize(before + part.size() / sizeof(AxisPoint));
    if (!part.empty()) std::memcpy(static_cast<void*>(all.data() + before), part.data(), part.size());
  }
  std::ranges::sort(all, [](const AxisPoint& a, const AxisPoint& b) { return a.x < b.x; });
  return all;
}

double Magnetosphere::wave_error() {
  const Start start(options_);
  const Lattice3 positions = positions_of(options_, Half::nodes);
  const Box box = grid().global_box();
  std::vector<Accumulator> sums(8, Accumulator(Reduce::sum));
  each_cell(box, [&](Int3 point) {
    const Int3 c = point - box.lo;
    const auto vector = [&](const Field<double, 3>& q) {
      return Vec3{q.get(c, 0), q.get(c, 1), q.get(c, 2)};
    };
    const PointState here{
        .rho = nodes_.rho.get(c), .v = vector(nodes_.v), .p = nodes_.p.get(c), .B = vector(nodes_.B)};
    const auto mine = conserved(here, options_.gamma);
    const auto exact =
        conserved(start.at(positions.at({point.x, point.y, point.z}), clock_.time), options_.gamma);
    for (std::size_t k = 0; k < 8; ++k) {
      const double error = std::abs(mine[k] - exact[k]);
      sums[k].add(&error, 1);
    }
  });
  const double cells = double(options_.cells.x) * options_.cells.y * options_.cells.z;
  global_.reduce(sums);
  double squares = 0;
  for (int k = 0; k < 8; ++k) squares += std::pow(global_.value(k) / (cells * options_.amplitude), 2);
  return std::sqrt(squares);
}

}  // namespace sc::magnetosphere
