// SPDX-License-Identifier: Apache-2.0
// A kernel as nvcc writes it in PTX, with every name found.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/ptx_card/block.hpp"

namespace sc::ptx {

/// Rows of every kernel that hold where a thread is: %tid, %ntid, %ctaid, %nctaid, each along x, y and z.
enum PlaceRow { tid = 0, ntid = 3, ctaid = 6, nctaid = 9, place_rows = 12 };

struct Kernel {
  std::string name;
  struct Parameter {
    std::size_t offset, bytes;
  };
  std::vector<Parameter> parameters;
  std::size_t parameter_bytes = 0, shared_bytes = 0, local_bytes = 0;
  int most_threads = 1024;  // of a block, by .maxntid
  int rows = place_rows;
  std::map<std::uint64_t, int> constants;  // value → its row
  std::vector<Instruction> code;
};

/// Reads the kernel `name` out of a module's text, which has to outlive it; throws Fault for what it does not
/// know.
Kernel read_kernel(std::string_view text, std::string_view name);

/// What carries out the instruction of this name, such as "add.rn.f64"; throws Fault for one that is not
/// known.
Handler handler_of(const std::string& opcode);

struct Extent {
  unsigned x = 1, y = 1, z = 1;
};
/// Runs a whole grid, block after block, in a task that has begun. Throws Fault.
void launch(const Kernel& kernel, Extent blocks, Extent threads, std::vector<std::byte> parameters,
            Memory& memory);

}  // namespace sc::ptx
