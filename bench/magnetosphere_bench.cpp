// SPDX-License-Identifier: Apache-2.0
// The two stages of the magnetosphere's step against a copy loop of as many bytes (each declared array
// counted once), and against their own speed on a grid that stays in the cache.
//   magnetosphere_bench [cells an axis] [--trial]
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "bench/arguments.hpp"
#include "bench/copy_loop.hpp"
#include "bench/measure.hpp"
#include "solvers/magnetosphere/solver.hpp"

namespace {

using namespace sc;
using namespace sc::magnetosphere;

struct Variant {
  const char* name;
  bool planet, diffusive;
};

MagnetosphereOptions options_of(const Variant& variant, int n) {
  MagnetosphereOptions o;
  o.cells = {n, n, n};
  o.spacing = 60.0 / n;
  o.dt = 1e-3;
  o.wind = {.rho = 5e-4, .v = {0.044, 0, 0}, .p = 3.56e-8, .B = {0, 0, 1.5e-4}};
  if (variant.diffusive)
    o.diffusion = {.density = 2e-3, .pressure = 2e-3, .viscosity = 1e-6, .resistivity = 1e-3};
  if (variant.planet) {
    o.initial = Initial::planet;
    o.planet = PlanetOptions{};
    o.low = {-30, 0, 0};
    o.faces = {FaceKind::wind, FaceKind::free,    FaceKind::mirror,
               FaceKind::free, FaceKind::equator, FaceKind::free};
  } else {
    o.faces.fill(FaceKind::periodic);
  }
  return o;
}

struct Bed {
  Bed(Context& context, const Variant& variant, int n)
      : solver(std::make_unique<Magnetosphere>(context, options_of(variant, n))) {
    steps(bench::until_rows_chosen);
  }
  void steps(int count) {
    for (int k = 0; k < count; ++k) solver->step();
  }
  std::unique_ptr<Magnetosphere> solver;
};

/// Leap-frog steps only, seven in each of `cycles` runs; the Lax-Wendroff steps between them are not timed.
bench::Way leaps(const char* name, Bed& bed) {
  return {.name = name, .run = [&bed] { bed.steps(7); }, .before = [&bed] { bed.steps(1); }};
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int n = arguments.number(1, "cells", 128, 24, 16);
  const int rounds = arguments.trial() ? 1 : 7, rounds_in_cache = arguments.trial() ? 2 : 300;
  const int cached = 16;
  constexpr double enough_of_copy = 0.35, enough_of_cache = 0.6;
  Context context(MPI_COMM_WORLD);
  // CPU seconds of one thread, which exclude the time of other programs.
  for (const Variant& variant :
       {Variant{"ideal", false, false}, Variant{"diffusive", false, true}, Variant{"planet", true, true}}) {
    bench::Copy copy(std::size_t(n) * std::size_t(n) * std::size_t(n) * 12, 1);
    Bed large(context, variant, n), small(context, variant, cached);
    std::vector<bench::Way> ways{{.name = "copy", .run = [&] { copy.run(); }}, leaps("large", large)};
    bench::take_turns(context, ways, rounds, 1);
    std::vector<bench::Way> in_cache{leaps("in cache", small)};
    bench::take_turns(context, in_cache, rounds_in_cache, 20);
    const auto per_cell = [](Bed& bed, const bench::Way& way) {
      return bench::median(way.busy) / 14 / double(bed.solver->grid().own().cells()) * 1e9;
    };
    const auto& counts = large.solver->runner().counts();
    const double bytes = counts.at("second").bytes / counts.at("second").cells;
    const double flops = counts.at("second").flops / counts.at("second").cells;
    const double rate = 1e-9 * copy.bytes() / bench::median(ways[0].busy);
    const double ns = per_cell(large, ways[1]), cached_ns = per_cell(small, in_cache[0]);
    std::printf(
        "%s, %d^3: copy %.1f GB/s; a stage %.0f B a cell, %.2f ns (%.1f GB/s, %.1f GFLOP/s); %d^3 %.2f "
        "ns\n",
        variant.name, n, rate, bytes, ns, bytes / ns, flops / ns, cached, cached_ns);
    const std::string name = std::string("MHD stage, ") + variant.name;
    const double of_copy = bytes / rate / ns, of_cache = cached_ns / ns;
    std::printf("%s\n", of_cache >= enough_of_cache
                            ? "  limited by its arithmetic: beside memory it is hardly slower than in cache"
                            : "  limited by memory: in cache it is much faster");
    bench::report(name + ", speed / copy loop", of_copy, "0.35, or 0.6 in the next row");
    bench::report(name + ", speed / speed in cache", of_cache, "0.6, or 0.35 in the row before");
    bench::report(name + ", the better of the two / its goal",
                  std::max(of_copy / enough_of_copy, of_cache / enough_of_cache), "goal >= 1");
  }
  context.close();
}
