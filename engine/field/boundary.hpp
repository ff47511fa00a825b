// SPDX-License-Identifier: Apache-2.0
// Physical boundary conditions as a field carries them: one per face, applied to the halo beyond the face
// once the own cells (and, beside a neighbour, the neighbour's halo cells) hold their values.
#pragma once

#include <array>
#include <memory>

#include "engine/grid/box.hpp"

namespace sc {

class Storage;

class Boundary {
 public:
  virtual ~Boundary() = default;
  /// Layers of tangential neighbours the condition reads (a skewed wall needs 1); 0 where it looks along the
  /// normal only.
  virtual int tangential() const { return 0; }
  /// Fills the halo beyond `face` for the columns of `cells`, a box in local coordinates that is one cell
  /// thick along the face's axis: the first halo layer.
  virtual void apply(Storage& storage, Face face, const Box& cells) const = 0;
};

/// The six conditions of a field; a face without one keeps whatever its halo holds.
class Boundaries {
 public:
  void set(Face face, std::shared_ptr<const Boundary> boundary) { at(face) = std::move(boundary); }
  const Boundary* get(Face face) const { return faces_[index(face)].get(); }
  /// Most tangential layers that any of them reads.
  int tangential() const {
    int layers = 0;
    for (const auto& face : faces_)
      if (face) layers = std::max(layers, face->tangential());
    return layers;
  }

 private:
  static std::size_t index(Face face) { return static_cast<std::size_t>(2 * face.axis + face.side); }
  std::shared_ptr<const Boundary>& at(Face face) { return faces_[index(face)]; }
  std::array<std::shared_ptr<const Boundary>, 6> faces_;
};

}  // namespace sc
