// SPDX-License-Identifier: Apache-2.0
// How far the first crystal's arms reach: phi along its six half-axes, each sample by the rank that owns the
// place, and the last crossing of 1/2 on rank 0.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "solvers/dendrite/phase_solver.hpp"
#include "solvers/dendrite/start.hpp"

namespace sc::dendrite {

namespace {

constexpr double step_cells = 0.5;

struct Sample {
  int arm, number;  ///< at number * step_cells from the centre
  double phi;
};

/// Places in cells, from the corner of the domain.
class Rays {
 public:
  explicit Rays(const DendriteOptions& o) : cells_(o.cells) {
    const Seed& seed = o.seeds.front();
    const Quaternion q = quaternion_of(seed);
    axes_ = rotation_of(q[0], q[1], q[2], q[3]);
    for (std::size_t a = 0; a < 3; ++a) centre_[a] = seed.centre[a] / o.spacing;
  }
  Vec3 place(int arm, int number) const {
    const double s = (arm % 2 == 0 ? 1 : -1) * step_cells * number;
    Vec3 r = centre_;
    for (std::size_t a = 0; a < 3; ++a) r[a] += s * axes_.r[a][arm / 2];
    return r;
  }
  bool inside(const Vec3& r) const {
    for (int a = 0; a < 3; ++a)
      if (!(r[std::size_t(a)] >= 0 && r[std::size_t(a)] <= cells_[a])) return false;
    return true;
  }

 private:
  Int3 cells_;
  Rotation<double> axes_{};
  Vec3 centre_{};
};

/// Between the centres of eight cells, halo cells among them.
template <class Real>
double between(const Field<Real>& phi, const Vec3& r, Int3 origin) {
  Int3 low;
  Vec3 w;
  for (int a = 0; a < 3; ++a) {
    const double at = r[std::size_t(a)] - origin[a] - 0.5;
    low[a] = int(std::floor(at));
    w[std::size_t(a)] = at - low[a];
  }
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Int3 d{corner & 1, corner >> 1 & 1, corner >> 2};
    double weight = 1;
    for (int a = 0; a < 3; ++a) weight *= d[a] ? w[std::size_t(a)] : 1 - w[std::size_t(a)];
    // What weighs nothing may lie beyond the halo.
    if (weight != 0) sum += weight * double(phi.get(low + d));
  }
  return sum;
}

/// Who owns a place: the last cell's upper end belongs to it too.
bool owned(const Box& box, const Int3 cells, const Vec3& r) {
  for (int a = 0; a < 3; ++a) {
    const int cell = std::min(int(std::floor(r[std::size_t(a)])), cells[a] - 1);
    if (cell < box.lo[a] || cell >= box.hi[a]) return false;
  }
  return true;
}

double last_crossing(const std::vector<Sample>& samples, int arm) {
  double length = 0;
  for (std::size_t n = 0; n + 1 < samples.size(); ++n) {
    const Sample &a = samples[n], &b = samples[n + 1];
    if (a.arm != arm || a.phi < 0.5) continue;
    const bool ends = b.arm != arm;
    const double share = ends || b.phi >= 0.5 ? 0 : (a.phi - 0.5) / (a.phi - b.phi);
    length = step_cells * (a.number + share);
  }
  if (!samples.empty() && samples.back().arm == arm && samples.back().phi >= 0.5)
    length = step_cells * samples.back().number;
  return length;
}

}  // namespace

template <class Real, bool noisy, bool turned>
std::array<double, 6> PhaseSolver<Real, noisy, turned>::arms() {
  runner_.refresh(fields_.phi.now(), box(1));
  const Rays rays(options_);
  const Box mine = grid().global_box();
  std::string bytes;
  for (int arm = 0; arm < 6; ++arm)
    for (int n = 0; rays.inside(rays.place(arm, n)); ++n) {
      const Vec3 r = rays.place(arm, n);
      if (!owned(mine, options_.cells, r)) continue;
      const Sample sample{arm, n, between(fields_.phi, r, mine.lo)};
      bytes.append(reinterpret_cast<const char*>(&sample), sizeof sample);
    }
  std::vector<Sample> all;
  for (const std::string& part : grid().context().gather(bytes)) {
    const std::size_t before = all.size();
    all.resize(before + part.size() / sizeof(Sample));
    if (!part.empty()) std::memcpy(static_cast<void*>(all.data() + before), part.data(), part.size());
  }
  std::sort(all.begin(), all.end(), [](const Sample& a, const Sample& b) {
    return a.arm != b.arm ? a.arm < b.arm : a.number < b.number;
  });
  std::array<double, 6> length{};
  for (int arm = 0; arm < 6; ++arm) length[std::size_t(arm)] = options_.spacing * last_crossing(all, arm);
  std::string found(reinterpret_cast<const char*>(length.data()), sizeof length);
  grid().context().broadcast(found);
  std::memcpy(length.data(), found.data(), sizeof length);
  return length;
}

#define SC_ARMS(Real, noisy, turned) template std::array<double, 6> PhaseSolver<Real, noisy, turned>::arms();
SC_ARMS(float, false, false)
SC_ARMS(float, false, true)
SC_ARMS(float, true, false)
SC_ARMS(float, true, true)
SC_ARMS(double, false, false)
SC_ARMS(double, false, true)
SC_ARMS(double, true, false)
SC_ARMS(double, true, true)
#undef SC_ARMS

}  // namespace sc::dendrite
