// SPDX-License-Identifier: Apache-2.0
// The lengths of the first crystal's arms: phi along its six half-axes, interpolated between the centres of
// eight cells. Ranks send these cells to rank 0, which finds the last crossing of 1/2. Cells are read slab by
// slab.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "solvers/dendrite/solver.hpp"
#include "solvers/dendrite/start.hpp"

namespace sc::dendrite {

namespace {

constexpr double step_cells = 0.5;

struct Sample {
  int arm, number;  ///< at distance number * step_cells from the centre
  double phi;
};

/// Positions in cells, from the corner of the domain.
class Rays {
 public:
  explicit Rays(const DendriteOptions& o) : cells_(o.cells) {
    const Seed& seed = o.seeds.front();
    const Quaternion q = quaternion_of(seed);
    axes_ = rotation_of(q[0], q[1], q[2], q[3]);
    for (std::size_t a = 0; a < 3; ++a)
      // On a high face, rounding may have moved it beyond.
      centre_[a] = std::min(seed.centre[a] / o.spacing, double(o.cells[int(a)]));
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

/// One of the eight cells around a position.
struct Corner {
  std::size_t sample;
  double weight;
  Int3 cell;  ///< of the domain
};
/// A cell's value, as sent to rank 0.
struct Value {
  std::int64_t corner;
  double phi;
};

/// The periodic image of a cell beyond a periodic face, its mirror image beyond any other face.
int inside(int cell, int cells, bool periodic) {
  return periodic ? (cell + cells) % cells : std::clamp(cell, 0, cells - 1);
}

/// Adds the corners with non-zero weights, in the order of summation.
void add_corners(std::vector<Corner>& corners, std::size_t sample, const Vec3& r, const Grid& grid) {
  Int3 low;
  Vec3 w;
  for (int a = 0; a < 3; ++a) {
    const double at = r[std::size_t(a)] - 0.5;
    low[a] = int(std::floor(at));
    w[std::size_t(a)] = at - low[a];
  }
  for (int n = 0; n < 8; ++n) {
    const Int3 d{n & 1, n >> 1 & 1, n >> 2};
    double weight = 1;
    Int3 cell;
    for (int a = 0; a < 3; ++a) {
      weight *= d[a] ? w[std::size_t(a)] : 1 - w[std::size_t(a)];
      cell[a] = inside(low[a] + d[a], grid.cells()[a], grid.periodic()[a]);
    }
    if (weight != 0) corners.push_back({sample, weight, cell});
  }
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

std::array<double, 6> Dendrite::arms() const {
  const Rays rays(options_);
  std::vector<Sample> samples;
  std::vector<Corner> corners;
  for (int arm = 0; arm < 6; ++arm)
    for (int n = 0; rays.inside(rays.place(arm, n)); ++n) {
      add_corners(corners, samples.size(), rays.place(arm, n), grid());
      samples.push_back({arm, n, 0});
    }

  // Every rank sends the cells that it owns.
  std::string bytes;
  const Box mine = grid().global_box();
  const Layout& layout = grid().layout();
  const auto add = [&](int lo, int hi, auto cells) {
    for (std::size_t n = 0; n < corners.size(); ++n) {
      const Int3 cell = corners[n].cell - mine.lo;
      if (!mine.contains(corners[n].cell) || cell.z < lo || cell.z >= hi) continue;
      const Value value{std::int64_t(n), double(cells.base[layout.offset(cell)])};
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  };
  typed(*stages_.phi, [&](auto& phi) { phi.each_slab(add); });
  std::vector<double> phi(corners.size());
  for (const std::string& part : grid().context().gather(bytes))
    for (std::size_t at = 0; at < part.size(); at += sizeof(Value)) {
      Value value{};
      std::memcpy(&value, part.data() + at, sizeof value);
      phi[std::size_t(value.corner)] = value.phi;
    }
  for (std::size_t n = 0; n < corners.size(); ++n)
    samples[corners[n].sample].phi += corners[n].weight * phi[n];

  std::array<double, 6> length{};
  for (int arm = 0; arm < 6; ++arm) length[std::size_t(arm)] = options_.spacing * last_crossing(samples, arm);
  std::string found(reinterpret_cast<const char*>(length.data()), sizeof length);
  grid().context().broadcast(found);
  std::memcpy(length.data(), found.data(), sizeof length);
  return length;
}

}  // namespace sc::dendrite
