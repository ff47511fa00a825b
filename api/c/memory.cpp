// SPDX-License-Identifier: Apache-2.0
// Memory: the table of what is handed out, and which of it a handle's arrays lie in.
#include "api/c/memory.hpp"

#include <map>
#include <mutex>
#include <sstream>

#include "engine/base/start.hpp"

namespace sc::halo {

namespace {

struct Table {
  std::mutex mutex;
  std::uint64_t last_name = 0;
  std::map<const void*, std::shared_ptr<Memory>> alive;
};

Table& table() {
  static auto* the = new Table;  // never destroyed, as the table of handles
  return *the;
}

std::shared_ptr<const Memory> holder_of(const void* data) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  const auto behind = t.alive.upper_bound(data);
  if (behind == t.alive.begin()) return nullptr;
  const auto& memory = std::prev(behind)->second;
  return memory->holds(data, 1) ? memory : nullptr;
}

std::size_t bytes_of(const halo_array& array) {
  std::size_t bytes = element_bytes(array.type);
  for (int i = 0; i < array.dims; ++i)
    bytes *= static_cast<std::size_t>(
        array.allocated[i] != 0 ? array.allocated[i] : array.low[i] + array.cells[i] + array.high[i]);
  return bytes;
}

}  // namespace

Memory::Memory(MPI_Comm comm, std::size_t bytes, const std::string& wrong) : context_(comm), bytes_(bytes) {
  try {
    const auto others = static_cast<int>(context_.sum(wrong.empty() ? 0 : 1));
    if (!wrong.empty()) throw Failure(HALO_ERR_ARGUMENT, wrong);
    if (others > 0)
      throw Failure(HALO_ERR_MISMATCH, std::to_string(others) + " other ranks have asked for no memory");
    // The first chunk of an arena has two slots.
    arena_ = std::make_unique<Arena>(context_);
    block_ = arena_->allocate(bytes / 2 + 1, 2);
    std::uint64_t last = 0;
    {
      const std::lock_guard lock(table().mutex);
      last = table().last_name;
    }
    name_ = static_cast<std::uint64_t>(context_.max(static_cast<double>(last))) + 1;
  } catch (...) {
    context_.close();
    throw;
  }
}

bool Memory::holds(const void* first, std::size_t bytes) const {
  const auto* from = static_cast<const std::byte*>(first);
  return from >= block_.data && bytes <= bytes_ && from + bytes <= block_.data + bytes_;
}

bool Memory::made_by(MPI_Comm comm) const { return same_ranks(comm, context_.comm()); }

void* hand_out(MPI_Comm comm, std::size_t bytes, const std::string& wrong) {
  start_mpi();
  const std::string sentence = wrong.empty() && bytes == 0 ? "bytes is 0" : wrong;
  const auto memory = std::make_shared<Memory>(comm, bytes, sentence);
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  t.last_name = memory->name();
  t.alive[memory->data()] = memory;
  return memory->data();
}

void give_back(void* memory) {
  if (!memory) throw Failure(HALO_ERR_ARGUMENT, "the memory is null: never allocated, or freed already");
  start_mpi();
  std::shared_ptr<Memory> found;
  bool busy = false;
  {
    Table& t = table();
    const std::lock_guard lock(t.mutex);
    const auto at = t.alive.find(memory);
    if (at == t.alive.end())
      throw Failure(HALO_ERR_ARGUMENT, "the memory was not given by halo_allocate, or is freed already");
    busy = at->second.use_count() > 1;
    found = at->second;
  }
  if (found->any(busy))
    throw Failure(HALO_ERR_BUSY, busy ? "arrays of a handle lie in this memory: halo_finalize comes first"
                                      : "on another rank arrays of a handle lie in this memory");
  {
    Table& t = table();
    const std::lock_guard lock(t.mutex);
    t.alive.erase(memory);
  }
  found->close();
}

std::vector<Places> common_memory(const Context& context, const Registration& registration) {
  std::vector<Places> all;
  std::ostringstream names;
  bool here = true;
  std::string wrong;
  for (std::size_t n = 0; n < registration.arrays.size(); ++n) {
    const halo_array& array = registration.arrays[n];
    Places& places = all.emplace_back();
    for (std::size_t k = 0; k < places.size(); ++k) {
      const void* data = k == 0 ? array.data : array.next;
      if (!data) continue;
      places[k] = holder_of(data);
      here = here && places[k] && places[k]->made_by(context.comm());
      if (!places[k]) continue;
      names << places[k]->name() << ' ';
      if (!places[k]->holds(data, bytes_of(array)))
        wrong = "array " + std::to_string(n) + " reaches beyond its memory of halo_allocate";
    }
  }
  const bool any_wrong = context.any(!wrong.empty());
  if (!wrong.empty()) throw Failure(HALO_ERR_ARGUMENT, wrong);
  if (any_wrong)
    throw Failure(HALO_ERR_MISMATCH, "arrays of another rank reach beyond their memory of halo_allocate");
  std::string theirs = names.str();
  context.broadcast(theirs);
  if (context.any(!here || theirs != names.str())) all.clear();
  return all;
}

}  // namespace sc::halo
