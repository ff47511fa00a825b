// SPDX-License-Identifier: Apache-2.0
// Preloaded into mpirun and its ranks where all of them are on one machine: what would listen on every
// interface listens on the loopback one. Open MPI 4 has no setting for it: its oob_tcp_if_include chooses the
// addresses that are told to others, and listens on all (docs/decisions/0052).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

typedef int (*bind_function)(int, const struct sockaddr*, socklen_t);

static bind_function next_bind(void) {
  bind_function found = NULL;
  void* const symbol = dlsym(RTLD_NEXT, "bind");
  memcpy(&found, &symbol, sizeof found);
  return found;
}

__attribute__((visibility("default"))) int bind(int descriptor, const struct sockaddr* address,
                                                socklen_t length) {
  const bind_function next = next_bind();
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  if (address != NULL && address->sa_family == AF_INET && length >= sizeof v4) {
    memcpy(&v4, address, sizeof v4);
    if (v4.sin_addr.s_addr == htonl(INADDR_ANY)) v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return next(descriptor, (const struct sockaddr*)&v4, sizeof v4);
  }
  if (address != NULL && address->sa_family == AF_INET6 && length >= sizeof v6) {
    memcpy(&v6, address, sizeof v6);
    if (IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr)) v6.sin6_addr = in6addr_loopback;
    return next(descriptor, (const struct sockaddr*)&v6, sizeof v6);
  }
  return next(descriptor, address, length);
}
