// SPDX-License-Identifier: Apache-2.0
// An iteration of conjugate gradients for a user's matrix, against PETSc's KSPCG on the same rows: Laplacians
// larger than the caches, without a preconditioner and with the diagonal. KSPCG uses its cheapest norm
// (natural, without a reduction of its own). Built if PETSc is installed (Debian: libpetsc-real-dev).
//   mpirun -n 2 ksp_bench [turns] [iterations] [--trial]
#include <petscksp.h>

#include <cmath>

#include "bench/arguments.hpp"
#include "bench/laplacian.hpp"
#include "bench/measure.hpp"
#include "solvers/cg/solver.hpp"

namespace {

using namespace sc;
using namespace sc::cg;

void must(PetscErrorCode code) {
  if (code != 0) throw std::runtime_error("PETSc has failed");
}

class Petsc {
 public:
  Petsc(MPI_Comm comm, const LocalRows& rows, bool jacobi, int iterations)
      : begin_(rows.begin.begin(), rows.begin.end()), column_(rows.column.begin(), rows.column.end()) {
    const auto own = static_cast<PetscInt>(rows.begin.size() - 1);
    must(MatCreateMPIAIJWithArrays(comm, own, own, PETSC_DETERMINE, PETSC_DETERMINE, begin_.data(),
                                   column_.data(), rows.value.data(), &A_));
    must(MatCreateVecs(A_, &x_, &b_));
    must(VecSet(b_, 1));
    must(KSPCreate(comm, &ksp_));
    must(KSPSetOperators(ksp_, A_, A_));
    must(KSPSetType(ksp_, KSPCG));
    must(KSPSetNormType(ksp_, KSP_NORM_NATURAL));
    PC pc = nullptr;
    must(KSPGetPC(ksp_, &pc));
    must(PCSetType(pc, jacobi ? PCJACOBI : PCNONE));
    must(KSPSetTolerances(ksp_, 1e-300, 1e-300, PETSC_DEFAULT, iterations));
    must(KSPSetUp(ksp_));
  }
  Petsc(const Petsc&) = delete;
  Petsc& operator=(const Petsc&) = delete;
  ~Petsc() {
    KSPDestroy(&ksp_);
    VecDestroy(&x_);
    VecDestroy(&b_);
    MatDestroy(&A_);
  }
  int solve() {
    must(KSPSolve(ksp_, b_, x_));
    PetscInt made = 0;
    must(KSPGetIterationNumber(ksp_, &made));
    return static_cast<int>(made);
  }
  double size_of_x() {
    double norm = 0;
    must(VecNorm(x_, NORM_2, &norm));
    return norm;
  }

 private:
  std::vector<PetscInt> begin_, column_;
  Mat A_ = nullptr;
  Vec x_ = nullptr, b_ = nullptr;
  KSP ksp_ = nullptr;
};

void compare(Context& context, int n, int dimensions, bool jacobi, int iterations, int turns) {
  const auto rows_of_all = static_cast<std::size_t>(bench::power(n, dimensions));
  const std::vector<std::int64_t> weight(rows_of_all, 2 * dimensions + 1);
  const Partition partition(Division::row, weight, context.size());
  const auto [first, last] = partition.rows(context.rank());
  const LocalRows rows = bench::laplacian(n, dimensions, first, last);
  Solver solver(context, partition, rows,
                {.preconditioner = {jacobi ? Preconditioning::jacobi : Preconditioning::none},
                 .tolerance = 1e-300,
                 .iterations = iterations});
  const std::vector<double> b(static_cast<std::size_t>(last - first), 1);
  Petsc petsc(context.comm(), rows, jacobi, iterations);
  int made = 0, theirs = 0;
  std::vector<bench::Way> ways{{"ours", [&] { made = solver.solve(b).iterations(); }},
                               {"KSPCG", [&] { theirs = petsc.solve(); }}};
  bench::take_turns(context, ways, turns);
  double size = 0;
  for (const double x : solver.own()) size += x * x;
  MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_DOUBLE, MPI_SUM, context.comm());
  const double apart = std::abs(std::sqrt(size) / petsc.size_of_x() - 1);
  if (context.rank() != 0) return;
  const std::string what = std::to_string(n) + "^" + std::to_string(dimensions) + ", " +
                           (jacobi ? "jacobi" : "none") + ", " + std::to_string(context.size()) +
                           (context.size() > 1 ? " ranks" : " rank");
  std::printf("%s: %d iterations in %.3f s, KSPCG's %d in %.3f s; |x| apart by %.1e\n", what.c_str(), made,
              bench::median(ways[0]), theirs, bench::median(ways[1]), apart);
  bench::report("speed of an iteration over KSPCG's, Laplacian " + what, bench::ratio(ways[1], ways[0]),
                "goal >= 1");
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 5, 1);
  const int iterations = arguments.number(2, "iterations", 100, 5);
  const int side = arguments.trial() ? 90 : 1000, edge = arguments.trial() ? 20 : 100;
  PetscInitialize(&argc, &argv, nullptr, nullptr);
  {
    Context context(PETSC_COMM_WORLD);
    for (const bool jacobi : {false, true}) {
      compare(context, side, 2, jacobi, iterations, turns);
      compare(context, edge, 3, jacobi, iterations, turns);
    }
    context.close();
  }
  PetscFinalize();
}
