// SPDX-License-Identifier: Apache-2.0
// Redistribute: the overlaps of two decompositions, handed to a Carrier.
#include "engine/move/redistribute.hpp"

#include <array>

#include "engine/base/error.hpp"
#include "engine/move/carrier.hpp"

namespace sc {

namespace {

constexpr std::size_t largest_piece = std::size_t{1} << 30;  // MPI counts are int

void check_pair(const Storage& from, const Storage& to) {
  const std::string what = "\"" + from.name() + "\" cannot be redistributed to \"" + to.name() + "\": ";
  if (&from == &to) refuse(what + "they are the same");
  if (&from.grid().context() != &to.grid().context()) refuse(what + "their grids are of different contexts");
  if (!(from.grid().cells() == to.grid().cells()))
    refuse(what + "the grids have " + to_string(from.grid().cells()) + " and " +
           to_string(to.grid().cells()) + " cells");
  if (from.type() != to.type() || from.components() != to.components())
    refuse(what + "the element types or the numbers of components differ");
}

/// Cells of `giver`'s box in `from` that lie in `taker`'s box in `to`.
std::vector<Region> overlap(const Grid& from, int giver, const Grid& to, int taker, int peer) {
  const Box mine = from.box_of(giver);
  const Box theirs = to.box_of(taker);
  const Box both = intersect(mine, theirs);
  if (both.empty()) return {};
  const Int3 zero;
  return {{.peer = peer,
           .source = both.shifted(zero - mine.lo),
           .sink = both.shifted(zero - theirs.lo),
           .face = {}}};
}

}  // namespace

Redistribute::Redistribute(Storage& from, Storage& to, std::size_t piece_bytes) : to_(to) {
  check_pair(from, to);
  Context& context = from.grid().context();
  const int rank = context.rank();
  std::array<std::vector<Region>, 1> arrivals, departures;
  for (int peer = 0; peer < context.size(); ++peer) {
    for (const Region& region : overlap(from.grid(), peer, to.grid(), rank, peer))
      arrivals[0].push_back(region);
    for (const Region& region : overlap(from.grid(), rank, to.grid(), peer, peer))
      departures[0].push_back(region);
  }
  const std::array<std::size_t, 1> cell_bytes{static_cast<std::size_t>(from.components()) *
                                              from.cell_bytes()};
  piece_bytes = std::min(piece_bytes, largest_piece);
  carrier_ = std::make_unique<Carrier>(context, *this, std::vector<Route>{{from, to}},
                                       make_parcels(departures, cell_bytes, piece_bytes),
                                       make_parcels(arrivals, cell_bytes, piece_bytes));
}

Redistribute::~Redistribute() = default;

/// Arrivals overwrite own cells of `to`: whoever still reads the old ones comes first.
void Redistribute::prepare() {
  if (carrier_->under_way()) return;
  to_.settle();
  to_.set_fresh(point);
}

int Redistribute::pieces() const { return carrier_->pieces(); }
void Redistribute::start(int piece) {
  prepare();
  carrier_->start(piece);
}
Box Redistribute::source(int piece) const { return carrier_->source(piece); }
Box Redistribute::sink(int piece) const { return carrier_->sink(piece); }
bool Redistribute::test() { return carrier_->test(); }
void Redistribute::wait() {
  prepare();
  carrier_->wait();
}
void Redistribute::finish() { carrier_->finish(); }
std::int64_t Redistribute::bytes() const { return carrier_->bytes(); }
std::string Redistribute::describe() const { return carrier_->describe(); }
Traffic Redistribute::traffic(Transport transport) const { return carrier_->traffic(transport); }

}  // namespace sc
