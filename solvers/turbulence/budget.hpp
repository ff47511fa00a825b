// SPDX-License-Identifier: Apache-2.0
// What parts of a flow are in memory and what in files.
#pragma once

#include "engine/move/stream/budget.hpp"
#include "spectral/fft.hpp"

namespace sc::turbulence {

/// For one rank.
struct Budget : sc::Budget {
  bool planes_in_files = false;  ///< the arrays that are used together at the points
  bool fields_in_files = false;  ///< the fields of modes that a step needs besides the velocity
  bool disk_used() const { return planes_in_files || fields_in_files; }
  /// A line of text for the user; none if nothing is in files.
  std::string describe() const;
};

/// Sizes and numbers of the arrays of a step.
struct Needs {
  std::int64_t planes = 0, plane_bytes = 0, file_plane_bytes = 0;  ///< of an array used at the points
  std::int64_t mode_planes = 0, mode_plane_bytes = 0;              ///< of a component of the modes
  std::int64_t fixed = 0;  ///< bytes that stay in memory in any case: transform, velocity, points of a plane
  int components = 3;      ///< of a field of modes
  int fields = 2;          ///< of modes with all components, used by a step besides the velocity
  int plane_arrays = 6;    ///< used together at the points
  int plane_reads = 3;     ///< reads, and also writes, of arrays of planes in files, in an evaluation
  int evaluations = 4;     ///< of the nonlinear term, in a step
  int fields_read = 6, fields_written = 4;  ///< reads and writes of whole such fields, in a step
};

/// Collective. `overlaps`: file accesses overlap with computation, in a ring of slots. Throws Error
/// (bad_input) for a memory that is too small, with the smallest sufficient one, and for more pieces than
/// planes on a rank; Error (storage) if the scratch folder cannot be used.
Budget make_budget(Context& context, const Needs& needs, const StorageOptions& options, bool overlaps);

}  // namespace sc::turbulence
