// SPDX-License-Identifier: Apache-2.0
// Context: start-up, node discovery, agreement on errors, collective shutdown.
#include "engine/base/context.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <utility>

#include "engine/base/arena.hpp"
#include "engine/base/error.hpp"
#include "engine/base/mpi_check.hpp"
#include "engine/base/vote.hpp"

namespace sc {

namespace mpi {

void check(int code, std::source_location where) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(Exit::failure, std::string("MPI: ") + text.data() + " (" + where.file_name() + ":" +
                                 std::to_string(where.line()) + ")");
}

}  // namespace mpi

Context::Context(MPI_Comm comm, ContextOptions options) : options_(options) {
  accounts_.sampling = options.sampling;
  if (options_.threads < 1)
    refuse("threads is " + std::to_string(options_.threads) + "; at least 1 is needed");
  if (!(options_.rate >= 0))
    refuse("rate is " + std::to_string(options_.rate) + " bytes per second; at least 0 is needed");
  int initialized = 0;
  mpi::check(MPI_Initialized(&initialized));
  if (!initialized) {
    int provided = MPI_THREAD_SINGLE;
    mpi::check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
    started_mpi_ = true;
  }
  mpi::check(MPI_Comm_dup(comm, &comm_));
  mpi::check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  mpi::check(MPI_Comm_rank(comm_, &rank_));
  mpi::check(MPI_Comm_size(comm_, &size_));
  timeline_.set_rank(rank_);
  int* last_tag = nullptr;
  int found = 0;
  mpi::check(MPI_Comm_get_attr(comm_, MPI_TAG_UB, &last_tag, &found));
  if (found) last_tag_ = *last_tag;
  find_node();
  if (options_.rehearsed) play(*options_.rehearsed);
}

/// A rehearsed rank: MPI collectives still run over the single real rank; rank, size and node layout are
/// those of `part`.
void Context::play(const Rehearsed& part) {
  if (size_ != 1)
    refuse("a rehearsal is played by one rank, and this communicator has " + std::to_string(size_));
  if (part.size < 1 || part.rank < 0 || part.rank >= part.size || part.ranks_per_node < 1)
    refuse(
        "rank " + std::to_string(part.rank) + " of " + std::to_string(part.size) + ", " +
        std::to_string(part.ranks_per_node) +
        " a node, cannot be rehearsed; a rank is from 0 to their number less 1, and a node has at least 1");
  accounts_.sampling = {.first = 0, .every = 0};  // samples of copies depend on a clock
  rank_ = part.rank;
  size_ = part.size;
  timeline_.set_rank(rank_);
  const int node = rank_ / part.ranks_per_node;
  node_rank_of_.assign(static_cast<std::size_t>(size_), -1);
  for (int r = 0; r < size_; ++r)
    if (r / part.ranks_per_node == node) node_rank_of_[static_cast<std::size_t>(r)] = r % part.ranks_per_node;
  ranks_of_node_ = std::min(part.ranks_per_node, size_);
  shared_memory_ = part.ranks_per_node > 1;
}

std::chrono::steady_clock::time_point Context::leaves(std::size_t bytes) {
  using Clock = std::chrono::steady_clock;
  const auto now = Clock::now();
  if (options_.rate == 0) return now;
  const std::chrono::duration<double> sending(static_cast<double>(bytes) / options_.rate);
  return last_leaves_ = std::max(now, last_leaves_) + std::chrono::duration_cast<Clock::duration>(sending);
}

bool Context::spare_core() const {
  return std::thread::hardware_concurrency() >=
         static_cast<unsigned>(ranks_of_node_ * (options_.threads + 1));
}

void Context::find_node() {
  mpi::check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node_comm_));
  mpi::check(MPI_Comm_set_errhandler(node_comm_, MPI_ERRORS_RETURN));
  std::vector<int> ranks(static_cast<std::size_t>(size_));
  std::iota(ranks.begin(), ranks.end(), 0);
  node_rank_of_.assign(ranks.size(), -1);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group node = MPI_GROUP_NULL;
  mpi::check(MPI_Comm_group(comm_, &all));
  mpi::check(MPI_Comm_group(node_comm_, &node));
  mpi::check(MPI_Group_translate_ranks(all, size_, ranks.data(), node, node_rank_of_.data()));
  for (int& r : node_rank_of_) r = r == MPI_UNDEFINED ? -1 : r;
  mpi::check(MPI_Group_free(&all));
  mpi::check(MPI_Group_free(&node));
  mpi::check(MPI_Comm_size(node_comm_, &ranks_of_node_));
  const TransportPolicy policy = options_.transport;
  const bool wanted = policy == TransportPolicy::automatic || policy == TransportPolicy::shared;
  // The same value on all ranks, even if some nodes have one rank only: allocation in arenas is collective
  // over all.
  shared_memory_ = wanted && any(ranks_of_node_ > 1);
}

void Context::decline_shared_memory(const std::string& reason) {
  if (options_.transport == TransportPolicy::shared)
    throw Error(Exit::storage, reason + "; enlarge it or choose engine.transport = \"mpi\"");
  if (rank_ == 0)
    std::fprintf(stderr, "subcurrent: %s; halos travel by mpi instead of shared memory\n", reason.c_str());
  shared_memory_ = false;
}

void Context::close() {
  if (closed_) return;
  closed_ = true;
  for (auto release = releases_.rbegin(); release != releases_.rend(); ++release) (*release)();
  releases_.clear();
  mpi::check(MPI_Comm_free(&node_comm_));
  mpi::check(MPI_Comm_free(&comm_));
  if (started_mpi_) mpi::check(MPI_Finalize());
}

std::string Context::describe() const {
  std::string lines;
  for (const auto& description : descriptions_) lines += description();
  return lines;
}

namespace {

/// With ContextOptions::timeout_seconds throws Error (failure) if another rank does not come in time.
template <class T>
T all_reduced(const Context& context, T value, MPI_Datatype type, MPI_Op op) {
  const double seconds = context.options().timeout_seconds;
  if (seconds == 0) {
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, op, context.comm()));
    return value;
  }
  if (const std::optional<T> all = reduce_within(context.comm(), value, op, seconds)) return *all;
  throw Error(Exit::failure, "rank " + std::to_string(context.rank()) + " has waited " +
                                 std::to_string(seconds) + " s for other ranks to come to the same call");
}

}  // namespace

bool Context::any(bool flag) const { return all_reduced(*this, flag ? 1 : 0, MPI_INT, MPI_MAX) != 0; }

std::optional<bool> Context::any_within(bool flag, double seconds) const {
  return sc::any_within(comm_, flag, seconds);
}

int Context::largest(int value) const { return all_reduced(*this, value, MPI_INT, MPI_MAX); }

std::uint64_t Context::sum(std::uint64_t value) const {
  return all_reduced(*this, value, MPI_UINT64_T, MPI_SUM);
}

double Context::max(double value) const { return all_reduced(*this, value, MPI_DOUBLE, MPI_MAX); }

void Context::broadcast(std::string& bytes) const {
  auto size = static_cast<std::uint64_t>(bytes.size());
  mpi::check(MPI_Bcast(&size, 1, MPI_UINT64_T, 0, comm_));
  bytes.resize(size);
  mpi::check(MPI_Bcast(bytes.data(), static_cast<int>(size), MPI_BYTE, 0, comm_));
}

std::vector<std::string> Context::gather(const std::string& bytes) const {
  if (rehearses()) return std::vector<std::string>(static_cast<std::size_t>(size_), bytes);
  constexpr int tag = 2;  // below the tags from next_tag()
  const auto mine = static_cast<std::uint64_t>(bytes.size());
  std::vector<std::uint64_t> sizes(rank_ == 0 ? static_cast<std::size_t>(size_) : 0);
  mpi::check(MPI_Gather(&mine, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, comm_));
  if (rank_ != 0) {
    mpi::check(MPI_Send(bytes.data(), static_cast<int>(mine), MPI_BYTE, 0, tag, comm_));
    return {};
  }
  std::vector<std::string> all(sizes.size());
  all[0] = bytes;
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    all[rank].resize(sizes[rank]);
    mpi::check(MPI_Recv(all[rank].data(), static_cast<int>(sizes[rank]), MPI_BYTE, static_cast<int>(rank),
                        tag, comm_, MPI_STATUS_IGNORE));
  }
  return all;
}

void Context::agree(Exit code, const std::string& sentence) const {
  if (rehearses()) {
    if (!sentence.empty()) throw Error(code, sentence);
    return;
  }
  sc::agree(comm_, code, sentence);
}

void Context::together(const std::function<void()>& action) const {
  Exit code = Exit::ok;
  std::string sentence;
  try {
    action();
  } catch (const Error& error) {
    code = error.code();
    sentence = error.what();
  } catch (const std::exception& error) {
    code = Exit::failure;
    sentence = error.what();
  }
  agree(code, sentence);
}

void Context::barrier() const { mpi::check(MPI_Barrier(comm_)); }

void Context::abort(const std::string& sentence, Exit code) const {
  if (!sentence.empty()) std::fprintf(stderr, "subcurrent: %s\n", sentence.c_str());
  std::fflush(stderr);
  // The whole job: for any other communicator MPICH ends the members by messages, and a rank that computes
  // does not receive them.
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  std::abort();
}

void Context::on_close(std::function<void()> release) { releases_.push_back(std::move(release)); }

int Context::next_tags(int count) {
  if (count > last_tag_ - next_tag_) throw Error(Exit::failure, "this MPI has no message tags left");
  return std::exchange(next_tag_, next_tag_ + count);
}

Arena& Context::signals() {
  if (!signals_) signals_ = std::make_shared<Arena>(*this);
  return *signals_;
}

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  mpi::check(MPI_Get_library_version(text.data(), &length));
  return text.data();  // Open MPI counts the terminating zero in the length
}

}  // namespace sc
