// SPDX-License-Identifier: Apache-2.0
// What a checkpoint says about itself: written and read by rank 0, compared with what the run expects.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "io/checkpoint.hpp"
#include "io/file.hpp"

namespace sc::io {

/// Raised when a reader of the old layout would misread the new one.
constexpr std::int64_t checkpoint_version = 1;

struct ArrayHeader {
  std::string name;
  ElementType type = ElementType::f64;
  Int3 extent;  ///< physical halo layers included
  std::int64_t components = 1;
  std::uint64_t checksum = 0;
  std::int64_t offset = 0;  ///< in the file, bytes

  std::int64_t elements() const { return components * extent.x * extent.y * extent.z; }
  std::int64_t bytes() const { return elements() * static_cast<std::int64_t>(size_of(type)); }
};

struct ScalarHeader {
  std::string name;
  std::variant<double, std::int64_t, std::string> value;
};

struct CheckpointHeader {
  std::string solver;
  Int3 cells;
  std::vector<ArrayHeader> arrays;
  std::vector<ScalarHeader> scalars;

  /// Everything but the offsets, as text; its checksum is stored beside it.
  std::string text() const;
};

/// The header that `contents` would have, offsets and checksums still to come.
CheckpointHeader header_of(const CheckpointContents& contents);

/// One rank: makes the file, without the arrays' elements. Returns their places.
Offsets lay_out_checkpoint(const std::string& path, const CheckpointHeader& header);

/// One rank: reads the header and compares it with what is expected. Throws Error (storage) with a sentence
/// about the first thing that is wrong.
CheckpointHeader read_header(const std::string& path, const CheckpointHeader& expected);

/// One rank: writes what stands before the HDF5 part of the file: its length, and how long the structure
/// before the first array is and what its checksum is. HDF5 is shown a file only when these agree: it
/// survives a damaged structure, but complains aloud when the program ends.
void seal_checkpoint(const std::string& path, std::int64_t structure_end);

}  // namespace sc::io
