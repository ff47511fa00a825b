// SPDX-License-Identifier: Apache-2.0
// The test for messages from device memory, small and large: to this rank itself, then around all ranks.
#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/base/mpi_check.hpp"
#include "engine/move/transport/device.hpp"

namespace sc {

namespace {

/// An MPI library without device support would crash on device memory rather than return an error. So the
/// test is attempted only if the library declares support.
bool library_says_so() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000
  int is_there = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is_there) == MPI_SUCCESS && is_there != 0;
#else
  return false;
#endif
}

// Below and above the eager limit: MPI may copy them in different ways.
constexpr std::array probe_sizes{std::size_t{1} << 10, std::size_t{1} << 17};

/// Whether a pattern from device memory reaches rank `to`, and one from rank `from` arrives in device memory.
bool arrives(Context& context, std::size_t probe_bytes, int to, int from, int tag) {
  Device& device = *context.device();
  const Device::Memory sent = device.allocate(probe_bytes), got = device.allocate(probe_bytes);
  const Device::Memory host = device.pinned(probe_bytes);
  const auto pattern = [](int rank, std::size_t n) {
    return static_cast<std::byte>(rank * 31 + int(n % 251));
  };
  for (std::size_t n = 0; n < probe_bytes; ++n) host.get()[n] = pattern(context.rank(), n);
  device.copy(Stream::edge, sent.get(), host.get(), probe_bytes);
  device.finish();
  const int count = static_cast<int>(probe_bytes);
  if (MPI_Sendrecv(sent.get(), count, MPI_BYTE, to, tag, got.get(), count, MPI_BYTE, from, tag,
                   context.comm(), MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return false;
  std::memset(host.get(), 0, probe_bytes);
  device.copy(Stream::edge, host.get(), got.get(), probe_bytes);
  device.finish();
  for (std::size_t n = 0; n < probe_bytes; ++n)
    if (host.get()[n] != pattern(from, n)) return false;
  return true;
}

/// Whether messages of every size arrive on all ranks; `ahead`: from each rank to the one so many ranks
/// ahead.
bool all_arrive(Context& context, int ahead) {
  const int tag = context.next_tag(), n = context.size();
  const int to = (context.rank() + ahead) % n, from = (context.rank() + n - ahead) % n;
  return std::ranges::all_of(
      probe_sizes, [&](std::size_t bytes) { return !context.any(!arrives(context, bytes, to, from, tag)); });
}

}  // namespace

bool device_messages_declared(const Context& context) {
  const Device& device = *context.device();
  return device.runs_on_host() ? device.host_reaches_memory() : library_says_so();
}

DeviceMessageTest test_device_messages(Context& context) {
  DeviceMessageTest found{.to_itself = all_arrive(context, 0)};
  if (found.to_itself) found.around = all_arrive(context, 1);
  return found;
}

void find_device_messages(Context& context) {
  if (context.device_messages()) return;
  context.device_messages() =
      !context.any(!device_messages_declared(context)) && test_device_messages(context).around;
}

}  // namespace sc
