// SPDX-License-Identifier: Apache-2.0
// ranks: 1
// Critical paths of the plans of a stencil and of a transform on two ranks, against sums by hand.
#include "model/predict/critical_path.hpp"

#include <gtest/gtest.h>

#include "spectral/fft.hpp"
#include "tests/mpi/predict_sweeps.hpp"

namespace sc::test {
namespace {

using model::critical_path;
using model::Measured;
using spectral::FFT;
using spectral::FftOptions;

/// One of two ranks along z, which send a plane to each other on both sides.
Rehearsal stencil(const Strategy& strategy, int sweeps) {
  return rehearsed({0, 2, 1}, [&](Context& context, const auto& note) {
    const Grid grid(context, {.cells = cells, .periodic = {true, true, true}, .halo = 1, .split = {1, 1, 2}});
    sweep_over(context, grid, strategy, sweeps, note);
  });
}

double of_stencil(const Strategy& strategy, const Measured& measured, int sweeps = 1) {
  return critical_path(stencil(strategy, sweeps), strategy, measured);
}

// The shell is two planes, each of which is a piece.
TEST(CriticalPathOfAStencil, WithLongMessages) {
  const Measured measured{.stages = {{"mean", {.shell = 2, .core = 3}}}, .messages = 8};
  EXPECT_DOUBLE_EQ(of_stencil(Strategy::boundary_first, measured), 2 + 8);  // both planes, then the pieces
  EXPECT_DOUBLE_EQ(of_stencil(Strategy::pipelined, measured), 1 + 8);       // one plane, then the pieces
  EXPECT_DOUBLE_EQ(of_stencil(Strategy::interior_first, measured), 8 + 2);  // the pieces, then both planes
}

TEST(CriticalPathOfAStencil, WithALongCore) {
  const Measured measured{.stages = {{"mean", {.shell = 2, .core = 20}}}, .messages = 8};
  for (const Strategy* s : {&Strategy::boundary_first, &Strategy::pipelined, &Strategy::interior_first})
    EXPECT_DOUBLE_EQ(of_stencil(*s, measured), 22) << s->name;
}

TEST(CriticalPathOfAStencil, WithoutOverlapIsASum) {
  const Measured measured{.stages = {{"mean", {.core = 5}}}, .messages = 8};
  EXPECT_DOUBLE_EQ(of_stencil(Strategy::blocking, measured), 13);
}

TEST(CriticalPathOfAStencil, RunsFollowEachOther) {
  const Measured measured{.stages = {{"mean", {.shell = 2, .core = 3}}}, .messages = 8};
  EXPECT_DOUBLE_EQ(of_stencil(Strategy::pipelined, measured, 4), 1 + 8);
}

TEST(CriticalPathOfAStencil, WhatBelongsToNoRunIsOverlapped) {
  const Measured measured{.stages = {{"other", {.core = 30}}, {"mean", {.shell = 2, .core = 3}}},
                          .messages = 8};
  EXPECT_DOUBLE_EQ(of_stencil(Strategy::pipelined, measured), 35);
}

Rehearsal transform(const Strategy& strategy) {
  return rehearsed({0, 2, 1}, [&](Context& context, const auto& note) {
    FFT<double> fft(context,
                    {.cells = {16, 16, 16}, .process_grid = {1, 2}, .chunks = 4, .strategy = strategy});
    Field<std::complex<double>> modes(fft.mode_grid(), "modes");
    Field<double> u(fft.real_grid(), "u");
    note([&] { fft.backward(modes.now(), u.now()); });
  });
}

// Four slabs of lines along z, then four of planes, each of which needs a piece of every slab of lines.
double of_transform(const Strategy& strategy, double messages) {
  const Measured measured{.stages = {{"fft z", {.core = 4}}, {"fft y", {.core = 8}}, {"fft x", {.core = 12}}},
                          .messages = messages};
  return critical_path(transform(strategy), strategy, measured);
}

// What comes before the first piece, a slab of lines, and after the last one, one of planes, is not hidden.
TEST(CriticalPathOfATransform, WithLongMessages) {
  EXPECT_NEAR(of_transform(Strategy::pipelined, 40), 1 + 40 + 5, 1e-9);
  EXPECT_NEAR(of_transform(Strategy::boundary_first, 24), 1 + 24 + 5, 1e-9);
}

TEST(CriticalPathOfATransform, WithShortMessages) {
  EXPECT_NEAR(of_transform(Strategy::pipelined, 2), 24, 1e-9);
}

}  // namespace
}  // namespace sc::test
