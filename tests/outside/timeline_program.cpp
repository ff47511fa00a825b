// SPDX-License-Identifier: Apache-2.0
// Runs stages with awkward names and prints the timeline of all ranks as one JSON array.
#include <cstdio>
#include <string>

#include "engine/subcurrent.hpp"

using namespace sc;

struct Next {
  SC_FN void operator()(At c, Out<double> out, In<double> u) const { out[c] = u[c.z(1)]; }
};

int main() {
  Context context(MPI_COMM_WORLD);
  const Grid grid(context, {.cells = {8, 8, 16}, .periodic = {true, true, true}, .halo = 1});
  Field<double> u(grid, "u"), out(grid, "out");
  Runner runner(context, {.strategy = Strategy::blocking});
  for (const std::string& name :
       {std::string("say \"halo\""), std::string("back\\slash"), std::string("two\nlines\tand a tab"),
        std::string("Überströmung"), std::string(400, 'x')}) {
    Sweep next(name, Next{}, writes(out.now()), reads(u.now(), star(1)));
    runner.run(next);
  }
  const std::string mine = context.timeline().perfetto_events();
  if (context.rank() != 0) {
    MPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, 0, 7, MPI_COMM_WORLD);
  } else {
    std::printf("[%s", mine.c_str());
    for (int rank = 1; rank < context.size(); ++rank) {
      MPI_Status status;
      int size = 0;
      MPI_Probe(rank, 7, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_CHAR, &size);
      std::string theirs(static_cast<std::size_t>(size), ' ');
      MPI_Recv(theirs.data(), size, MPI_CHAR, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      std::printf(",\n%s", theirs.c_str());
    }
    std::printf("]\n");
  }
  context.close();
}
