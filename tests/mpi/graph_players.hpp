// SPDX-License-Identifier: Apache-2.0
// Exchanges of random size for exchange_graphs_test: halos, redistributions, entries, parcels of a row. Each
// writes its source cells and checks those that arrive.
#pragma once

#include <functional>
#include <random>

#include "engine/move/entry_exchange.hpp"
#include "engine/move/redistribute.hpp"
#include "engine/move/waiting.hpp"
#include "tests/mpi/halo_fields.hpp"

namespace sc::test {

using Random = std::mt19937;

inline int pick(Random& random, int lo, int hi) {
  return lo + static_cast<int>(random() % unsigned(hi - lo + 1));
}

/// The part of one exchange in a window.
struct Player {
  virtual ~Player() = default;
  /// Writes the source cells; returns the start calls, which may be called in any order.
  virtual std::vector<std::function<void()>> begin(int window) = 0;
  virtual void poke() = 0;
  virtual void end(int window) = 0;
};

inline std::vector<std::function<void()>> starts_of(Exchange& exchange) {
  std::vector<std::function<void()>> starts;
  for (int piece = 0; piece < exchange.pieces(); ++piece)
    starts.emplace_back([&exchange, piece] { exchange.start(piece); });
  return starts;
}

inline Grid random_grid(Context& context, Random& common) {
  const auto all = splits(context.size());
  const Int3 split = all[common() % all.size()];
  return {context,
          {.cells = {pick(common, 5, 9), pick(common, 5, 9), pick(common, 5, 9)},
           .periodic = {common() % 2 == 0, common() % 2 == 0, common() % 2 == 0},
           .halo = 1,
           .split = split}};
}

struct Halos final : Player {
  Halos(Context& context, Random& common)
      : fields(random_grid(context, common),
               {{ElementType::f64, pick(common, 1, 2), box(1)}, {ElementType::f32, 1, star(1)}},
               {.corners = common() % 2 ? Corners::staged : Corners::direct,
                .piece_bytes = common() % 2 ? std::size_t{200} : std::size_t{60000},
                .near_piece_bytes = common() % 2 ? std::size_t{300} : std::size_t{60000}}),
        repeats(common() % 2 == 0) {}
  std::vector<std::function<void()>> begin(int window) override {
    if (!repeats || window % 2 == 1) fields.fill_all(filled = window);
    return starts_of(*fields.exchange);
  }
  void poke() override { fields.exchange->test(); }
  void end(int /*window*/) override {
    fields.exchange->wait();
    fields.expect(filled);
  }
  Fields fields;
  bool repeats;  // a round with unchanged cells, for which no rank has waited until they were read
  int filled = 0;
};

struct Moves final : Player {
  Moves(Context& context, Random& common) {
    const auto all = splits(context.size());
    const Int3 cells{pick(common, 5, 9), pick(common, 5, 9), pick(common, 5, 9)};
    const auto made = [&](const char* name) {
      const Grid grid(context, {.cells = cells, .halo = 1, .split = all[common() % all.size()]});
      return std::make_unique<Storage>(grid, name, ElementType::f64, 1, grid.arena());
    };
    from = made("from");
    to = made("to");
    poison(*to);
    movement = std::make_unique<Redistribute>(*from, *to, 300);
  }
  std::vector<std::function<void()>> begin(int window) override {
    from->settle();
    fill(*from, window);
    return starts_of(*movement);
  }
  void poke() override { movement->test(); }
  void end(int window) override {
    movement->wait();
    EXPECT_TRUE(exchanged(*to, point, window));
  }
  std::unique_ptr<Storage> from, to;
  std::unique_ptr<Redistribute> movement;
};

struct Entries final : Player {
  static constexpr int own = 30;
  Entries(Context& context, Random& common) : ranks(context.size()), rank(context.rank()) {
    // [receiver][sender]: the same on all ranks
    std::vector<EntryLists> wanted(static_cast<std::size_t>(ranks),
                                   EntryLists(static_cast<std::size_t>(ranks)));
    for (EntryLists& lists : wanted)
      for (std::vector<int>& list : lists)
        for (int n = pick(common, 0, 12); n > 0; --n) list.push_back(pick(common, 0, own - 1));
    arrivals = wanted[static_cast<std::size_t>(rank)];
    EntryLists departures;
    for (const EntryLists& lists : wanted) departures.push_back(lists[static_cast<std::size_t>(rank)]);
    int come = 0;
    for (const auto& list : arrivals) come += static_cast<int>(list.size());
    const Grid from_grid = vector_grid(context, own), to_grid = vector_grid(context, come);
    from = std::make_unique<Storage>(from_grid, "from", ElementType::f64, 1, from_grid.arena());
    to = std::make_unique<Storage>(to_grid, "to", ElementType::f64, 1, to_grid.arena());
    order = receive_order(context);
    movement = std::make_unique<EntryExchange>(*from, *to, departures, arrivals, 40);
  }
  static double value(int owner, int entry, int window) { return owner * 1000 + entry + 1e6 * window; }
  std::vector<std::function<void()>> begin(int window) override {
    from->settle();
    for (int i = 0; i < own; ++i) reinterpret_cast<double*>(from->base())[i] = value(rank, i, window);
    return starts_of(*movement);
  }
  void poke() override { movement->test(); }
  void end(int window) override {
    for (int piece = 0; piece < movement->pieces(); piece += 2)
      wait_for_peers(from->grid().context(), [&] {
        movement->test();
        return movement->arrived(piece);
      });
    movement->wait();
    const auto* got = reinterpret_cast<const double*>(to->base());
    int wrong = 0;
    for (const int owner : order)
      for (const int entry : arrivals[static_cast<std::size_t>(owner)])
        wrong += *got++ != value(owner, entry, window);
    EXPECT_EQ(wrong, 0) << "entries";
  }
  int ranks, rank;
  EntryLists arrivals;
  std::vector<int> order;
  std::unique_ptr<Storage> from, to;
  std::unique_ptr<EntryExchange> movement;
};

/// Parcels of a row of doubles, sent separately, some of them partly: the next one may be sent before the
/// previous one has been received.
struct Pieces final : Player {
  struct Known {
    int from, to, number, source, sink, count;
  };
  Pieces(Context& the_context, Random& common) : context(the_context), seed(unsigned(common())) {
    std::vector<int> out(static_cast<std::size_t>(context.size())), in = out;
    for (int a = 0; a < context.size(); ++a)
      for (int b = 0; b < context.size(); ++b)
        for (int n = 0, all = pick(common, 0, 2); n < all; ++n) {
          const int count = pick(common, 1, 40);
          known.push_back({a, b, n, out[std::size_t(a)], in[std::size_t(b)], count});
          out[std::size_t(a)] += count;
          in[std::size_t(b)] += count;
        }
    const auto rank = std::size_t(context.rank());
    cells.assign(std::size_t(out[rank] + in[rank]), -1);
    const int begin = out[rank];  // beginning of the cells to receive
    Parcels parcels;
    parcels.routes.emplace_back(CellMemory{reinterpret_cast<std::byte*>(cells.data()), 0, 0, 0}, 1, 8);
    for (const Known& k : known) {
      Parcel parcel;
      parcel.group = 1 + k.number;
      parcel.in_place = false;
      parcel.order = k.number;
      parcel.bytes = 8 * std::size_t(k.count);
      // Each end knows only its own cells.
      parcel.parts.push_back({0, run(k.source, k.count), run(begin + k.sink, k.count)});
      if (k.from == context.rank()) {
        parcel.peer = k.to;
        leaving.push_back(k);
        parcels.departures.push_back(parcel);
      }
      if (k.to == context.rank()) {
        parcel.peer = k.from;
        arriving.push_back(k);
        arriving.back().sink += begin;
        parcels.arrivals.push_back(parcel);
      }
    }
    exchange = std::make_unique<Exchange>(context, std::move(parcels));
  }
  static Box run(int first, int count) { return {{first, 0, 0}, {first + count, 1, 1}}; }
  static double value(const Known& k, int i, int window) {
    return k.from + 10 * k.to + 100 * k.number + 1000 * i + 1e6 * window;
  }
  /// Number of a parcel's cells that are sent in a window; in most windows all.
  int travel(const Known& k, int window) const {
    Random random(seed + unsigned(k.from + 10 * k.to + 100 * k.number + 1000 * window));
    return random() % 3 ? k.count : pick(random, 1, k.count);
  }
  std::vector<Part> part(const Known& k, const Parcel& parcel, int window) const {
    Part some = parcel.parts[0];
    some.source.hi.x = some.source.lo.x + travel(k, window);
    some.sink.hi.x = some.sink.lo.x + travel(k, window);
    return {some};
  }
  std::vector<std::function<void()>> begin(int window) override {
    std::vector<std::function<void()>> starts;
    for (std::size_t n = 0; n < leaving.size(); ++n)
      starts.emplace_back([this, window, n] {
        const Known& k = leaving[n];
        for (int i = 0; i < k.count; ++i) cells[std::size_t(k.source + i)] = value(k, i, window);
        const auto parts = part(k, exchange->departures()[n].parcel, window);
        exchange->isend(int(n), travel(k, window) < k.count ? &parts : nullptr);
      });
    for (std::size_t n = 0; n < arriving.size(); ++n)
      starts.emplace_back([this, window, n] {
        const auto parts = part(arriving[n], exchange->arrivals()[n].parcel, window);
        exchange->irecv(int(n), travel(arriving[n], window) < arriving[n].count ? &parts : nullptr);
      });
    return starts;
  }
  void poke() override { exchange->progress(); }
  void end(int window) override {
    const auto until = [&](const std::function<bool()>& done) {
      const bool in_time = wait_until(
          context,
          [&] {
            exchange->progress();
            return done();
          },
          context.options().timeout_seconds);
      if (!in_time) throw Error(Exit::failure, "pieces stand still");
    };
    for (std::size_t n = 0; n < leaving.size(); ++n) {
      until([&] { return exchange->sent(int(n)); });
      for (int i = 0; i < leaving[n].count; ++i) cells[std::size_t(leaving[n].source + i)] = -2;
    }
    int wrong = 0;
    for (std::size_t n = 0; n < arriving.size(); ++n) {
      until([&] { return exchange->received(int(n)); });
      for (int i = 0; i < travel(arriving[n], window); ++i)
        wrong += cells[std::size_t(arriving[n].sink + i)] != value(arriving[n], i, window);
    }
    EXPECT_EQ(wrong, 0) << "cells of pieces";
  }
  Context& context;
  unsigned seed;
  std::vector<Known> known, leaving, arriving;
  std::vector<double> cells;
  std::unique_ptr<Exchange> exchange;
};

}  // namespace sc::test
