// SPDX-License-Identifier: Apache-2.0
// pipelined: the shell face by face, each piece sent as soon as all of its cells are computed.
#include "engine/overlap/strategy.hpp"

namespace sc {

void pipelined(Work& w) {
  w.inputs().wait();
  Refresh& out = w.outputs();
  std::vector<bool> started(static_cast<std::size_t>(out.pieces()));
  const auto& shell = w.shell();
  for (std::size_t done = 0; done < shell.size(); ++done) {
    w.compute(shell[done]);
    for (int piece = 0; piece < out.pieces(); ++piece) {
      if (started[static_cast<std::size_t>(piece)]) continue;
      bool computed = intersect(out.source(piece), w.core()).empty();
      for (std::size_t later = done + 1; later < shell.size(); ++later)
        computed = computed && intersect(out.source(piece), shell[later]).empty();
      if (!computed) continue;
      started[static_cast<std::size_t>(piece)] = true;
      w.start(out, piece);
    }
  }
  for (int piece = 0; piece < out.pieces(); ++piece)
    if (!started[static_cast<std::size_t>(piece)])
      w.start(out, piece);  // a rank that sends nothing it computes here
  w.compute(w.core(), out);
  out.wait();
}

}  // namespace sc
