// SPDX-License-Identifier: Apache-2.0
// FarArray: an array in far memory, cut along its slowest axis into pieces of whole planes. Pieces begin
// where far memory can begin a copy, so that planes may be of any size.
#pragma once

#include <string>
#include <vector>

#include "engine/move/stream/far_memory.hpp"

namespace sc {

/// Planes that lie one behind the other in one piece.
struct PlaneRun {
  int piece = 0;
  int lo = 0, hi = 0;
};

class FarArray {
 public:
  /// Throws Error (bad_input) for more pieces than planes.
  FarArray(FarMemory& memory, std::string name, int planes, std::size_t plane_bytes, int pieces);

  const std::string& name() const { return name_; }
  int planes() const { return planes_; }
  int pieces() const { return pieces_; }
  std::size_t plane_bytes() const { return plane_bytes_; }
  /// First plane of a piece; of piece `pieces()` the number of planes.
  int first(int piece) const { return static_cast<int>(std::int64_t{planes_} * piece / pieces_); }
  int most_planes() const { return (planes_ + pieces_ - 1) / pieces_; }
  /// Of a whole piece, as far memory copies it.
  std::size_t padded_bytes(int piece) const;
  std::size_t most_bytes() const { return stride_; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(stride_) * pieces_; }

  /// Whichever of planes [lo, hi) lie there, as runs of one piece each.
  std::vector<PlaneRun> runs(int lo, int hi) const;
  /// The smallest copy that holds a run; `lead` bytes of it come before the first plane.
  FarPart part(const PlaneRun& run, std::size_t& lead) const;

  /// Host access, piece by piece and at once: planes [lo, hi) in memory without gaps. For filling and
  /// looking; not while a stream is running.
  void store(int lo, int hi, const std::byte* from);
  void load(int lo, int hi, std::byte* to) const;
  std::int64_t stores() const { return stores_; }

 private:
  std::byte* reached() const { return memory_.reached(number_); }
  /// Of an array that the host reaches.
  template <class Use>
  void each_run(int lo, int hi, Use&& use) const;

  FarMemory& memory_;
  std::string name_;
  int planes_;
  std::size_t plane_bytes_;
  int pieces_;
  std::size_t stride_;
  int number_;
  std::int64_t stores_ = 0;
};

}  // namespace sc
