// SPDX-License-Identifier: Apache-2.0
// Forcing: sums over fixed blocks of cells, which go into sums that do not depend on their order; modes from
// products of functions and back.
#include "solvers/compressible/forcing.hpp"

#include <algorithm>
#include <complex>
#include <numbers>

#include "engine/base/align.hpp"
#include "engine/exec/team.hpp"
#include "engine/move/stream/slab_place.hpp"
#include "solvers/common/typed.hpp"

namespace sc::compressible {

namespace {

using Complex = std::complex<double>;

constexpr int components = 4;  ///< sqrt(rho) u, v, w and sqrt(rho)
constexpr int widest = 16;     ///< cells of a block with the rest of its axis are fewer
constexpr int kept = 64;       ///< values of a sum that wait to be added at a time

/// |k| of a function: 0, 1, 1, 2, 2.
constexpr int wave_of(int function) { return (function + 1) / 2; }
constexpr bool is_sine(int function) { return function > 0 && function % 2 == 0; }

/// exp(i k x) = cos |k|x + i sign(k) sin |k|x: the function and its factor.
struct Part {
  int function;
  Complex factor;
};
std::vector<Part> parts_of(int k) {
  if (k == 0) return {{0, 1.0}};
  const int cosine = 2 * std::abs(k) - 1;
  return {{cosine, 1.0}, {cosine + 1, Complex(0, k > 0 ? 1 : -1)}};
}

/// g(a, b, c, factor) for the products of functions that make exp(i k.x).
template <class G>
void each_product(const std::array<int, 3>& k, G&& g) {
  for (const Part& x : parts_of(k[0]))
    for (const Part& y : parts_of(k[1]))
      for (const Part& z : parts_of(k[2]))
        g(x.function, y.function, z.function, x.factor * y.factor * z.factor);
}

/// <f exp(-i k.x)>
Complex mode_of(const Tensor& f, const std::array<int, 3>& k) {
  Complex mode = 0;
  each_product(k, [&](int a, int b, int c, Complex factor) { mode += f(a, b, c) * std::conj(factor); });
  return mode;
}

/// The modes 0 < |k| < kmax.
std::vector<std::array<int, 3>> forced(double kmax) {
  std::vector<std::array<int, 3>> all;
  for (int z = -highest; z <= highest; ++z)
    for (int y = -highest; y <= highest; ++y)
      for (int x = -highest; x <= highest; ++x)
        if (const int square = x * x + y * y + z * z; square > 0 && square < kmax * kmax)
          all.push_back({x, y, z});
  return all;
}

/// Across and along k.
std::array<std::array<Complex, 3>, 2> split(const std::array<Complex, 3>& w, const std::array<int, 3>& k) {
  Complex along = 0;
  double square = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    along += double(k[i]) * w[i];
    square += double(k[i]) * k[i];
  }
  std::array<std::array<Complex, 3>, 2> parts;
  for (std::size_t i = 0; i < 3; ++i) {
    parts[1][i] = k[i] / square * along;
    parts[0][i] = w[i] - parts[1][i];
  }
  return parts;
}

double square_of(const std::array<Complex, 3>& w) {
  return std::norm(w[0]) + std::norm(w[1]) + std::norm(w[2]);
}

}  // namespace

Waves::Waves(int cells) : cells_(cells) {
  for (int f = 0; f < functions; ++f)
    for (int n = 0; n < cells; ++n) {
      const double x = 2 * std::numbers::pi * wave_of(f) * n / cells;
      values_.push_back(is_sine(f) ? std::sin(x) : std::cos(x));
    }
}

/// Sums of one thread, with values that wait to be added.
struct Forcing::Sums {
  explicit Sums(std::size_t sums) : all(sums, Accumulator(Reduce::sum)), waiting(sums * kept) {}
  void put(std::size_t sum, double value) { waiting[sum * kept + static_cast<std::size_t>(count)] = value; }
  void next() {
    if (++count == kept) flush();
  }
  void flush() {
    for (std::size_t n = 0; n < all.size(); ++n) all[n].add(waiting.data() + n * kept, count);
    count = 0;
  }
  std::vector<Accumulator> all;
  std::vector<double> waiting;
  int count = 0;
};

Forcing::Forcing(AnyField& state, const ForcingOptions& options, int block)
    : state_(state),
      grid_(state.grid()),
      options_(options),
      waves_{Waves(grid_.cells().x), Waves(grid_.cells().y), Waves(grid_.cells().z)} {
  const Box own = grid_.global_box();
  for (int a = 0; a < 3; ++a) {
    auto& cuts = cuts_[static_cast<std::size_t>(a)];
    const int last = grid_.cells()[a] / block * block - block;  // where the last block begins
    for (int n = own.lo[a]; n < own.hi[a] && n <= last; n += block) cuts.push_back(n - own.lo[a]);
    cuts.push_back(own.hi[a] - own.lo[a]);
  }
  for (int c = 0; c < functions; ++c)
    for (int b = 0; b < functions; ++b)
      for (int a = 0; a < functions; ++a) {
        const int x = wave_of(a), y = wave_of(b), z = wave_of(c);
        if (x * x + y * y + z * z < options.kmax * options.kmax) products_.push_back({a, b, c});
      }
  rows_.resize(static_cast<std::size_t>(own.extent().y) * static_cast<std::size_t>(own.extent().z) * 3 *
               functions);
}

Box Forcing::block_of(int number) const {
  Box box;
  for (int a = 0; a < 3; ++a) {
    const auto& cuts = cuts_[static_cast<std::size_t>(a)];
    const int count = static_cast<int>(cuts.size()) - 1;
    box.lo[a] = cuts[static_cast<std::size_t>(number % count)];
    box.hi[a] = cuts[static_cast<std::size_t>(number % count + 1)];
    number /= count;
  }
  return box;
}

/// First z, then y within it, cells along x side by side; those last, in their order.
template <class Real>
void Forcing::add_block(In<Real, state_size> s, const Box& block, Sums& sums) const {
  constexpr int planes = functions * functions;
  const Layout& layout = grid_.layout();
  const Int3 origin = grid_.origin();
  const int width = block.hi.x - block.lo.x;
  alignas(cache_line) double all[components][planes][widest] = {};
  alignas(cache_line) double masses[widest] = {};
  for (int z = block.lo.z; z < block.hi.z; ++z) {
    alignas(cache_line) double plane[components][functions][widest] = {};
    for (int y = block.lo.y; y < block.hi.y; ++y) {
      alignas(cache_line) double row[components][widest] = {};
      const Real* cells = s.base + layout.offset({block.lo.x, y, z});
      for (int x = 0; x < width; ++x) {
        const double rho = cells[rho_ * s.stride + x], root = std::sqrt(rho);
        masses[x] += rho;
        for (int i = 0; i < 3; ++i) row[i][x] = root * cells[(u_ + i) * s.stride + x];
        row[3][x] = root;
      }
      for (int b = 0; b < functions; ++b) {
        const double wave = waves_[1].of(b)[origin.y + y];
        for (int k = 0; k < components; ++k)
          for (int x = 0; x < widest; ++x) plane[k][b][x] += wave * row[k][x];
      }
    }
    for (int c = 0; c < functions; ++c) {
      const double wave = waves_[2].of(c)[origin.z + z];
      for (int k = 0; k < components; ++k)
        for (int b = 0; b < functions; ++b)
          for (int x = 0; x < widest; ++x) all[k][c * functions + b][x] += wave * plane[k][b][x];
    }
  }
  for (std::size_t p = 0; p < products_.size(); ++p) {
    const auto& [a, b, c] = products_[p];
    const double* wave = waves_[0].of(a) + origin.x + block.lo.x;
    for (int k = 0; k < components; ++k) {
      const double* cells = all[k][c * functions + b];
      double sum = 0;
      for (int x = 0; x < width; ++x) sum += wave[x] * cells[x];
      sums.put(p * components + static_cast<std::size_t>(k), sum);
    }
  }
  double mass = 0;
  for (int x = 0; x < width; ++x) mass += masses[x];
  sums.put(products_.size() * components, mass);
  sums.next();
}

/// Of the blocks in own planes [lo, hi), which are whole.
template <class Real>
void Forcing::add_planes(In<Real, state_size> s, int lo, int hi, std::vector<Sums>& sums) const {
  const auto& z = cuts_[2];
  const auto layers = [&](int plane) {
    return static_cast<int>(std::lower_bound(z.begin(), z.end(), plane) - z.begin());
  };
  const int layer = static_cast<int>((cuts_[0].size() - 1) * (cuts_[1].size() - 1));
  const int begin = layers(lo) * layer, count = (layers(hi) - layers(lo)) * layer;
  team(static_cast<int>(sums.size()), [&](int thread) {
    Sums& mine = sums[static_cast<std::size_t>(thread)];
    const auto [first, last] = team_share(count);
    for (auto n = first; n < last; ++n) add_block(s, block_of(begin + static_cast<int>(n)), mine);
    mine.flush();
  });
}

void Forcing::start(GlobalValue& global) const {
  std::vector<Sums> sums(static_cast<std::size_t>(grid_.context().threads()),
                         Sums(products_.size() * components + 1));
  typed<state_size>(state_, [&](auto& state) {
    each_slab_ahead(state.storage(0), [&](int lo, int hi) { add_planes(state.read(), lo, hi, sums); });
  });
  for (std::size_t n = 1; n < sums.size(); ++n) merge(sums[0].all, sums[n].all);
  global.start(sums[0].all);
}

LowModes Forcing::low_modes(GlobalValue& global) const {
  const Int3 n = grid_.cells();
  const double cells = double(n.x) * n.y * n.z;
  LowModes low;
  for (std::size_t p = 0; p < products_.size(); ++p) {
    const auto& [a, b, c] = products_[p];
    const auto value = [&](int k) { return global.value(static_cast<int>(p) * components + k) / cells; };
    for (int i = 0; i < 3; ++i) low.w[static_cast<std::size_t>(i)](a, b, c) = value(i);
    low.root(a, b, c) = value(3);
  }
  low.density = global.value(static_cast<int>(products_.size()) * components) / cells;
  return low;
}

/// The coefficients of the functions of x in every row.
void Forcing::set_rows(const std::array<Tensor, 3>& force) {
  const Int3 own = grid_.own().hi, origin = grid_.origin();
  double* row = rows_.data();
  for (int z = 0; z < own.z; ++z) {
    std::array<std::array<double, functions * functions>, 3> plane{};
    for (std::size_t i = 0; i < 3; ++i)
      for (int c = 0; c < functions; ++c)
        for (std::size_t n = 0; n < plane[i].size(); ++n)
          plane[i][n] +=
              waves_[2].of(c)[origin.z + z] * force[i].at[static_cast<std::size_t>(c) * plane[i].size() + n];
    for (int y = 0; y < own.y; ++y)
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t a = 0; a < functions; ++a, ++row) {
          *row = 0;
          for (int b = 0; b < functions; ++b)
            *row += waves_[1].of(b)[origin.y + y] * plane[i][static_cast<std::size_t>(b) * functions + a];
        }
  }
}

Push Forcing::push(GlobalValue& global) {
  const LowModes low = low_modes(global);
  const auto modes = forced(options_.kmax);
  const auto mode = [&](const std::array<int, 3>& k) {
    return std::array<Complex, 3>{mode_of(low.w[0], k), mode_of(low.w[1], k), mode_of(low.w[2], k)};
  };
  std::array<double, 2> squares{};  // <w_s^2>, <w_d^2>
  for (const auto& k : modes) {
    const auto parts = split(mode(k), k);
    for (std::size_t p = 0; p < 2; ++p) squares[p] += square_of(parts[p]);
  }
  const double both = squares[0] + squares[1], share = options_.dilatational;
  const std::array<double, 2> power{(1 - share) * options_.power, share * options_.power};
  std::array<double, 2> factors{};
  double total = 0;
  for (std::size_t p = 0; p < 2; ++p) {
    const double by = std::max(squares[p], least_share * both);
    factors[p] = by > 0 ? power[p] / by : 0;
    total += factors[p] * squares[p];
  }
  std::array<Tensor, 3> force{};
  std::array<double, 3> steady{};
  for (const auto& k : modes) {
    const auto parts = split(mode(k), k);
    const Complex root = std::conj(mode_of(low.root, k));
    for (std::size_t i = 0; i < 3; ++i) {
      const Complex f = factors[0] * parts[0][i] + factors[1] * parts[1][i];
      each_product(k, [&](int a, int b, int c, Complex factor) { force[i](a, b, c) += (f * factor).real(); });
      steady[i] -= (f * root).real() / low.density;  // <sqrt(rho) f> / <rho>
    }
  }
  set_rows(force);
  return {.along = waves_[0].values(),
          .rows = rows_.data(),
          .cells = waves_[0].cells(),
          .origin_y = grid_.origin().y,
          .origin_z = grid_.origin().z,
          .rows_y = grid_.own().hi.y,
          .steady = steady,
          .heat = options_.cooling ? total : 0};
}

}  // namespace sc::compressible
