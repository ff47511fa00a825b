// SPDX-License-Identifier: Apache-2.0
// Redistribute: the own cells of one decomposition into the own cells of another one of the same global
// cells, for example onto fewer ranks for a coarse grid and back.
#pragma once

#include <memory>
#include <string>

#include "engine/move/movement.hpp"
#include "engine/move/transport.hpp"

namespace sc {

class Carrier;

class Redistribute final : public Movement {
 public:
  /// Collective. Throws Error (bad_input) when the global cells, the element type or the number of components
  /// differ.
  Redistribute(Storage& from, Storage& to, std::size_t piece_bytes = std::size_t{60} * 1024);
  ~Redistribute() override;

  int pieces() const override;
  void start(int piece) override;
  using Movement::start;
  /// Own cells of `from` that leave, and own cells of `to` that arrive, in the local coordinates of each.
  Box source(int piece) const override;
  Box sink(int piece) const override;
  bool test() override;
  void wait() override;
  void finish() override;
  std::int64_t bytes() const override;

  std::string describe() const;
  Traffic traffic(Transport transport) const;

 private:
  void prepare();

  Storage& to_;
  std::unique_ptr<Carrier> carrier_;
};

}  // namespace sc
