// SPDX-License-Identifier: Apache-2.0
// Elimination of the lines of a bundle, block by block (LineSystem), sixteen lines at a time. Values carried
// along a line stay in registers.
#pragma once

#include "engine/exec/for_each_line.hpp"
#include "engine/exec/line_system.hpp"

namespace sc {

/// Values of neighbouring lines.
struct Lanes {
#ifdef __AVX512F__
  static constexpr int width = 8;
#else
  static constexpr int width = 4;  // GCC splits wider vectors than a register through memory
#endif
  using Part = double __attribute__((vector_size(8 * width), aligned(8), may_alias));
  static constexpr int parts = LineGeometry::lanes / width;
  Part part[parts];

  static Lanes of(const double* at) {
    Lanes a;
    for (int i = 0; i < parts; ++i) a.part[i] = reinterpret_cast<const Part*>(at)[i];
    return a;
  }
  void put(double* at) const {
    for (int i = 0; i < parts; ++i) reinterpret_cast<Part*>(at)[i] = part[i];
  }
  friend Lanes operator*(double factor, Lanes a) {
    for (int i = 0; i < parts; ++i) a.part[i] *= factor;
    return a;
  }
  friend Lanes operator+(Lanes a, const Lanes& b) {
    for (int i = 0; i < parts; ++i) a.part[i] += b.part[i];
    return a;
  }
  friend Lanes operator-(Lanes a, const Lanes& b) {
    for (int i = 0; i < parts; ++i) a.part[i] -= b.part[i];
    return a;
  }
};

/// A rank's part of the lines of a bundle: whole blocks of cells from `begin` on.
struct LinePart {
  const LineSystem* system = nullptr;
  int begin = 0;             ///< global position of cell 0
  int first = 0, count = 0;  ///< blocks
  double* right = nullptr;  ///< right-hand sides, then the solution; cell n of line l is right[n * lines + l]
  int lines = 0;            ///< a multiple of LineGeometry::lanes

  double* cell(int global, int l) const { return right + std::ptrdiff_t{global - begin} * lines + l; }
};

/// The sums of blocks, side by side like the lines of the bundle.
struct SumsOfLines {
  double* values = nullptr;
  int lines = 0;
  double* sum(int position, int l) const { return values + std::ptrdiff_t{2 * position} * lines + l; }
  double* first(int position, int l) const { return values + std::ptrdiff_t{2 * position + 1} * lines + l; }
};

/// Of every block of the part, from position `at` on.
inline void sum_blocks(const LinePart& part, const SumsOfLines& sums, int at) {
  const LineSystem& system = *part.system;
  for (int l = 0; l < part.lines; l += LineGeometry::lanes)
    for (int k = part.first; k < part.first + part.count; ++k) {
      const int end = system.begin(k + 1) - 1;
      Lanes first{}, last{};
      for (int n = system.begin(k); n < end; ++n) {
        const LineSystem::Row& row = system.rows()[static_cast<std::size_t>(n)];
        const Lanes r = Lanes::of(part.cell(n, l));
        first = first + row.first * r;
        last = last + row.last * r;
      }
      first.put(sums.first(at + k - part.first, l));
      (Lanes::of(part.cell(end, l)) - system.end_lower(k) * last).put(sums.sum(at + k - part.first, l));
    }
}

/// The solution at the end of block k; `position` is the position of the sums of a block, neighbours side by
/// side. Zero before the line.
template <class Position>
Lanes end_of_block(const LineSystem& system, int k, const SumsOfLines& sums, int l,
                   const Position& position) {
  const int n = system.blocks();
  Lanes x{};
  if (!system.cyclic() && k < 0) return x;
  const int around = (k + n) % n;
  int from = -system.before(), to = system.after();
  if (!system.cyclic()) {
    from = std::max(from, -k);
    to = std::min(to, n - 1 - k);
  }
  const auto weights = system.weights(around).subspan(static_cast<std::size_t>(from + system.before()));
  int p = position(around + from);
  for (int d = from; d <= to; ++d) {
    const LineSystem::Weights& w = weights[static_cast<std::size_t>(d - from)];
    x = x + (w.sum * Lanes::of(sums.sum(p, l)) + w.first * Lanes::of(sums.first(p, l)));
    p = p + 1 == n ? 0 : p + 1;  // once around a cyclic line
  }
  return x;
}

/// Replaces the right-hand sides by the solution.
template <class Position>
void solve_blocks(const LinePart& part, const SumsOfLines& sums, const Position& position) {
  const LineSystem& system = *part.system;
  for (int l = 0; l < part.lines; l += LineGeometry::lanes) {
    Lanes before = end_of_block(system, part.first - 1, sums, l, position);
    for (int k = part.first; k < part.first + part.count; ++k) {
      const int begin = system.begin(k), end = system.begin(k + 1) - 1;
      const auto row = [&](int n) -> const LineSystem::Row& {
        return system.rows()[static_cast<std::size_t>(n)];
      };
      Lanes p = before;
      for (int n = begin; n < end; ++n) {
        p = row(n).pivot * Lanes::of(part.cell(n, l)) - row(n).lower * p;
        p.put(part.cell(n, l));
      }
      before = end_of_block(system, k, sums, l, position);
      before.put(part.cell(end, l));
      Lanes x = before;
      for (int n = end - 1; n >= begin; --n) {
        x = Lanes::of(part.cell(n, l)) - row(n).upper * x;
        x.put(part.cell(n, l));
      }
    }
  }
}

}  // namespace sc
