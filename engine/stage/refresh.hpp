// SPDX-License-Identifier: Apache-2.0
// Refresh: brings the halos of a set of storages up to date: messages from the neighbours, then the boundary
// conditions, then the mark "fresh". A movement itself, so strategies can put it under computation.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/base/timeline.hpp"
#include "engine/field/field.hpp"
#include "engine/move/halo_exchange.hpp"

namespace sc {

struct Wanted {
  Storage* storage;
  const Boundaries* boundaries;
  Reach reach;
  Lattice lattice = {};  ///< only the cells of this colour are stale
};

class Refresh final : public Movement {
 public:
  /// Collective. Storages of several grids may be mixed; those of one grid share their messages.
  /// `own` is a movement of a stage's own that belongs to the same round.
  Refresh(std::vector<Wanted> wanted, HaloOptions options, Timeline& timeline, PieceMovement* own = nullptr);
  ~Refresh() override;

  using Movement::start;
  int pieces() const override { return static_cast<int>(pieces_.size()); }
  void start(int piece) override;
  Box source(int piece) const override;
  Box sink(int piece) const override;
  bool test() override;
  /// Until the messages are there; the boundary conditions are left to wait().
  void arrive();
  /// The same of what comes from other ranks: pieces to this rank itself may be started later.
  void arrive_from_others();
  bool test_others();
  /// Whether pieces to this rank itself are in its halo as soon as they are started.
  bool copies_at_once() const;
  bool to_self(int piece) const;
  void wait() override;
  void finish() override { wait(); }
  std::int64_t bytes() const override;

  /// Fills the physical halo beside the own cells, which all hold their values; wait() then only adds what
  /// lies beside a neighbour's. Lets a core be computed while the messages travel.
  void fill_beside_own();
  /// For a stage that overwrites what it reads: wait() also waits until no neighbour reads the old values.
  void settle_on_wait(bool settle) { settle_on_wait_ = settle; }
  /// How often it came to its end.
  std::int64_t rounds() const { return rounds_; }
  /// Names the stage whose time the movements are booked on.
  void book_on(std::uint16_t name) { name_ = name; }
  /// Who takes the arrivals of the stage's own movement, in the order of their numbers.
  void absorb_with(std::function<void(int piece)> absorb) { absorb_ = std::move(absorb); }
  bool idle() const { return !under_way_; }
  /// What really went out, over all rounds.
  Traffic traffic(Transport transport) const;

 private:
  struct Piece {
    Movement* exchange;
    int number;
  };
  void begin();
  void absorb_arrivals();
  bool nothing() const { return wanted_.empty() && !own_; }
  void apply_boundaries(bool beside_own, bool beside_neighbours);
  void join_lanes() const;

  std::vector<Wanted> wanted_;
  std::vector<std::unique_ptr<HaloExchange>> exchanges_;
  std::shared_ptr<PieceMovement> own_;
  std::function<void(int)> absorb_;
  std::vector<Piece> pieces_;
  Timeline& timeline_;
  std::uint16_t name_ = 0;
  std::int64_t rounds_ = 0;
  bool under_way_ = false;
  bool arrived_ = false;  // in the round under way
  bool settle_on_wait_ = false;
  bool filled_beside_own_ = false;
};

/// What a storage must receive so that its boundary conditions can fill a halo fresh to `reach`.
Reach received_for(const Boundaries& boundaries, Reach reach);

/// The columns of a face that a boundary condition fills, as a box of first halo cells: the own ones and
/// `grow` more beside every neighbour (fewer if negative), with the physical halo of the axes before the
/// face's but for the outermost layers: what lies `read` cells beside a column is a cell of the field.
Box face_columns(const Grid& grid, Face face, int grow, int read);

/// a without b, as at most six boxes: z slabs first, then y, then x.
std::vector<Box> subtract(const Box& a, const Box& b);

}  // namespace sc
