// SPDX-License-Identifier: Apache-2.0
// Registration on all ranks: compares what must be equal, and distributes what may differ.
#include <algorithm>
#include <cstring>
#include <limits>
#include <sstream>

#include "api/c/decomposition.hpp"
#include "api/c/registration.hpp"
#include "engine/base/index.hpp"
#include "engine/base/vote.hpp"

namespace sc::halo {

namespace {

void put(std::vector<std::string>& lines, const std::string& name, double value) {
  std::ostringstream text;
  text.precision(17);
  text << name << " is " << value;
  lines.push_back(text.str());
}

/// All values that must be equal on all ranks, one line each.
std::vector<std::string> common(const Registration& r) {
  std::vector<std::string> lines;
  const halo_options& o = r.options;
  put(lines, "the number of arrays", static_cast<double>(r.arrays.size()));
  put(lines, "options.dims", o.dims);
  put(lines, "options.outstanding", o.outstanding);
  put(lines, "options.transport", o.transport);
  put(lines, "options.piece_bytes", static_cast<double>(o.piece_bytes));
  for (int a = 0; a < o.dims; ++a) {
    put(lines, "options.processes[" + std::to_string(a) + "]", o.processes[a]);
    put(lines, "options.periodic[" + std::to_string(a) + "]", o.periodic[a] != 0);
  }
  for (std::size_t n = 0; n < r.arrays.size(); ++n) {
    const halo_array& a = r.arrays[n];
    const std::string array = "array " + std::to_string(n) + ": ";
    put(lines, array + "type", a.type);
    put(lines, array + "dims", a.dims);
    put(lines, array + "order", a.order);
    put(lines, array + "the presence of next", a.next != nullptr);
    for (int i = 0; i < a.dims; ++i) {
      const std::string dim = name_of(static_cast<int>(n), i) + ": ";
      put(lines, dim + "split", a.split[i]);
      put(lines, dim + "low", a.low[i]);
      put(lines, dim + "high", a.high[i]);
      if (a.split[i] == 0) put(lines, dim + "cells", static_cast<double>(a.cells[i]));
    }
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string first_difference(const std::vector<std::string>& mine, const std::string& theirs, int rank) {
  std::istringstream in(theirs);
  std::string line;
  for (std::size_t i = 0; std::getline(in, line); ++i) {
    const std::string own = i < mine.size() ? mine[i] : "missing";
    if (own != line) return "on rank " + std::to_string(rank) + " " + own + ", on rank 0 " + line;
  }
  return {};
}

Ints4 ints_from(const std::string& bytes) {
  Ints4 ints{};
  std::memcpy(ints.data(), bytes.data(), sizeof ints);
  return ints;
}

bool divides_so(const Decomposition& d, const std::vector<std::string>& parts, const Registration& r) {
  if (d.dims != r.processes.dims) return false;
  for (int a = 0; a < d.dims; ++a)
    if (r.options.processes[a] != 0 && r.options.processes[a] != d.counts[at(a)]) return false;
  const ProcessGrid grid{.dims = d.dims, .counts = d.counts};
  if (grid.size() != static_cast<int>(parts.size())) return false;
  for (int rank = 0; rank < grid.size(); ++rank)
    for (int a = 0; a < d.dims; ++a)
      if (ints_from(parts[at(rank)])[at(a)] != d.own(a, grid.coords_of(rank)[at(a)])) return false;
  return true;
}

/// On rank 0: the process grid of the latest halo_decompose that gave these blocks; without one, that of `r`.
Ints4 counts_for(const std::vector<std::string>& parts, const Registration& r, MPI_Comm comm) {
  for (const Decomposition& d : decompositions_of(comm))
    if (divides_so(d, parts, r)) return d.counts;
  return r.processes.counts;
}

/// On rank 0, from the own cells of all ranks: fills the table of blocks, or returns what is wrong with them.
std::string blocks_from(const std::vector<std::string>& parts, Registration& r) {
  r.blocks.assign(at(r.processes.dims), {});
  for (int a = 0; a < r.processes.dims; ++a) r.blocks[at(a)].assign(at(r.processes.counts[at(a)]), 0);
  for (int rank = 0; rank < static_cast<int>(parts.size()); ++rank) {
    const Ints4 own = ints_from(parts[at(rank)]);
    const Ints4 coords = r.processes.coords_of(rank);
    for (int a = 0; a < r.processes.dims; ++a) {
      int& block = r.blocks[at(a)][at(coords[at(a)])];
      if (block != 0 && block != own[at(a)])
        return "rank " + std::to_string(rank) + " has " + std::to_string(own[at(a)]) +
               " own cells along process dimension " + std::to_string(a + 1) +
               ", another rank of coordinate " + std::to_string(coords[at(a)]) + " there has " +
               std::to_string(block);
      block = own[at(a)];
      const int width = std::max(r.low[at(a)], r.high[at(a)]);
      if (own[at(a)] < width && (r.processes.counts[at(a)] > 1 || r.processes.periodic[at(a)]))
        return "rank " + std::to_string(rank) + " has " + std::to_string(own[at(a)]) +
               " own cells along process dimension " + std::to_string(a + 1) + ", fewer than the halo of " +
               std::to_string(width) + " that its neighbour needs";
    }
  }
  return {};
}

}  // namespace

double meet(MPI_Comm comm, double timeout, const std::string& call) {
  constexpr double for_ever = std::numeric_limits<double>::infinity();
  const auto longest = largest_within(comm, timeout < 0 ? for_ever : timeout, timeout_seconds(timeout));
  if (longest) return *longest < for_ever ? *longest : -1;
  throw Failure(HALO_ERR_TIMEOUT, "other ranks have not come to " + call + " within " +
                                      std::to_string(timeout) + " s; its communicator is given up");
}

void agree_on(Context& context, Registration& r) {
  const std::vector<std::string> mine = common(r);
  std::string theirs = joined(mine);
  context.broadcast(theirs);
  context.agree(Exit::bad_input, first_difference(mine, theirs, context.rank()));
  const std::vector<std::string> parts =
      context.gather(std::string(reinterpret_cast<const char*>(r.own.data()), sizeof r.own));
  std::string wrong;
  Ints4& counts = r.processes.counts;
  if (context.rank() == 0) {
    counts = counts_for(parts, r, context.comm());
    wrong = blocks_from(parts, r);
  }
  context.agree(Exit::bad_input, wrong);
  std::string chosen(reinterpret_cast<const char*>(counts.data()), sizeof counts);
  context.broadcast(chosen);
  counts = ints_from(chosen);
  r.blocks.resize(at(r.processes.dims));
  for (int a = 0; a < r.processes.dims; ++a) {
    auto& blocks = r.blocks[at(a)];
    std::string bytes(reinterpret_cast<const char*>(blocks.data()), blocks.size() * sizeof(int));
    context.broadcast(bytes);
    blocks.resize(bytes.size() / sizeof(int));
    std::memcpy(blocks.data(), bytes.data(), bytes.size());
  }
}

}  // namespace sc::halo
