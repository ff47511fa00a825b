// SPDX-License-Identifier: Apache-2.0
// Snapshots: fields on their points as a VTKHDF file that ParaView opens, with the same arrays laid out as
// (z, y, x) for h5py and xarray. All ranks write, each its own points; the bytes do not depend on the split.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/field/storage.hpp"

namespace sc::io {

/// How the file presents itself to VTK. `unstructured` (hexahedra) opens from ParaView 5.11 (VTK 9.2) on,
/// `structured` takes half the room and needs ParaView 6.2 (VTK 9.7).
enum class SnapshotKind { unstructured, structured };

struct SnapshotField {
  std::string name;
  Storage* storage;
};

/// Points at equal distances along the axes, which need no coordinates in the file.
struct UniformPoints {
  std::array<double, 3> origin{};  ///< of point (0, 0, 0)
  std::array<double, 3> spacing = {1, 1, 1};
};

struct Snapshot {
  Storage* coordinates = nullptr;  ///< x, y, z of every point: three components, single or double
  /// Instead of coordinates: the file is VTK's ImageData, which ParaView 5.10 (VTK 9.1) and later open;
  /// `kind` does not matter then.
  std::optional<UniformPoints> uniform = std::nullopt;
  std::vector<SnapshotField> fields = {};
  int layers = 0;  ///< halo layers beyond physical faces that are points too (1: the walls), filled
                   ///< everywhere, edges and corners included
  std::int64_t step = 0;
  double time = 0;
  SnapshotKind kind = SnapshotKind::unstructured;
  std::map<std::string, std::string> units = {};  ///< of "length", "time" and fields, where they are known
};

/// Numbers that a field has in one point; a complex one counts two.
int numbers_of(const Storage& storage);

/// Collective. Replaces `path` only once the new file is whole and on disk. Throws Error (storage) on every
/// rank, with one sentence, when that fails; the old file is then as it was.
void write_snapshot(const std::string& path, const Snapshot& snapshot);

}  // namespace sc::io
