// SPDX-License-Identifier: Apache-2.0
// A kernel that reads so many cells away as its argument says, and declares one.
#include <cstdlib>

#include "engine/subcurrent.hpp"

struct Above {
  int far;
  SC_FN void operator()(sc::At c, sc::Out<double> out, sc::In<double> u) const { out[c] = u[c.z(far)]; }
};

int main(int, char** argv) {
  sc::Context context(MPI_COMM_WORLD);
  sc::Grid grid(context, {.cells = {8, 8, 8}, .periodic = {true, true, true}, .halo = 2});
  sc::Field<double> u(grid, "u"), out(grid, "out");
  u.fill([](int, int, int z) { return double(z); });
  sc::Sweep above("above", Above{std::atoi(argv[1])}, sc::writes(out.now()), sc::reads(u.now(), sc::star(1)));
  sc::Runner runner(context, {});
  runner.run(above);
  const bool right = std::atoi(argv[1]) != 1 || out.get({3, 3, 7}) == 0;
  context.close();
  return right ? 0 : 1;
}
