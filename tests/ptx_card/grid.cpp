// SPDX-License-Identifier: Apache-2.0
// How a grid runs: block after block, and in a block always the threads that are least far, which brings
// those that a branch parted together again, and lets nobody pass a barrier alone.
#include <algorithm>
#include <limits>

#include "tests/ptx_card/kernel.hpp"

namespace sc::ptx {

namespace {

constexpr int ended = std::numeric_limits<int>::max();

class Runner {
 public:
  Runner(const Kernel& kernel, Block& block)
      : kernel_(kernel), block_(block), at_(std::size_t(block.threads)), waits_(at_.size()) {}

  void run() {
    std::fill(at_.begin(), at_.end(), 0);
    std::fill(waits_.begin(), waits_.end(), char(0));
    while (choose_least_far() || pass_barrier()) go_on();
  }

 private:
  /// Makes those threads active that are at the least instruction of all that do not wait.
  bool choose_least_far() {
    now_ = next_ = ended;
    for (std::size_t t = 0; t < at_.size(); ++t)
      if (!waits_[t]) now_ = std::min(now_, at_[t]);
    block_.active.clear();
    if (now_ == ended) return false;
    for (std::size_t t = 0; t < at_.size(); ++t) {
      if (waits_[t]) continue;
      if (at_[t] == now_)
        block_.active.push_back(int(t));
      else
        next_ = std::min(next_, at_[t]);
    }
    return true;
  }
  bool pass_barrier() {
    if (std::find(waits_.begin(), waits_.end(), char(1)) == waits_.end()) return false;
    std::fill(waits_.begin(), waits_.end(), char(0));
    block_.ordered = block_.memory->next_point();
    return choose_least_far();
  }
  void park(const std::vector<int>& threads, int at, bool waits = false) {
    for (const int t : threads) {
      at_[std::size_t(t)] = at;
      waits_[std::size_t(t)] = waits;
    }
  }

  /// With the active threads, until they part or come to where others are.
  void go_on() {
    while (true) {
      const Instruction& i = kernel_.code[std::size_t(now_)];
      const bool all = divide(i);
      if (i.flow == Flow::next) {
        carry_out(i, all);
        ++now_;
      } else if (all && i.flow == Flow::branch) {
        now_ = i.target;
      } else {
        leave(i);
        return;
      }
      if (now_ >= next_) break;
    }
    park(block_.active, now_);
  }
  /// Those whose guard holds come into taken_, the others into left_; true where no thread is left.
  bool divide(const Instruction& i) {
    if (i.guard < 0) return true;
    const std::uint64_t* const predicate = block_.row(i.guard);
    taken_.clear();
    left_.clear();
    for (const int t : block_.active)
      (get<bool>(predicate, t) == i.guard_holds ? taken_ : left_).push_back(t);
    return left_.empty();
  }
  void carry_out(const Instruction& i, bool all) {
    try {
      if (all) {
        i.handler(i, block_);
      } else if (!taken_.empty()) {
        block_.active.swap(taken_);
        i.handler(i, block_);
        block_.active.swap(taken_);
      }
    } catch (const Fault& fault) {
      throw Fault(std::string(fault.what()) + "; in \"" + std::string(i.written) + "\" of " + kernel_.name +
                  ", block " + std::to_string(block_.number));
    }
  }
  /// A branch that not all take, a barrier, an end.
  void leave(const Instruction& i) {
    if (i.guard < 0) {
      taken_ = block_.active;
      left_.clear();
    }
    park(left_, now_ + 1);
    if (i.flow == Flow::branch) park(taken_, i.target);
    if (i.flow == Flow::barrier) park(taken_, now_ + 1, true);
    if (i.flow == Flow::end) park(taken_, ended);
  }

  const Kernel& kernel_;
  Block& block_;
  std::vector<int> at_;  // the instruction of each thread
  std::vector<char> waits_;
  std::vector<int> taken_, left_;
  int now_ = 0, next_ = ended;
};

void fill_row(Block& block, int row, std::uint64_t value) {
  std::fill_n(block.row(row), block.threads, value);
}

}  // namespace

void launch(const Kernel& kernel, Extent blocks, Extent threads, std::vector<std::byte> parameters,
            Memory& memory) {
  Block block;
  block.threads = int(threads.x * threads.y * threads.z);
  block.rows.resize(std::size_t(kernel.rows) * std::size_t(block.threads));
  block.parameters = std::move(parameters);
  block.local_bytes = kernel.local_bytes;
  block.local.resize(kernel.local_bytes * std::size_t(block.threads));
  block.memory = &memory;
  block.last.resize(kernel.code.size());
  std::vector<std::byte> shared(kernel.shared_bytes);
  block.shared = {shared.data(), shared.size(), Touches(shared.size()), StreamTouches()};

  for (const auto& [value, row] : kernel.constants) fill_row(block, row, value);
  const unsigned of_block[] = {threads.x, threads.y, threads.z}, of_grid[] = {blocks.x, blocks.y, blocks.z};
  for (int a = 0; a < 3; ++a) {
    fill_row(block, ntid + a, of_block[a]);
    fill_row(block, nctaid + a, of_grid[a]);
  }
  for (unsigned t = 0; t < unsigned(block.threads); ++t) {
    block.row(tid)[t] = t % threads.x;
    block.row(tid + 1)[t] = t / threads.x % threads.y;
    block.row(tid + 2)[t] = t / threads.x / threads.y;
  }

  Runner runner(kernel, block);
  for (unsigned z = 0; z < blocks.z; ++z)
    for (unsigned y = 0; y < blocks.y; ++y)
      for (unsigned x = 0; x < blocks.x; ++x) {
        fill_row(block, ctaid, x);
        fill_row(block, ctaid + 1, y);
        fill_row(block, ctaid + 2, z);
        std::fill(shared.begin(), shared.end(), std::byte{0xa5});  // as much as nothing was written there
        block.ordered = memory.next_point();
        runner.run();
        ++block.number;
      }
}

}  // namespace sc::ptx
