// SPDX-License-Identifier: Apache-2.0
// A kernel compiled at run time over the cells of a box, and as a condition of a face, on the host or on a
// device.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "engine/exec/accumulator.hpp"
#include "engine/exec/compiled_device.hpp"
#include "engine/exec/device_cells.hpp"
#include "engine/field/field.hpp"

namespace sc {

/// The functions of compiled libraries that compute cells, and the memory of the kernel's members.
struct CompiledRows {
  void (*function)(const RowsCall*);  ///< on the host; nullptr: not compiled
  std::vector<std::byte> kernel;
  bool by_position = true;  ///< whether the kernel may need the global position of a cell
  const char* (*on_device)(const CellsCall*) = nullptr;  ///< returns an error message, or nullptr
};
struct CompiledColumns {
  void (*function)(const ColumnsCall*);
  std::vector<std::byte> kernel;
  int inward = Boundary::usual_inward;  ///< own cells of a column that it may read, counted from the face
  const char* (*on_device)(const FaceCall*) = nullptr;
};

/// As for_each() of a kernel that is part of the program: the same cells on the same threads.
void for_each_compiled(const Box& box, const Lattice& lattice, const Frame& frame, int threads,
                       std::span<Accumulator> into, const CompiledRows& rows,
                       std::span<const CellsAt> fields);
/// As device_cells(). Throws Error (failure) if the library's function was compiled for another device.
void device_cells_compiled(Device& device, Stream stream, const Box& box, const Lattice& lattice,
                           const Frame& frame, DeviceTally* tally, Reduce reduce, const std::string& what,
                           const CompiledRows& rows, std::span<const CellsAt> fields);

/// One level of a field that a condition reads; the field must outlive the condition.
struct ReadBeside {
  AnyField* field;
  int level;
};

/// A condition whose kernel reads along the normal only; it may read other fields of the grid in the same
/// column.
class CompiledFace final : public Boundary {
 public:
  CompiledFace(CompiledColumns columns, std::vector<ReadBeside> others)
      : columns_(std::move(columns)), others_(std::move(others)) {}
  bool reads_others() const override { return !others_.empty(); }
  int inward() const override { return columns_.inward; }
  void apply(Storage& storage, Face face, const Columns& columns) const override;

 private:
  void launch(Device& device, const ColumnsCall& columns, const std::vector<CellsAt>& fields,
              const std::string& what) const;
  CompiledColumns columns_;
  std::vector<ReadBeside> others_;
};

/// Halo cells are affine functions of their mirror images: ghost(n) = a inside(n) + b + c (2 n - 1), with a
/// number b for each component. (-1, 2 v, 0) sets the value v on the face, (1, 0, 0) mirrors, (0, v, 0) sets
/// v in the halo, and (1, 0, g h) sets the outward derivative g with cells of size h.
class AffineFace final : public Boundary {
 public:
  struct Law {
    double a = 1, b = 0, c = 0;
  };
  explicit AffineFace(std::vector<Law> laws) : laws_(std::move(laws)) {}
  bool constant() const override {
    return std::ranges::all_of(laws_, [](const Law& law) { return law.a == 0; });
  }
  void apply(Storage& storage, Face face, const Columns& columns) const override;

 private:
  template <class T>
  void fill(Storage& storage, Face face, const Columns& columns) const;
  std::vector<Law> laws_;  // of each component
};

}  // namespace sc
