// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4 6
// optimise: no
// label: sanitize
// Transpose between pencils: every cell, chunk by chunk as it arrives, with uneven and empty blocks and
// excluded cells; bytes against a count cell by cell.
#include "engine/move/transpose.hpp"

#include <memory>

#include "engine/base/error.hpp"
#include "engine/move/waiting.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/on_transports.hpp"

namespace sc::test {
namespace {

struct Pencils {
  Int3 cells;
  int axis;
  Int3 split;
};

/// Pencils along x, y, z on a process grid of py x pz, as in a transform.
std::array<Pencils, 3> pencils(Int3 cells, int py, int pz) {
  return {Pencils{cells, 0, {1, py, pz}}, Pencils{cells, 1, {py, 1, pz}}, Pencils{cells, 2, {py, pz, 1}}};
}

class Transposing : public OnTransport {
 protected:
  Transposing() : OnTransport(1e-4) {}

  std::unique_ptr<Storage> storage(const Pencils& p, ElementType type) {
    const Grid grid(*context, {.cells = p.cells, .halo = 0, .split = p.split});
    auto made = std::make_unique<Storage>(grid, "pencils", type, 1, grid.arena());
    poison(*made);
    return made;
  }

  /// The global cells of `cells` have their codes; all others remain poisoned.
  static void expect_only(const Storage& s, Box local, Int3 cells, int salt) {
    std::vector<std::byte> want(size_of(s.type())), poisoned(want.size(), std::byte{0xff});
    int wrong = 0;
    each_cell(local, [&](Int3 c) {
      const Int3 g = c + s.grid().origin();
      const bool travels = Box{{}, cells}.contains(g);
      put(want.data(), s.type(), code_of(code_cells, g, 0, 1, salt));
      const std::byte* at = memory_begin(s) + byte_offset(s, c, 0);
      wrong += std::memcmp(at, (travels ? want : poisoned).data(), want.size()) != 0;
    });
    EXPECT_EQ(wrong, 0) << "of " << local.cells() << " cells, salt " << salt;
  }
  static void fill_with_codes(Storage& s, const Box& local, int salt) {
    each_cell(local, [&](Int3 c) {
      put(memory_begin(s) + byte_offset(s, c, 0), s.type(),
          code_of(code_cells, c + s.grid().origin(), 0, 1, salt));
    });
  }

  void rounds(const Pencils& a, const Pencils& b, ElementType type, TransposeOptions options) {
    auto from = storage(a, type), to = storage(b, type);
    Transpose move(*from, a.axis, *to, b.axis, options);
    const Int3 both = {std::min(a.cells.x, b.cells.x), std::min(a.cells.y, b.cells.y),
                       std::min(a.cells.z, b.cells.z)};
    std::int64_t filled = 0;
    for (int chunk = 0; chunk < move.leaving(); ++chunk) filled += move.leaving(chunk).cells();
    EXPECT_EQ(filled, from->grid().own().cells());
    for (int salt = 1; salt <= 3; ++salt) {
      from->settle();
      to->settle();
      poison(*to);
      int next = 0;  // arrivals are tested in order while chunks are still being sent
      const auto look = [&] {
        if (next == move.arriving() || !move.chunk_arrived(next)) return false;
        expect_only(*to, move.arriving(next++), both, salt);
        return true;
      };
      for (int chunk = 0; chunk < move.leaving(); ++chunk) {
        fill_with_codes(*from, move.leaving(chunk), salt);
        move.start_chunk(chunk);
        if (salt != 2) look();
      }
      wait_until(*context, [&] {
        look();
        return next == move.arriving();
      });
      move.wait();
      expect_only(*to, to->grid().own(), both, salt);
    }
    expect_bytes(move, *from, *to, both);
  }

  /// Every cell that changes its owner is sent once in a round, and no others.
  void expect_bytes(const Transpose& move, const Storage& from, const Storage& to, Int3 both) {
    std::int64_t leave = 0;
    const int me = context->rank();
    each_cell({{}, both}, [&](Int3 g) {
      leave += from.grid().box_of(me).contains(g) && !to.grid().box_of(me).contains(g);
    });
    EXPECT_EQ(move.bytes(), leave * static_cast<std::int64_t>(size_of(from.type())));
    std::int64_t sent = 0;
    for (Transport t : {Transport::shared, Transport::mpi, Transport::delayed}) sent += move.traffic(t).bytes;
    EXPECT_EQ(sent, 3 * move.bytes());
  }

  static constexpr Int3 code_cells{64, 64, 64};
};

TEST_P(Transposing, BetweenAllPencilsOfAnyProcessGrid) {
  const int ranks = context->size();
  for (int py = 1; py <= ranks; ++py) {
    if (ranks % py != 0) continue;
    for (Int3 cells : {Int3{9, 7, 11}, Int3{4, 2, 3}, Int3{1, 5, 1}}) {
      const auto all = pencils(cells, py, ranks / py);
      for (const Pencils& a : all)
        for (const Pencils& b : all) {
          if (a.axis == b.axis) continue;
          SCOPED_TRACE(to_string(a.split) + " to " + to_string(b.split) + ", cells " + to_string(cells));
          rounds(a, b, ElementType::c64, {.leaving = 3, .arriving = 4, .piece_bytes = {200, 300}});
          if (HasFailure()) return;
        }
    }
  }
}

TEST_P(Transposing, LeavesOutWhatOneSideLacks) {
  const int ranks = context->size();
  const auto x = pencils({10, 12, 9}, 1, ranks), z = pencils({10, 8, 9}, 1, ranks);
  for (ElementType type : {ElementType::c64, ElementType::c32, ElementType::f64}) {
    rounds(x[1], z[2], type, {});
    rounds(z[2], x[1], type, {.arriving = 5});
  }
}

// For even blocks of N^3: every rank keeps 1 / p of its cells, those at its own position in the other
// pencils.
TEST_P(Transposing, MovesTheShareThatTheFormulaSays) {
  const int ranks = context->size();
  const auto p = pencils({12, 12, 12}, 1, ranks);
  auto from = storage(p[1], ElementType::c64), to = storage(p[2], ElementType::c64);
  Transpose move(*from, 1, *to, 2);
  EXPECT_EQ(static_cast<double>(context->sum(static_cast<std::uint64_t>(move.bytes()))),
            12.0 * 12 * 12 * 16 * (ranks - 1) / ranks);
}

TEST_P(Transposing, PiecesStayUnderTheEagerLimit) {
  const auto p = pencils({40, 40, 40}, 1, context->size());
  auto from = storage(p[0], ElementType::c64), to = storage(p[2], ElementType::c64);
  Transpose move(*from, 0, *to, 2, {.leaving = 2});
  move.start();
  move.wait();
  const Traffic sent =
      move.traffic(GetParam() == TransportPolicy::delayed ? Transport::delayed : Transport::mpi);
  EXPECT_LE(sent.bytes, 60 * 1024 * sent.messages);
  if (GetParam() != TransportPolicy::automatic && context->size() > 1) {
    EXPECT_GT(sent.messages, 1);
  }
}

TEST_P(Transposing, RefusesCutLines) {
  if (context->size() < 2) return;
  const auto p = pencils({12, 12, 12}, 1, context->size());
  auto from = storage(p[0], ElementType::c64), to = storage(p[1], ElementType::c64);
  EXPECT_THROW(Transpose(*from, 2, *to, 1), Error);
  EXPECT_THROW(Transpose(*from, 3, *to, 1), Error);
}

INSTANTIATE_TEST_SUITE_P(Transports, Transposing, all_transports, policy_name);

}  // namespace
}  // namespace sc::test
