// SPDX-License-Identifier: Apache-2.0
// Physical boundary conditions of a field: one for each face, applied to the halo beyond the face when the
// own cells (and, beside a neighbour, the neighbour's halo cells) have their values.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "engine/grid/box.hpp"

namespace sc {

class Storage;

/// The halo cells that a condition fills.
struct Columns {
  Box cells;       ///< local, one cell thick along the face's axis: the first halo layer
  int layers = 0;  ///< of halo to fill; 0: all
};

class Boundary : public std::enable_shared_from_this<Boundary> {
 public:
  virtual ~Boundary() = default;
  /// Layers of tangential neighbours that the condition reads (a skewed wall needs 1); 0 if it reads along
  /// the normal only.
  virtual int tangential() const { return 0; }
  /// The same for all fields that it reads, at least tangential(). The outermost columns do not have these
  /// neighbours.
  virtual int beside() const { return tangential(); }
  /// Number of own cells in its column that it reads, counted from the face, if it fills fewer layers.
  virtual int inward() const { return usual_inward; }
  static constexpr int usual_inward = 4;
  /// Whether it reads other fields.
  virtual bool reads_others() const { return false; }
  /// Whether what it fills depends on no field, so that it need not be filled again until something else
  /// overwrites it.
  virtual bool constant() const { return false; }
  /// Fills the halo beyond `face`.
  virtual void apply(Storage& storage, Face face, const Columns& columns) const = 0;
};

/// What is beyond a face of the domain.
enum class Beyond {
  unset,      ///< not stated: a stage that reads there is refused
  condition,  ///< a boundary condition
  given,      ///< values that the program sets by modify()
  unread      ///< not needed: kernels know the position of the face and do not read there
};

/// What is beyond the six faces of a field.
class Boundaries {
 public:
  void set(Face face, std::shared_ptr<const Boundary> boundary) {
    at(face) = std::move(boundary);
    beyond_[index(face)] = Beyond::condition;
  }
  /// For a face without a condition.
  void leave(Face face, Beyond how) {
    at(face) = nullptr;
    beyond_[index(face)] = how;
  }
  /// For every face that is `unset`.
  void leave_others(Beyond how) { std::replace(beyond_.begin(), beyond_.end(), Beyond::unset, how); }
  Beyond beyond(Face face) const { return beyond_[index(face)]; }
  const Boundary* get(Face face) const { return faces_[index(face)].get(); }
  bool any() const {
    return std::ranges::any_of(faces_, [](const auto& face) { return face != nullptr; });
  }
  bool read_others() const {
    return std::ranges::any_of(faces_, [](const auto& face) { return face && face->reads_others(); });
  }
  /// Layers that the conditions of one axis read beside their columns.
  int tangential(int axis) const {
    int most = 0;
    for (int side = 0; side < 2; ++side)
      if (const Boundary* b = get({axis, side})) most = std::max(most, b->tangential());
    return most;
  }
  /// The maximum over the axes.
  int tangential() const { return std::max({tangential(0), tangential(1), tangential(2)}); }
  /// The sum over the axes x … `axis`: a condition may read cells that the condition of an earlier axis has
  /// filled.
  int tangential_up_to(int axis) const {
    int sum = 0;
    for (int a = 0; a <= axis; ++a) sum += tangential(a);
    return sum;
  }

  bool operator==(const Boundaries&) const = default;  // the same conditions, not equal ones

 private:
  static std::size_t index(Face face) { return static_cast<std::size_t>(2 * face.axis + face.side); }
  std::shared_ptr<const Boundary>& at(Face face) { return faces_[index(face)]; }
  std::array<std::shared_ptr<const Boundary>, 6> faces_;
  std::array<Beyond, 6> beyond_{};
};

}  // namespace sc
