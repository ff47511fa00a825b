// SPDX-License-Identifier: Apache-2.0
// Bundles of lines that are copied: of every array no cell beyond its own reach is touched, and copies there
// and back lose nothing, whatever the number of cells and lines.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "engine/exec/for_each_line.hpp"

namespace sc::test {
namespace {

constexpr int width = 10, planes = 4, reach = 3;

struct AddAround {
  void operator()(const Bundle& b, LineOut<double> q, LineIn<double> f) const {
    for (int n = 0; n < b.count; ++n) b.each([&](int l) { q(n, l) += f(n - reach, l) + f(n + reach, l); });
  }
};

/// q lies between pages that must not be touched, first at the end of the memory there, then at its begin.
TEST(LineCopies, TakeNoHaloThatIsNotDeclared) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* pages =
      static_cast<std::byte*>(mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void*>(pages), MAP_FAILED);
  ASSERT_EQ(mprotect(pages + page, page, PROT_READ | PROT_WRITE), 0);
  constexpr std::size_t cells = width * planes;
  std::vector<double> f(width * (planes + 2 * reach));
  for (std::size_t n = 0; n < f.size(); ++n) f[n] = double(n);
  const Layout layout{.sy = width, .sz = width, .origin = 0, .elements = static_cast<std::ptrdiff_t>(cells)};
  const LineGeometry g({{0, 0, 0}, {width, 1, planes}}, 2, reach, 1024, layout, {0, 0, 0});
  std::vector<std::vector<std::byte>> memory(1, std::vector<std::byte>(1 << 20));
  for (std::byte* at : {pages + 2 * page - cells * sizeof(double), pages + page}) {
    auto* q = reinterpret_cast<double*>(at);
    for (std::size_t n = 0; n < cells; ++n) q[n] = 1;
    for_each_line(g, 1, 0, memory, AddAround{}, LineArray<double, 1, true, true>{{q, 0}, 0},
                  LineArray<double, 1, true, false>{{f.data() + width * reach, 0}, reach});
    for (int z = 0; z < planes; ++z)
      for (int x = 0; x < width; ++x)
        EXPECT_EQ(q[z * width + x], 1 + (z * width + x) + ((z + 2 * reach) * width + x));
  }
  munmap(pages, 3 * page);
}

/// q = f of the next cell, of the component that it reads.
struct Next {
  template <class T>
  void operator()(const Bundle& b, LineOut<T> q, LineIn<T, 2> f) const {
    const auto read = f[1];
    for (int n = 0; n < b.count; ++n) b.each([&](int l) { q(n, l) = read(n + 1, l); });
  }
};

template <class T>
void shift(int cells, int lines, int layers) {
  const std::ptrdiff_t sy = cells + 5, sz = sy * lines, all = sz * layers;
  const Layout layout{.sy = sy, .sz = sz, .origin = 2, .elements = all};
  const LineGeometry g({{0, 0, 0}, {cells, lines, layers}}, 0, 2, 64, layout, {0, 0, 0});
  std::vector<T> f(std::size_t(2 * all)), q(std::size_t(all), T(-1));
  for (std::size_t n = 0; n < f.size(); ++n) f[n] = T(n);
  std::vector<std::vector<std::byte>> memory(1, std::vector<std::byte>(1 << 20));
  LineArray<T, 2, true, false> from{{f.data() + layout.origin, all}, 2};
  from.read = 2;
  for_each_line(g, 1, 0, memory, Next{}, LineArray<T, 1, false, true>{{q.data() + layout.origin, 0}, 0},
                from);
  for (std::ptrdiff_t n = 0; n < all; ++n) {
    const bool own = n % sy >= layout.origin && n % sy < layout.origin + cells;
    ASSERT_EQ(q[std::size_t(n)], own ? T(all + n + 1) : T(-1))
        << n << " of " << cells << " x " << lines << " x " << layers;
  }
}

TEST(LineCopies, LoseNothing) {
  for (const int cells : {3, 4, 8, 13, 16, 31, 32})
    for (const int lines : {1, 3, 4, 6, 16, 19, 35})
      for (const int layers : {1, 2}) {
        shift<double>(cells, lines, layers);
        shift<float>(cells, lines, layers);
      }
}

}  // namespace
}  // namespace sc::test
