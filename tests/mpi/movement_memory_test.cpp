// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// After planning, movements allocate no memory: not in start, test, wait or settle.
#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <cstdlib>
#include <new>

#include "engine/move/exchange.hpp"
#include "engine/move/parcels/halo_parcels.hpp"
#include "engine/move/redistribute.hpp"
#include "engine/move/reduction.hpp"

namespace {
long allocations = 0;
}

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace sc {
namespace {

template <class Round>
long allocations_of(Round&& round) {
  for (int warm = 0; warm < 3; ++warm) round();
  const long before = allocations;
  for (int n = 0; n < 10; ++n) round();
  return allocations - before;
}

TEST(Memory, NothingIsAllocatedOncePlanned) {
  for (TransportPolicy policy :
       {TransportPolicy::automatic, TransportPolicy::mpi, TransportPolicy::delayed}) {
    Context context(MPI_COMM_WORLD, {.transport = policy, .delay = 0.0});
    const Grid grid(context, {.cells = {16, 16, 17}, .periodic = {true, true, true}, .halo = 2});
    const Grid few = grid.on(1);
    {
      Storage a(grid, "a", ElementType::f64, 3, grid.arena());
      Storage b(grid, "b", ElementType::f32, 1, grid.arena());
      Storage c(few, "c", ElementType::f32, 1, few.arena());
      Exchange direct(grid.context(),
                      halo_parcels(grid, {{&a, box(2)}, {&b, star(1)}}, {.piece_bytes = 1000}));
      Exchange staged(grid.context(),
                      halo_parcels(grid, {{&a, box(1)}, {&b, box(2)}}, {.corners = Corners::staged}));
      Redistribute move(b, c);
      Reduction reduction(context);
      const std::array<std::int64_t, 2> keys{1, 2};
      EXPECT_EQ(allocations_of([&] {
                  for (Exchange* exchange : {&direct, &staged}) {
                    a.settle();
                    b.settle();
                    exchange->start();
                    while (!exchange->test()) sched_yield();
                    exchange->wait();
                  }
                  move.start();
                  move.wait();
                  reduction.start(keys, keys);
                  reduction.wait();
                }),
                0);
    }
    context.close();
  }
}

}  // namespace
}  // namespace sc
