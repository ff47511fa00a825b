// SPDX-License-Identifier: Apache-2.0
// What of a solver lies in memory and what in files: chosen by the user or for a given memory, with what it
// costs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/move/stream/rate.hpp"
#include "spectral/fft.hpp"

namespace sc::turbulence {

enum class Where { memory, disk };
/// sync: read, compute, write, one after the other; async: at the same time, through a ring of slots.
enum class Io { sync, async };

struct StorageOptions {
  Where where = Where::memory;
  Io io = Io::async;
  int files = 8;                    ///< pieces in which each array in files is cut, N_f
  std::string scratch = "scratch";  ///< folder for the files; each rank makes one of its own there
  /// Bytes that all ranks together may use, 0: any. What does not fit goes to files, in as few pieces as will
  /// do; `where` and `files` are then not looked at.
  std::int64_t memory = 0;
  /// Told what is not as it should be (no io_uring, no O_DIRECT).
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// For tests; see FileMemoryOptions.
  std::function<std::int64_t(const FileRequest&, std::int64_t)> outcome = {};
  double most_bytes_per_second = 0;
};

FileMemoryOptions scratch_files(Context& context, const StorageOptions& options);

/// Of one rank.
struct Budget {
  bool planes_in_files = false;        ///< the arrays that meet at the points
  bool fields_in_files = false;        ///< the fields of modes that a step keeps beside the velocity
  int files = 0;                       ///< N_f; 0 where nothing is in files
  int ahead = 0;                       ///< pieces of the ring beyond the one computed; 0 where io is sync
  std::int64_t memory = 0;             ///< bytes in memory, the process without the solver included
  std::int64_t process = 0;            ///< of these, what the process had when the budget was made
  std::int64_t disk = 0;               ///< bytes in files
  std::int64_t read = 0, written = 0;  ///< bytes a step
  DiskRate rate = {};                  ///< measured when the budget was made, where it uses the disk
  double seconds = 0;                  ///< of a step that waits for nothing but the disk
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

/// Collective. Throws Error (bad_input) for a memory that is too small, naming the smallest that would do;
/// for more files than a rank has planes; Error (storage) where the scratch folder cannot be used.
Budget make_budget(Context& context, const Needs& needs, const StorageOptions& options);

}  // namespace sc::turbulence
