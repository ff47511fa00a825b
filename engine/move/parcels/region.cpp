// SPDX-License-Identifier: Apache-2.0
// Parcels: regions are grouped by peer and face, then divided into pieces.
#include "engine/move/parcels/region.hpp"

#include <map>
#include <tuple>
#include <utility>

namespace sc {

namespace {

Box bounding(const Box& a, const Box& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {{std::min(a.lo.x, b.lo.x), std::min(a.lo.y, b.lo.y), std::min(a.lo.z, b.lo.z)},
          {std::max(a.hi.x, b.hi.x), std::max(a.hi.y, b.hi.y), std::max(a.hi.z, b.hi.z)}};
}

Parcel measured(Parcel parcel, std::span<const std::size_t> cell_bytes) {
  parcel.bytes = 0;
  parcel.source = parcel.sink = Box{};
  for (const Part& part : parcel.parts) {
    parcel.bytes += part.units() * cell_bytes[static_cast<std::size_t>(part.item)];
    parcel.source = bounding(parcel.source, part.source);
    parcel.sink = bounding(parcel.sink, part.sink);
  }
  return parcel;
}

/// The axis to divide: z before y before x, which keeps rows long; the axis normal to the face, a few layers
/// thick, last.
int axis_to_cut(const Parcel& parcel, int normal) {
  const Int3 n = parcel.source.extent();
  for (int axis = 2; axis >= 0; --axis)
    if (axis != normal && n[axis] > 1) return axis;
  return n[normal] > 1 ? normal : -1;
}

void cut(const Parcel& parcel, int normal, std::span<const std::size_t> cell_bytes, std::size_t piece_bytes,
         std::vector<Parcel>& out) {
  const int axis = axis_to_cut(parcel, normal);
  if (parcel.bytes <= piece_bytes || axis < 0) {
    if (parcel.bytes > 0) out.push_back(parcel);
    return;
  }
  const int lo = parcel.source.lo[axis];
  const int n = parcel.source.extent()[axis];
  const auto wanted = (parcel.bytes + piece_bytes - 1) / piece_bytes;
  const int slices = static_cast<int>(std::min<std::size_t>(wanted, static_cast<std::size_t>(n)));
  for (int s = 0; s < slices; ++s) {
    Box slice = parcel.source;
    slice.lo[axis] = lo + static_cast<int>(std::int64_t{n} * s / slices);
    slice.hi[axis] = lo + static_cast<int>(std::int64_t{n} * (s + 1) / slices);
    Parcel part_of = parcel;
    part_of.parts.clear();
    for (const Part& part : parcel.parts) {
      const Box source = intersect(part.source, slice);
      if (!source.empty())
        part_of.parts.push_back({part.item, source, source.shifted(part.sink.lo - part.source.lo), nullptr,
                                 part.lattice, part.global + (source.lo - part.source.lo), part.layers});
    }
    cut(measured(std::move(part_of), cell_bytes), normal, cell_bytes, piece_bytes, out);
  }
}

}  // namespace

std::vector<Parcel> make_parcels(std::span<const std::vector<Region>> regions,
                                 std::span<const std::size_t> cell_bytes, std::size_t piece_bytes) {
  constexpr std::size_t largest_piece = std::size_t{1} << 30;  // MPI counts are int
  struct Uncut {
    Parcel parcel;
    std::size_t piece_bytes;
  };
  // key: group, phase, axis (z first), side, peer
  std::map<std::tuple<int, int, int, int, int>, Uncut> faces;
  for (std::size_t item = 0; item < regions.size(); ++item)
    for (const Region& region : regions[item]) {
      auto& [parcel, most] =
          faces[{region.group, region.phase, -region.face.axis, region.face.side, region.peer}];
      most = std::min(region.piece_bytes > 0 ? region.piece_bytes : piece_bytes, largest_piece);
      parcel.peer = region.peer;
      parcel.group = region.group;
      parcel.phase = region.phase;
      parcel.in_place = parcel.in_place && region.in_place;
      parcel.parts.push_back({static_cast<int>(item), region.source, region.sink, nullptr, region.lattice,
                              region.global, region.layers});
    }
  // group, phase, axis, slice (for faces normal to x), side, peer, slice
  using Order = std::tuple<int, int, int, std::size_t, int, int, std::size_t>;
  std::vector<std::pair<Order, Parcel>> sorted;
  for (auto& [key, face] : faces) {
    const auto [group, phase, axis, side, peer] = key;
    std::vector<Parcel> slices;
    cut(measured(std::move(face.parcel), cell_bytes), -axis, cell_bytes, face.piece_bytes, slices);
    for (std::size_t n = 0; n < slices.size(); ++n)
      sorted.emplace_back(Order{group, phase, axis, axis == 0 ? n : 0, side, peer, n}, std::move(slices[n]));
  }
  std::ranges::sort(sorted, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Parcel> parcels;
  for (auto& [order, parcel] : sorted) parcels.push_back(std::move(parcel));
  std::map<int, int> count;
  for (Parcel& parcel : parcels) parcel.order = count[parcel.peer]++;
  return parcels;
}

}  // namespace sc
