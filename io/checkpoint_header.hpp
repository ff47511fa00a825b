// SPDX-License-Identifier: Apache-2.0
// The metadata of a checkpoint: rank 0 writes and reads it, and compares it with what the run expects.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "io/checkpoint.hpp"
#include "io/file.hpp"

namespace sc::io {

/// To be increased if a reader of the old layout would misread the new one.
constexpr std::int64_t checkpoint_version = 1;

struct ArrayHeader {
  std::string name;
  ElementType type = ElementType::f64;
  Int3 extent;  ///< physical halo layers included
  std::int64_t components = 1;
  std::uint64_t checksum = 0;
  std::int64_t offset = 0;  ///< in the file, in bytes

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

  /// Everything except the offsets, as text; the file stores its checksum.
  std::string text() const;
};

/// The header for `contents`, without offsets and checksums.
CheckpointHeader header_of(const CheckpointContents& contents);

/// On one rank: creates the file without the arrays' elements. Returns their offsets in bytes.
Offsets lay_out_checkpoint(const std::string& path, const CheckpointHeader& header);

/// On one rank: reads the header and compares it with the expected one. Throws Error (storage) with a
/// sentence about the first difference.
CheckpointHeader read_header(const std::string& path, const CheckpointHeader& expected);

/// On one rank: writes the block before the HDF5 part of the file: the file's length, and the length and the
/// checksum of the structure before the first array. HDF5 opens a file only if these match: it survives a
/// damaged structure, but prints errors when the program ends.
void seal_checkpoint(const std::string& path, std::int64_t structure_end);

}  // namespace sc::io
