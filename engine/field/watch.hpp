// SPDX-License-Identifier: Apache-2.0
// Watch: the cells that the views of one declaration may access, and the error message if a kernel accesses
// others. Only views of checked builds (SC_CHECKED) have one; the class is in every build, because all link
// the same engine.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/field/boundary.hpp"
#include "engine/grid/grid.hpp"
#include "engine/grid/reach.hpp"

namespace sc {

class Watch;

/// Values that a kernel may read but not change, with their previous contents. A view for writing cannot
/// distinguish reads from writes, so changed values were written.
class Borrowed {
 public:
  Borrowed() = default;
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    if (!values_.empty()) compare();
  }
  void note(const Watch& watch, Int3 offset, Index cell, const void* value, std::size_t bytes);

 private:
  struct Value {
    const Watch* watch;
    Int3 offset;
    Index cell;
    const void* at;
    std::vector<std::byte> before;
  };
  void compare() const;
  std::vector<Value> values_;
};

/// The cell for which a view is valid, and its watch; without a watch every access is allowed.
struct Watched {
  const Watch* watch = nullptr;
  Borrowed* borrowed = nullptr;
  std::ptrdiff_t offset = 0;  ///< of the cell that is computed
  Index cell = {};            ///< the same on the global grid of the stage
};

class Watch {
 public:
  enum class Kind {
    own,     ///< its own cell only, to read and write
    around,  ///< reading within the reach
    colour,  ///< the same, and writing its own cell
    across,  ///< reading another grid within the reach of the cell's place there
    column   ///< a boundary condition: reading beside its column as far as declared, writing its halo cells
  };
  struct Subject {
    Context* context = nullptr;
    std::string who;  ///< as a sentence begins: stage "diffuse"
    std::string field;
    const Boundaries* boundaries = nullptr;
    Kind kind = Kind::own;
    Reach reach;
    int finer = 1, coarser = 1;  ///< as of an Access, for Kind::across
    Int3 cells = {};             ///< of the stage's grid, for Kind::across
    Face face = {};              ///< for Kind::column
    int inward = 0;              ///< likewise: own cells of the column that may be read
  };
  /// `grid` is the field's.
  Watch(Subject subject, const Grid& grid);

  /// Ends the program on all ranks unless the kernel may have the element at `offset`; `value` is its memory.
  void touch(const Watched& by, std::ptrdiff_t offset, const void* value, std::size_t bytes,
             bool writable) const {
    if (offset != by.offset || subject_.kind == Kind::across || subject_.kind == Kind::column)
      look(by, offset, value, bytes, writable);
  }
  /// The same for component `k` of `components`, for cell `n` of line `line` of a bundle that has
  /// first … end - 1 and 0 … lines - 1, and for a value that was borrowed and is not what it was.
  void component(int k, int components) const;
  void line(int n, int l, int first, int end, int lines) const;
  [[noreturn]] void changed(Int3 offset, Index cell) const;

 private:
  void look(const Watched& by, std::ptrdiff_t offset, const void* value, std::size_t bytes,
            bool writable) const;
  void look_across(Index cell, Int3 to) const;
  void look_beside_column(const Watched& by, Int3 to, const void* value, std::size_t bytes,
                          bool writable) const;
  void look_beyond_faces(Index cell, Int3 offset, Int3 to) const;
  Int3 local(std::ptrdiff_t offset) const;
  std::string field() const { return "field \"" + subject_.field + "\""; }
  std::string declared() const;
  [[noreturn]] void stop(const std::string& sentence) const;

  Subject subject_;
  Layout layout_;
  Int3 own_, origin_, cells_;
  Int3 halo_;
  bool physical_[6];
};

}  // namespace sc
