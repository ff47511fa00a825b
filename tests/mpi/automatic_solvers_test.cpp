// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 4
// threads: 2
// timeout: 240
// optimise: no
// The solvers under the automatic strategy: during all of its trials they give the bits of one rank under
// blocking.
#include <gtest/gtest.h>

#include "engine/move/output/gather.hpp"
#include "solvers/cavity/solver.hpp"
#include "solvers/magnetosphere/solver.hpp"
#include "solvers/turbulence/solver.hpp"
#include "tests/mpi/crystals.hpp"
#include "tests/mpi/test_context.hpp"

namespace sc::test {
namespace {

/// Eager and other strategies of the first round, and some of the second.
constexpr int steps = 20;

using Bytes = std::vector<std::byte>;
void add(Bytes& all, AnyField& field) {
  const Bytes part = gather(field.storage(0));
  all.insert(all.end(), part.begin(), part.end());
}

/// Compares `run` under automatic on all ranks with one rank under blocking.
template <class Run>
void expect_same_bits(const Run& run) {
  const Bytes expected = on_one_rank([&](Context& one) { return run(one, Strategy::blocking); });
  for (const int threads : {1, 2}) {
    TestContext context({.threads = threads});
    const Bytes got = run(context, Strategy::automatic);
    EXPECT_TRUE(context.rank() > 0 || got == expected) << threads << " threads";
    context.barrier();
  }
}

TEST(AutomaticSolvers, Cavity) {
  for (const cavity::Method method : {cavity::Method::jacobi, cavity::Method::multigrid})
    expect_same_bits([&](Context& context, Strategy strategy) {
      cavity::CavityOptions options;
      options.points = {19, 16, 17};
      options.faces[5] = {cavity::FaceKind::moving, {.velocity = {1, 0.25, 0}}};
      options.pressure.method = method;
      options.pressure.tolerance = method == cavity::Method::jacobi ? 5.0 : 1e-2;
      options.engine.strategy = strategy;
      cavity::Cavity solver(context, options);
      for (int n = 0; n < steps; ++n) solver.step();
      Bytes all;
      add(all, solver.velocity());
      add(all, solver.pressure());
      EXPECT_TRUE(strategy == Strategy::blocking || context.size() == 1 ||
                  solver.runner().choice()->trials().steps_tried() > 8);
      context.barrier();
      return all;
    });
}

TEST(AutomaticSolvers, Dendrite) {
  expect_same_bits([](Context& context, Strategy strategy) {
    dendrite::DendriteOptions options = two_crystals({19, 16, 17}, false, true, true);
    options.engine.strategy = strategy;
    const Outcome outcome = run(context, options, 2 * steps);
    Bytes all = outcome.phi;
    all.insert(all.end(), outcome.theta.begin(), outcome.theta.end());
    return all;
  });
}

TEST(AutomaticSolvers, Magnetosphere) {
  expect_same_bits([](Context& context, Strategy strategy) {
    magnetosphere::MagnetosphereOptions options;
    options.cells = {18, 9, 10};
    options.spacing = 1.0 / 9;
    options.faces.fill(magnetosphere::FaceKind::periodic);
    options.density_floor = options.pressure_floor = 1e-3;
    options.initial = magnetosphere::Initial::linear_wave;
    options.amplitude = 0.1;
    options.engine.strategy = strategy;
    auto solver = std::make_unique<magnetosphere::Magnetosphere>(context, options);
    for (int n = 0; n < 2 * steps; ++n) solver->step();
    Bytes all;
    for (AnyField* field : std::initializer_list<AnyField*>{&solver->nodes().rho, &solver->nodes().v,
                                                            &solver->nodes().p, &solver->nodes().B})
      add(all, *field);
    context.barrier();
    return all;
  });
}

TEST(AutomaticSolvers, Turbulence) {
  expect_same_bits([](Context& context, Strategy strategy) {
    turbulence::Turbulence flow(context, {.points = {20, 18, 16},
                                          .viscosity = 0.01,
                                          .dt = 0.02,
                                          .process_grid = {1, context.size()},
                                          .engine = {.strategy = strategy}});
    flow.start_taylor_green();
    for (int n = 0; n < steps; ++n) flow.step();
    return gather(flow.modes().storage(0));
  });
}

}  // namespace
}  // namespace sc::test
