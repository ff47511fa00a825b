// SPDX-License-Identifier: Apache-2.0
// A kernel that was compiled while the program runs over the cells of a box, and as a condition of a face; by
// the host, or by a device.
#pragma once

#include <span>
#include <vector>

#include "engine/exec/accumulator.hpp"
#include "engine/exec/compiled_device.hpp"
#include "engine/exec/device_cells.hpp"
#include "engine/field/field.hpp"

namespace sc {

/// The functions of compiled libraries that compute cells, and the kernel's members as they lie in memory.
struct CompiledRows {
  void (*function)(const RowsCall*);  ///< on the host; nullptr: not compiled
  std::vector<std::byte> kernel;
  bool by_position = true;  ///< the kernel may ask where on the global grid a cell is
  const char* (*on_device)(const CellsCall*) = nullptr;  ///< says what has gone wrong, if anything
};
struct CompiledColumns {
  void (*function)(const ColumnsCall*);
  std::vector<std::byte> kernel;
  int inward = Boundary::usual_inward;  ///< own cells of a column that it may read, counted from the face
  const char* (*on_device)(const FaceCall*) = nullptr;
};

/// As for_each() of a kernel that the program itself was compiled with: the same cells by the same threads.
void for_each_compiled(const Box& box, const Lattice& lattice, const Frame& frame, int threads,
                       std::span<Accumulator> into, const CompiledRows& rows,
                       std::span<const CellsAt> fields);
/// As device_cells(). Throws Error (failure) where the library's function was compiled for another device.
void device_cells_compiled(Device& device, Stream stream, const Box& box, const Lattice& lattice,
                           const Frame& frame, DeviceTally* tally, Reduce reduce, const std::string& what,
                           const CompiledRows& rows, std::span<const CellsAt> fields);

/// One level of a field that a condition reads; the field must outlive the condition.
struct ReadBeside {
  AnyField* field;
  int level;
};

/// A condition whose kernel looks along the normal only; it may read other fields of the grid in the same
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

/// Halo cells follow their mirror images within: ghost(n) = a inside(n) + b + c (2 n - 1), a number b for
/// each component. (-1, 2 v, 0) holds the value v on the face, (1, 0, 0) mirrors, (0, v, 0) holds v in the
/// halo, and (1, 0, g h) has the outward derivative g at cells of size h.
class AffineFace final : public Boundary {
 public:
  struct Law {
    double a = 1, b = 0, c = 0;
  };
  explicit AffineFace(std::vector<Law> laws) : laws_(std::move(laws)) {}
  void apply(Storage& storage, Face face, const Columns& columns) const override;

 private:
  template <class T>
  void fill(Storage& storage, Face face, const Columns& columns) const;
  std::vector<Law> laws_;  // of each component
};

}  // namespace sc
