// SPDX-License-Identifier: Apache-2.0
// Snapshots: fields at points as a VTKHDF file that ParaView opens, with the same arrays as (z, y, x) for
// h5py and xarray. Each rank writes its own points; the bytes do not depend on the decomposition.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/field/storage.hpp"

namespace sc::io {

/// The VTK type of the file. `unstructured` (hexahedra) needs ParaView 5.11 (VTK 9.2) or later; `structured`
/// takes half the space and needs ParaView 6.2 (VTK 9.7).
enum class SnapshotKind { unstructured, structured };

struct SnapshotField {
  std::string name;
  Storage* storage;
};

/// Points with uniform spacing along the axes; the file has no coordinates.
struct UniformPoints {
  std::array<double, 3> origin{};  ///< of point (0, 0, 0)
  std::array<double, 3> spacing = {1, 1, 1};
};

struct Snapshot {
  Storage* coordinates = nullptr;  ///< x, y, z of every point: three components, in either precision
  /// Replaces coordinates: the file is then VTK's ImageData, for ParaView 5.10 (VTK 9.1) or later, and `kind`
  /// is ignored.
  std::optional<UniformPoints> uniform = std::nullopt;
  std::vector<SnapshotField> fields = {};
  int layers = 0;  ///< halo layers beyond physical faces that are points too (1: the walls), filled
                   ///< everywhere, edges and corners included
  std::int64_t step = 0;
  double time = 0;
  SnapshotKind kind = SnapshotKind::unstructured;
  std::map<std::string, std::string> units = {};  ///< of "length", "time" and of fields, if known
};

/// Real numbers that a field has at a point; a complex component counts as two.
int numbers_of(const Storage& storage);

/// Collective. Replaces `path` only after the new file is complete and on disk. Throws Error (storage) on all
/// ranks if that fails; the old file is then unchanged.
void write_snapshot(const std::string& path, const Snapshot& snapshot);

}  // namespace sc::io
