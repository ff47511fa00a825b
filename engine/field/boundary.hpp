// SPDX-License-Identifier: Apache-2.0
// Physical boundary conditions as a field carries them: one per face, applied to the halo beyond the face
// once the own cells (and, beside a neighbour, the neighbour's halo cells) hold their values.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "engine/grid/box.hpp"

namespace sc {

class Storage;

/// Which halo cells a condition fills.
struct Columns {
  Box cells;       ///< local, one cell thick along the face's axis: the first halo layer
  int layers = 0;  ///< of halo; 0: all there are
};

class Boundary {
 public:
  virtual ~Boundary() = default;
  /// Layers of tangential neighbours the condition reads (a skewed wall needs 1); 0 where it looks along the
  /// normal only.
  virtual int tangential() const { return 0; }
  /// The same of any field it reads, at least tangential(): in the outermost columns there is nothing to
  /// read.
  virtual int beside() const { return tangential(); }
  /// Own cells of its column that it reads, counted from the face, where it fills fewer layers than that.
  virtual int inward() const { return usual_inward; }
  static constexpr int usual_inward = 4;
  /// Whether it reads other fields.
  virtual bool reads_others() const { return false; }
  /// Fills the halo beyond `face`.
  virtual void apply(Storage& storage, Face face, const Columns& columns) const = 0;
};

/// Who sees to the halo beyond a face of the domain.
enum class Beyond {
  unset,      ///< not given: a stage that reads there is refused
  condition,  ///< a boundary condition
  given,      ///< the program, which writes it by modify() and keeps it as it is
  unread      ///< not needed: kernels know where the face is and do not read there
};

/// What a field says of its six faces.
class Boundaries {
 public:
  void set(Face face, std::shared_ptr<const Boundary> boundary) {
    at(face) = std::move(boundary);
    beyond_[index(face)] = Beyond::condition;
  }
  /// Of a face without a condition.
  void leave(Face face, Beyond how) {
    at(face) = nullptr;
    beyond_[index(face)] = how;
  }
  /// Of every face of which nothing has been said.
  void leave_others(Beyond how) { std::replace(beyond_.begin(), beyond_.end(), Beyond::unset, how); }
  Beyond beyond(Face face) const { return beyond_[index(face)]; }
  const Boundary* get(Face face) const { return faces_[index(face)].get(); }
  bool any() const {
    return std::any_of(faces_.begin(), faces_.end(), [](const auto& face) { return face != nullptr; });
  }
  /// Layers that the conditions of one axis read beside their columns.
  int tangential(int axis) const {
    int most = 0;
    for (int side = 0; side < 2; ++side)
      if (const Boundary* b = get({axis, side})) most = std::max(most, b->tangential());
    return most;
  }
  /// The most of any axis.
  int tangential() const { return std::max({tangential(0), tangential(1), tangential(2)}); }
  /// Added up over the axes x … `axis`: a condition may read what the condition of an earlier axis has
  /// filled.
  int tangential_up_to(int axis) const {
    int sum = 0;
    for (int a = 0; a <= axis; ++a) sum += tangential(a);
    return sum;
  }

 private:
  static std::size_t index(Face face) { return static_cast<std::size_t>(2 * face.axis + face.side); }
  std::shared_ptr<const Boundary>& at(Face face) { return faces_[index(face)]; }
  std::array<std::shared_ptr<const Boundary>, 6> faces_;
  std::array<Beyond, 6> beyond_{};
};

}  // namespace sc
