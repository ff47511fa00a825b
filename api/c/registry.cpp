// SPDX-License-Identifier: Apache-2.0
// Registry: one lock for handles and memory.
#include "api/c/registry.hpp"

#include <map>
#include <mutex>

#include "api/c/halo.hpp"

namespace sc::halo {

namespace {

struct Table {
  std::mutex mutex;
  std::uintptr_t last = 0;
  std::map<std::uintptr_t, std::shared_ptr<Halo>> handles;
  std::map<const void*, std::shared_ptr<Memory>> memory;
};

Table& table() {
  static auto* the = new Table;  // never destroyed: halo functions may be called while the program exits
  return *the;
}

}  // namespace

halo_handle keep(std::shared_ptr<Halo> halo) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  t.handles[++t.last] = std::move(halo);
  return reinterpret_cast<halo_handle>(t.last);
}

std::shared_ptr<Halo> find(halo_handle handle) {
  if (!handle) throw Failure(HALO_ERR_HANDLE, "the handle is null: halo_init makes one");
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  const auto found = t.handles.find(reinterpret_cast<std::uintptr_t>(handle));
  if (found == t.handles.end())
    throw Failure(HALO_ERR_HANDLE, reinterpret_cast<std::uintptr_t>(handle) <= t.last
                                       ? "the handle has been finalised"
                                       : "the handle was not made by halo_init");
  return found->second;
}

void forget(halo_handle handle) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  t.handles.erase(reinterpret_cast<std::uintptr_t>(handle));
}

void keep(std::shared_ptr<Memory> memory) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  const void* data = memory->data();
  t.memory[data] = std::move(memory);
}

std::shared_ptr<Memory> memory_around(const void* data) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  const auto behind = t.memory.upper_bound(data);
  if (behind == t.memory.begin()) return nullptr;
  const auto& memory = std::prev(behind)->second;
  return memory->holds(data, 1) ? memory : nullptr;
}

void forget(const Memory& memory) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  t.memory.erase(memory.data());
}

}  // namespace sc::halo
