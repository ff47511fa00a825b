// SPDX-License-Identifier: Apache-2.0
// FarArray: an array in far memory, divided along its slowest axis into pieces of whole planes.
#pragma once

#include <string>

#include "engine/move/stream/far_memory.hpp"
#include "engine/move/stream/plane_cut.hpp"

namespace sc {

class FarArray {
 public:
  /// As in PlaneCut. Throws Error (bad_input) for more pieces than planes, or groups of planes.
  FarArray(FarMemory& memory, std::string name, int planes, std::size_t plane_bytes, int pieces,
           int together = 1);

  const std::string& name() const { return name_; }
  const PlaneCut& cut() const { return cut_; }
  int planes() const { return cut_.planes; }
  int pieces() const { return cut_.pieces; }
  std::size_t plane_bytes() const { return cut_.plane_bytes; }
  int first(int piece) const { return cut_.first(piece); }
  int most_planes() const { return cut_.most_planes(); }

  /// The smallest copy that contains a run; `lead` bytes of it precede the first plane.
  FarPart part(const PlaneRun& run, std::size_t& lead) const;

  /// Synchronous host access, piece by piece: planes [lo, hi) in memory without gaps. For initialisation and
  /// diagnostics; not during a stream.
  void store(int lo, int hi, const std::byte* from);
  void load(int lo, int hi, std::byte* to) const;
  std::int64_t stores() const { return stores_; }

 private:
  std::byte* reached() const { return memory_.reached(number_); }
  /// For an array that the host can access.
  template <class Use>
  void each_run(int lo, int hi, Use&& use) const;

  FarMemory& memory_;
  std::string name_;
  PlaneCut cut_;
  std::size_t stride_;  // bytes from one piece to the next
  int number_;
  std::int64_t stores_ = 0;
};

}  // namespace sc
