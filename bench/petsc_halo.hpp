// SPDX-License-Identifier: Apache-2.0
// PETSc's halo exchange, DMDALocalToLocal, on the grid of halo_bench; compiled if PETSc is installed.
#pragma once

#include <petscdmda.h>

#include <stdexcept>
#include <vector>

#include "engine/grid/grid.hpp"

namespace sc::bench {

class PetscHalo {
 public:
  /// `vectors` local vectors with `dof` values for each cell: 5 with 1 have the layout of our arrays, 1 with
  /// 5 interleaves them.
  PetscHalo(const Grid& grid, int vectors, int dof) {
    const auto boundary = [&](int axis) {
      return grid.periodic()[axis] ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE;
    };
    const Int3 n = grid.cells(), p = grid.split();
    must(DMDACreate3d(grid.context().comm(), boundary(0), boundary(1), boundary(2), DMDA_STENCIL_BOX, n.x,
                      n.y, n.z, p.x, p.y, p.z, dof, 1, nullptr, nullptr, nullptr, &dm_));
    must(DMSetUp(dm_));
    vectors_.resize(static_cast<std::size_t>(vectors));
    for (Vec& vector : vectors_) {
      must(DMCreateLocalVector(dm_, &vector));
      must(VecSet(vector, 0.5));
    }
  }
  PetscHalo(const PetscHalo&) = delete;
  PetscHalo& operator=(const PetscHalo&) = delete;
  ~PetscHalo() {
    for (Vec& vector : vectors_) VecDestroy(&vector);
    DMDestroy(&dm_);
  }
  /// One vector after another: this PETSc release confuses its buffers if several exchanges are active.
  void run() {
    for (const Vec& vector : vectors_) {
      must(DMLocalToLocalBegin(dm_, vector, INSERT_VALUES, vector));
      must(DMLocalToLocalEnd(dm_, vector, INSERT_VALUES, vector));
    }
  }

 private:
  static void must(PetscErrorCode code) {
    if (code != 0) throw std::runtime_error("PETSc has failed");
  }
  DM dm_ = nullptr;
  std::vector<Vec> vectors_;
};

}  // namespace sc::bench
