// SPDX-License-Identifier: Apache-2.0
// Refresh: updates the halos of a set of storages: messages from the neighbours, then boundary conditions,
// then the mark "fresh". Strategies overlap its exchanges with computation.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/base/timeline.hpp"
#include "engine/field/field.hpp"
#include "engine/grid/boxes.hpp"
#include "engine/move/exchange.hpp"
#include "engine/move/parcels/halo_parcels.hpp"

namespace sc {

struct Condition;
struct RehearsedRun;

struct Wanted {
  Storage* storage;
  const Boundaries* boundaries;
  Reach reach;
  Lattice lattice = {};  ///< only the cells of this colour are stale
};

class Refresh final : public Pending {
 public:
  /// Collective. Storages of several grids may be mixed; those of one grid and memory share messages.
  Refresh(std::vector<Wanted> wanted, HaloOptions options, Timeline& timeline);
  ~Refresh() override;

  /// One for each grid and memory, in the same order on all ranks. The refresh begins when the first piece of
  /// one of them is started.
  const std::vector<std::unique_ptr<Exchange>>& exchanges() const { return exchanges_; }
  /// Makes progress without blocking; true if all messages for this rank have arrived.
  bool test();
  /// Whether copies within the rank are complete when they are started.
  bool copies_at_once() const;
  /// Waits for all messages, and starts pieces that have not been started; then applies the conditions.
  void wait();
  void finish() override { wait(); }
  /// Bytes that this rank sends in one round.
  std::int64_t bytes() const;

  /// Applies the conditions beside own cells, which must have their values; wait() then applies only those
  /// beside a neighbour's cells. So a core can be computed during the exchange.
  void fill_beside_own();
  /// For a stage that overwrites its inputs: wait() also waits until no neighbour reads the old values.
  void settle_on_wait(bool settle) { settle_on_wait_ = settle; }
  /// For halos that are exchanged before their reader is known (Storage::ahead): conditions that read other
  /// fields are left to it.
  void set_ahead() { ahead_ = true; }
  /// Sets the stage under whose name times are recorded.
  void record_as(std::uint16_t name) { name_ = name; }
  /// Whether it has any fields.
  bool nothing() const { return wanted_.empty(); }
  /// Whether boundary conditions fill a part of these halos.
  bool has_conditions() const;
  /// Adds the cells that they fill beside own cells, and beside a neighbour's cells.
  void note_filled(RehearsedRun& run, bool beside_own, bool beside_neighbours) const;
  Traffic traffic(Transport transport) const;

 private:
  class HaloExchange;
  void begin();
  void apply_boundaries(bool beside_own, bool beside_neighbours);

  std::vector<Wanted> wanted_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
  Timeline& timeline_;
  std::uint16_t name_ = 0;
  bool under_way_ = false;
  bool settle_on_wait_ = false;
  bool ahead_ = false;
  bool filled_beside_own_ = false;
};

/// A condition of a face of the domain on this rank: all columns that it fills, and those that need own cells
/// only.
struct Condition {
  const Boundary& boundary;
  Face face;
  int grow;  ///< number of columns of `all` beside a neighbour's cells
  Box inner, all;
};
/// In the order of application.
void each_condition(const Boundaries& boundaries, const Grid& grid, Reach reach,
                    const std::function<void(const Condition&)>& action);

/// Before a halo is read: if it was exchanged ahead (Storage::ahead), it gets the conditions that its reader
/// finds, as if it were exchanged now; where these need cells that were not received, it becomes stale.
void apply_readers_conditions(const Wanted& read, Timeline& timeline);

/// Own planes in near memory, for a field in far memory. `below`, `above`: the planes beside them are there
/// too.
struct NearPlanes {
  int lo, hi;
  bool below, above;
};
/// Applies the boundary conditions around them, in one part of the halo.
void apply_in_slab(const Boundaries& boundaries, Storage& storage, Reach reach, const NearPlanes& near,
                   HaloPart part = HaloPart::all);

/// Adds all layers beyond a face normal to `axis`, on some of its columns.
void note_halo(RehearsedRun& run, const Storage& storage, int axis, const Box& columns);
/// Adds all layers beyond the faces of a slab normal to x and y, `times` times.
void note_around(RehearsedRun& run, const Storage& storage, const Box& slab, int times);

/// The reach that a storage must receive so that its boundary conditions can fill a halo fresh to `reach`.
Reach received_for(const Boundaries& boundaries, Reach reach);

/// The columns of a face that a boundary condition fills, as a box of first halo cells: the own ones and
/// `grow` more beside every neighbour (fewer if negative). It includes the physical halo of the axes before
/// the face's, without the outermost layers: cells `read` cells beside a column must be cells of the field.
Box face_columns(const Grid& grid, Face face, int grow, int read);

}  // namespace sc
