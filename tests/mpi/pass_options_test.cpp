// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2
// threads: 2
// optimise: no
// The options of passes mean what they say, or are refused in one sentence: finds_length alone tries passes
// of up to 16 steps, solvers without passes refuse both options, and `automatic` compares strategies for the
// runs outside of passes.
#include <gtest/gtest.h>

#include "solvers/cavity/solver.hpp"
#include "solvers/compressible/solver.hpp"
#include "solvers/dendrite/options.hpp"
#include "solvers/magnetosphere/options.hpp"
#include "solvers/turbulence/solver.hpp"
#include "solvers/wave/wave.hpp"
#include "tests/mpi/kernels.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/mpi/whole_field.hpp"
#include "tests/refusal.hpp"

namespace sc::test {
namespace {

/// The field after so many steps, on rank 0, and the runner's word.
struct Ran {
  std::vector<double> values;
  Runner::Passes passes;
  int most;
};
Ran ran(Context& context, const RunnerOptions& options, int steps) {
  const Grid grid(context, {.cells = {32, 32, 36}, .halo = 16, .split = {1, 1, context.size()}});
  Field<double> q(grid, "q", {.levels = 2});
  for (const Face face : all_faces) boundary(q, face, Mirrored<double>{});
  q.fill([](int x, int y, int z) { return std::sin(0.7 * x + 0.2 * y * z); });
  Sweep smooth("smooth", Diffuse{}, writes(q.next()), reads(q.now(), star(1)));
  Runner runner(context, options);
  runner.steps(steps, [&](int) {
    runner.begin_step();
    runner.run(smooth);
    q.advance();
  });
  Ran result{on_root(q), runner.passes(), runner.steps_per_pass()};
  context.barrier();
  return result;
}

TEST(PassOptions, FindsLengthAloneTriesUpTo16Steps) {
  TestContext context;
  const Ran found = ran(context, {.strategy = Strategy::blocking, .finds_length = true}, 300);
  EXPECT_EQ(found.most, 16);
  EXPECT_GT(found.passes.passes, 0) << "none was tried";
  EXPECT_NE(found.passes.found.find("passes of 2 took"), std::string::npos) << found.passes.found;
  EXPECT_TRUE(same_bits(found.values, ran(context, {.strategy = Strategy::blocking}, 300).values));
}

TEST(PassOptions, OfATileThatPassesWouldNotHaveAreRefused) {
  TestContext context;
  const auto said = [&](const RunnerOptions& options) { return refusal([&] { Runner(context, options); }); };
  EXPECT_EQ(said({.steps_per_pass = 2, .pass_tile = {0, 5, 3}}), "accepted");
  EXPECT_EQ(said({.finds_length = true, .pass_tile = {0, 5, 0}}), "accepted");
  EXPECT_EQ(said({.steps_per_pass = 2, .pass_tile = {5, 3}}),
            "pass_tile is [5, 3, 0]; the first number must be 0, because tiles are not cut along x");
  EXPECT_EQ(said({.steps_per_pass = 2, .pass_tile = {0, 5, -3}}),
            "pass_tile is [0, 5, -3]; rows and planes must be at least 0");
  EXPECT_EQ(said({.pass_tile = {0, 5, 3}}),
            "pass_tile is [0, 5, 3], but steps_per_pass is 1: a single step has no tiles");
}

template <class Options>
std::string said_of(Options options, int steps, bool finds) {
  options.engine.steps_per_pass = steps;
  options.engine.finds_length = finds;
  return refusal([&] { check(options); });
}

/// Both options, each in one sentence with the reason.
template <class Options>
void expect_single_steps(const std::string& why) {
  EXPECT_EQ(said_of(Options{}, 1, false), "accepted");
  EXPECT_EQ(said_of(Options{}, 8, false), "engine.steps_per_pass is 8; it must be 1 here, because " + why);
  EXPECT_EQ(said_of(Options{}, 1, true),
            "engine.finds_length is true; it must be false here, because " + why);
}

TEST(PassOptions, AreRefusedWhereASolverHasNoPasses) {
  expect_single_steps<turbulence::TurbulenceOptions>("its Fourier transforms need whole grid lines");
  expect_single_steps<compressible::CompressibleOptions>("its compact derivatives need whole grid lines");
  expect_single_steps<cavity::CavityOptions>(
      "passes of the cavity consist of relaxation sweeps: pressure.sweeps_per_pass");
}

TEST(PassOptions, OfASolverNameTheLongestPassForItsHalos) {
  const std::string sentence =
      "engine.finds_length is true, but engine.steps_per_pass is 1; it must be the length of the longest "
      "pass "
      "to try, for which halos are made";
  EXPECT_EQ(said_of(wave::WaveOptions{}, 1, true), sentence);
  EXPECT_EQ(said_of(wave::WaveOptions{}, 8, true), "accepted");
  dendrite::DendriteOptions crystal;
  crystal.seeds.emplace_back();
  EXPECT_EQ(said_of(crystal, 1, true), sentence);
  EXPECT_EQ(said_of(crystal, 1, false), "accepted");
  EXPECT_EQ(said_of(magnetosphere::MagnetosphereOptions{}, 1, true), sentence);
}

/// With sweeps of the pressure in passes, the stages of momentum run by themselves.
TEST(PassOptions, LeaveAutomaticItsChoiceOutsideOfPasses) {
  const auto pressure_of = [](Context& context, Strategy strategy, int sweeps, std::size_t& kinds) {
    cavity::CavityOptions options;
    options.points = {19, 16, 17};
    options.faces[5] = {cavity::FaceKind::moving, {.velocity = {1, 0.25, 0}}};
    options.pressure.method = cavity::Method::jacobi;
    options.pressure.fixed_iterations = 6;
    options.pressure.sweeps_per_pass = sweeps;
    options.engine.strategy = strategy;
    cavity::Cavity solver(context, options);
    for (int n = 0; n < 20; ++n) solver.step();
    const Choice* choice = solver.runner().choice();
    kinds = choice ? choice->chosen().size() : 0;
    EXPECT_TRUE(!choice || context.size() == 1 || choice->trials().steps_tried() > 8);
    const std::vector<std::byte> values = gather(solver.pressure().storage(0));
    context.barrier();
    return values;
  };
  TestContext context({.threads = 2});
  std::size_t kinds = 0;
  const auto expected = pressure_of(context, Strategy::blocking, 1, kinds);
  EXPECT_EQ(pressure_of(context, Strategy::automatic, 3, kinds), expected);
  EXPECT_EQ(kinds > 0, context.size() > 1);
}

}  // namespace
}  // namespace sc::test
