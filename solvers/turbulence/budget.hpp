// SPDX-License-Identifier: Apache-2.0
// What of a flow lies in memory and what in files.
#pragma once

#include "engine/move/stream/budget.hpp"
#include "spectral/fft.hpp"

namespace sc::turbulence {

/// Of one rank.
struct Budget : sc::Budget {
  bool planes_in_files = false;  ///< the arrays that meet at the points
  bool fields_in_files = false;  ///< the fields of modes that a step keeps beside the velocity
  bool disk_used() const { return planes_in_files || fields_in_files; }
  /// A few lines for a person.
  std::string describe() const;
};

/// What the arrays of a step are like.
struct Needs {
  std::int64_t planes = 0, plane_bytes = 0, file_plane_bytes = 0;  ///< of an array that meets at the points
  std::int64_t mode_planes = 0, mode_plane_bytes = 0;              ///< of a component of the modes
  std::int64_t fixed = 0;  ///< bytes that stay in memory in any case: transform, velocity, points of a plane
  int fields = 2;          ///< of three components, kept by a step
  int evaluations = 4;     ///< of the nonlinear term, a step
  int fields_read = 6, fields_written = 4;  ///< passes of such fields through memory, a step
};

constexpr int plane_arrays = 6;

/// Collective. `overlaps`: files are read and written while something is computed, through a ring of slots.
/// Throws Error (bad_input) for a memory that is too small, naming the smallest that would do; for more
/// pieces than a rank has planes; Error (storage) where the scratch folder cannot be used.
Budget make_budget(Context& context, const Needs& needs, const StorageOptions& options, bool overlaps);

}  // namespace sc::turbulence
