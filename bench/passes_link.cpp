// SPDX-License-Identifier: Apache-2.0
// Passes of several steps with the field in host memory beside an emulated device: the heat equation (7
// points, double) between walls on one rank, T steps in a pass, once with a link as fast as memory and once
// with one that copies so many MB a second in each direction. The lower bound of a step is then max(the step
// with the fast link, bytes / rate). gpu_bench measures the dendrite on a card.
//   passes_link [turns] [cells] [MB/s] [--trial]
#include <map>

#include "bench/slab_turns.hpp"
#include "engine/base/run_main.hpp"
#include "engine/exec/emulated_device.hpp"

namespace {

using namespace sc;

struct Row {
  int pieces;
  double seconds, in, out;  ///< seconds and bytes of a step
};
using Rows = std::map<int, Row>;  // by steps a pass

/// Of a field on the device with 0 as the key, then of fields in host memory.
Rows measure(Context& context, int cells, int turns, const std::vector<int>& lengths) {
  const Grid grid(context, {.cells = {cells, cells, cells}, .halo = 1});
  std::vector<std::unique_ptr<bench::SlabTurns>> beds;
  std::vector<bench::Way> ways;
  const auto add = [&](const std::string& name, Space space, std::shared_ptr<SlabPlace> place, int length) {
    bench::SlabTurns& bed = *beds.emplace_back(
        std::make_unique<bench::SlabTurns>(context, grid, space, std::move(place), length));
    ways.push_back({name, [&bed] { bed.turn(); }});
  };
  add("device", Space::device, nullptr, 1);
  for (const int length : lengths)
    add(std::to_string(length), Space::host,
        in_host_memory_of(context.device(), bench::pieces_of(cells, length)), length);
  bench::take_turns(context, ways, turns, 1);
  Rows rows;
  for (std::size_t k = 0; k < ways.size(); ++k) {
    const bench::SlabTurns& bed = *beds[k];
    rows[k == 0 ? 0 : bed.length()] = {bench::pieces_of(cells, bed.length()),
                                       bench::median(ways[k]) / bed.steps(), bed.in(), bed.out()};
  }
  return rows;
}

void print(const Rows& fast, const Rows& slow, double rate) {
  std::printf(
      "| steps a pass | pieces | MB a step to the device | back | ms a step | at %g MB/s | / bound |\n",
      1e-6 * rate);
  std::printf("|---|---:|---:|---:|---:|---:|---:|\n");
  for (const auto& [length, row] : fast) {
    if (length == 0)
      std::printf("| field on the device, 1 | – | – | – | %.4g |", 1e3 * row.seconds);
    else
      std::printf("| %d | %d | %.4g | %.4g | %.4g |", length, row.pieces, 1e-6 * row.in, 1e-6 * row.out,
                  1e3 * row.seconds);
    if (length == 0) {
      std::printf(" – | – |\n");
      continue;
    }
    const Row& held = slow.at(length);
    const double bound = std::max(row.seconds, std::max(held.in, held.out) / rate);
    std::printf(" %.4g | %.4g |\n", 1e3 * held.seconds, held.seconds / bound);
  }
  for (const auto& [length, row] : slow)
    if (length > 1)
      bench::report("heat beside a device, " + std::to_string(length) + " a pass, one by one / it",
                    slow.at(1).seconds / row.seconds, "no goal");
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const int turns = arguments.number(1, "turns", 3, 1), cells = arguments.number(2, "cells", 128, 24);
  const double rate = 1e6 * arguments.number(3, "MB/s", 200, 1000);
  return run_main(argc, argv, [&](Context& context, const sc::Arguments&) {
    const std::vector<int> lengths = arguments.trial() ? std::vector{1, 2} : std::vector{1, 2, 4, 8, 16};
    std::printf("heat %d^3 double in host memory beside an emulated device\n", cells);
    const auto with_link = [&](double bytes_per_second) {  // pages are not guarded, which would take time
      context.set_device(std::make_shared<EmulatedDevice>(
          EmulatedOptions{.host_reaches_memory = true, .link_bytes_per_second = bytes_per_second}));
      return measure(context, cells, turns, lengths);
    };
    const Rows fast = with_link(0);
    print(fast, with_link(rate), rate);
  });
}
