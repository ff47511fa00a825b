// SPDX-License-Identifier: Apache-2.0
// Bundles of lines that are copied: of every array no cell beyond its own reach is touched.
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

}  // namespace
}  // namespace sc::test
