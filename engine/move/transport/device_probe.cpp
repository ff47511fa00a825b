// SPDX-License-Identifier: Apache-2.0
// The test for messages from device memory: to this rank itself, then around all ranks.
#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

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

constexpr std::size_t probe_bytes = std::size_t{1} << 17;  // above the eager limit

/// Whether a pattern from device memory reaches rank `to`, and one from rank `from` arrives in device memory.
bool arrives(Context& context, Device& device, int to, int from, int tag) {
  const Device::Memory sent = device.allocate(probe_bytes), got = device.allocate(probe_bytes);
  const Device::Memory host = device.pinned(probe_bytes);
  const auto pattern = [](int rank, std::size_t n) {
    return static_cast<std::byte>(rank * 31 + int(n % 251));
  };
  for (std::size_t n = 0; n < probe_bytes; ++n) host.get()[n] = pattern(context.rank(), n);
  device.copy(Stream::edge, sent.get(), host.get(), probe_bytes);
  device.finish();
  constexpr int count = static_cast<int>(probe_bytes);
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

}  // namespace

void find_device_messages(Context& context) {
  if (context.device_messages()) return;
  Device& device = *context.device();
  const bool hope = !context.options().pinned_messages &&
                    (device.runs_on_host() ? device.host_reaches_memory() : library_says_so());
  const int tag = context.next_tag();
  bool works = !context.any(!hope);
  works = works && !context.any(!arrives(context, device, context.rank(), context.rank(), tag));
  const int n = context.size(), rank = context.rank();
  works = works && !context.any(!arrives(context, device, (rank + 1) % n, (rank + n - 1) % n, tag));
  context.device_messages() = works;
}

}  // namespace sc
