// SPDX-License-Identifier: Apache-2.0
// Checkpoints: the state of a run as named fields and scalars with checksums. A file is replaced atomically,
// and read on any number of ranks with the same bits.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/field/storage.hpp"

namespace sc::io {

struct SavedField {
  std::string name;
  Storage* storage;
  int layers = 0;  ///< halo layers beyond physical faces that belong to the state
};

/// A const value belongs to the run: a checkpoint with another one is not of this run.
struct SavedScalar {
  std::string name;
  std::variant<double*, std::int64_t*, std::string*, const double*> value;
};

/// The state of a solver, declared once for writing and reading.
struct CheckpointContents {
  std::string solver;
  Grid grid;
  std::vector<SavedField> fields;
  std::vector<SavedScalar> scalars;  ///< the same on all ranks; rank 0's values are written
};

/// Collective. Replaces `path` only after the new checkpoint is complete and on disk. Throws Error (storage)
/// on all ranks if that fails; the old checkpoint is then unchanged.
void write_checkpoint(const std::string& path, const CheckpointContents& contents);

/// Collective, on any number of ranks with any decomposition. Sets fields and scalars; halos between ranks
/// are stale afterwards. Throws Error (storage) on all ranks if the file is damaged or does not match
/// `contents`; fields and scalars are then unchanged.
void read_checkpoint(const std::string& path, const CheckpointContents& contents);

}  // namespace sc::io
