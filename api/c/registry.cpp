// SPDX-License-Identifier: Apache-2.0
// Registry: the one table of this process, since C callers have nothing else to carry it in.
#include "api/c/registry.hpp"

#include <map>
#include <mutex>

namespace sc::halo {

namespace {

struct Table {
  std::mutex mutex;
  std::uintptr_t last = 0;
  std::map<std::uintptr_t, std::shared_ptr<Halo>> alive;
};

Table& table() {
  static auto* the = new Table;  // never destroyed: halo functions may be called while the program exits
  return *the;
}

}  // namespace

halo_handle keep(std::shared_ptr<Halo> halo) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  t.alive[++t.last] = std::move(halo);
  return reinterpret_cast<halo_handle>(t.last);
}

std::shared_ptr<Halo> find(halo_handle handle) {
  if (!handle) throw Failure(HALO_ERR_HANDLE, "the handle is null: halo_init makes one");
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  const auto found = t.alive.find(reinterpret_cast<std::uintptr_t>(handle));
  if (found == t.alive.end())
    throw Failure(HALO_ERR_HANDLE, reinterpret_cast<std::uintptr_t>(handle) <= t.last
                                       ? "the handle has been finalised"
                                       : "the handle was not made by halo_init");
  return found->second;
}

void forget(halo_handle handle) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  t.alive.erase(reinterpret_cast<std::uintptr_t>(handle));
}

}  // namespace sc::halo
