// SPDX-License-Identifier: Apache-2.0
// Checkpoints: the state of a run as named fields and scalars, checksummed, replaced in one step, and read
// back on any number of ranks with the same bits.
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

struct SavedScalar {
  std::string name;
  std::variant<double*, std::int64_t*, std::string*> value;
};

/// What a solver's state is; described once, it serves writing and reading.
struct CheckpointContents {
  std::string solver;
  Grid grid;
  std::vector<SavedField> fields;
  std::vector<SavedScalar> scalars;  ///< the same on all ranks; rank 0's values are written
};

/// Collective. Replaces `path` only once the new checkpoint is whole and on disk. Throws Error (storage) on
/// every rank, with one sentence, when that fails; the old checkpoint is then as it was.
void write_checkpoint(const std::string& path, const CheckpointContents& contents);

/// Collective, on any number of ranks and any split. Fills fields and scalars; halos between ranks are stale
/// afterwards. Throws Error (storage) on every rank when the file is damaged or of another run's making:
/// fields and scalars then still hold what they held.
void read_checkpoint(const std::string& path, const CheckpointContents& contents);

}  // namespace sc::io
