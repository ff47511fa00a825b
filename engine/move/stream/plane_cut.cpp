// SPDX-License-Identifier: Apache-2.0
#include "engine/move/stream/plane_cut.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/align.hpp"

namespace sc {

std::size_t PlaneCut::padded_bytes(int piece) const {
  return round_up(static_cast<std::size_t>(first(piece + 1) - first(piece)) * plane_bytes, unit);
}

std::size_t PlaneCut::most_bytes() const {
  return round_up(static_cast<std::size_t>(most_planes()) * plane_bytes, unit);
}

std::vector<PlaneRun> PlaneCut::runs(int lo, int hi) const {
  lo = std::max(lo, 0);
  hi = std::min(hi, planes);
  std::vector<PlaneRun> all;
  for (int plane = lo; plane < hi; ++plane) {
    int piece = static_cast<int>(std::int64_t{plane} * pieces / planes);
    while (first(piece + 1) <= plane) ++piece;
    if (all.empty() || all.back().piece != piece) all.push_back({piece, plane, plane});
    ++all.back().hi;
  }
  return all;
}

std::size_t PlaneCut::begin_of(const PlaneRun& run) const {
  return static_cast<std::size_t>(run.lo - first(run.piece)) * plane_bytes / unit * unit;
}

std::size_t PlaneCut::end_of(const PlaneRun& run) const {
  return round_up(static_cast<std::size_t>(run.hi - first(run.piece)) * plane_bytes, unit);
}

std::size_t PlaneCut::lead_bytes(int halo) const {
  return round_up(static_cast<std::size_t>(halo) * plane_bytes, unit);
}

std::size_t PlaneCut::tail_bytes(int halo) const {
  constexpr std::size_t largest_element = 16;
  return halo == 0 ? 0 : round_up(8 * largest_element, unit);
}

std::size_t PlaneCut::slot_bytes(int halo, int room) const {
  // With alignment 1, every run is read directly to its place and needs no spare memory.
  const std::size_t on_their_way = halo == 0 || unit == 1 ? 0 : round_up(plane_bytes, unit) + 2 * unit;
  const int around = std::max(halo, room);
  return (unit > 1 ? stagger : 0) + 2 * lead_bytes(around) + most_bytes() + tail_bytes(around) +
         2 * static_cast<std::size_t>(halo) * on_their_way;
}

std::int64_t PlaneCut::moved(int halo) const {
  std::size_t sum = 0;
  for (int piece = 0; piece < pieces; ++piece) {
    sum += padded_bytes(piece);
    const int lo = first(piece), hi = first(piece + 1);
    for (const auto& [from, to] : {std::pair(lo - halo, lo), std::pair(hi, hi + halo)})
      for (const PlaneRun& run : runs(from, to)) sum += end_of(run) - begin_of(run);
  }
  return static_cast<std::int64_t>(sum);
}

}  // namespace sc
