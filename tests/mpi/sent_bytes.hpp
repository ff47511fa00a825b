// SPDX-License-Identifier: Apache-2.0
// Counts the bytes of persistent sends by MPI's profiling interface. To be included in one source file of a
// program: it defines the MPI functions that it counts in.
#pragma once

#include <mpi.h>

#include <map>

namespace {

/// Bytes of persistent sends; a global variable, because MPI's profiling interface has no context.
struct Sent {
  std::map<MPI_Request, long long> size_of;
  long long bytes = 0;
  void start(MPI_Request request) {
    const auto found = size_of.find(request);
    if (found != size_of.end()) bytes += found->second;
  }
};
Sent& sent() {
  static Sent counter;
  return counter;
}

}  // namespace

extern "C" {
int MPI_Send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const int result = PMPI_Send_init(data, count, type, to, tag, comm, request);
  int size = 0;
  PMPI_Type_size(type, &size);
  sent().size_of[*request] = static_cast<long long>(count) * size;
  return result;
}
int MPI_Request_free(MPI_Request* request) {
  sent().size_of.erase(*request);
  return PMPI_Request_free(request);
}
int MPI_Start(MPI_Request* request) {
  sent().start(*request);
  return PMPI_Start(request);
}
int MPI_Startall(int count, MPI_Request requests[]) {
  for (int n = 0; n < count; ++n) sent().start(requests[n]);
  return PMPI_Startall(count, requests);
}
}
