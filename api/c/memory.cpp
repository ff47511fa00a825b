// SPDX-License-Identifier: Apache-2.0
// Memory: allocation and release, and finding the memory of a handle's arrays.
#include "api/c/memory.hpp"

#include <sstream>

#include "api/c/registry.hpp"
#include "engine/base/start.hpp"

namespace sc::halo {

namespace {

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
    // An arena's first chunk has as many segments as are requested: two, of half the bytes each.
    arena_ = std::make_unique<Arena>(context_);
    block_ = arena_->allocate(bytes / 2 + 1, 2);
    const auto first = reinterpret_cast<std::uintptr_t>(block_.data);
    name_ = context_.sum(context_.rank() == 0 ? first : 0);
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
  meet(comm, halo_options_of(1).timeout, "halo_allocate");
  auto memory = std::make_shared<Memory>(comm, bytes, sentence);
  std::byte* data = memory->data();
  keep(std::move(memory));
  return data;
}

void give_back(void*& memory) {
  if (!memory) throw Failure(HALO_ERR_ARGUMENT, "the memory is null: never allocated, or freed already");
  start_mpi();
  const std::shared_ptr<Memory> found = memory_around(memory);
  if (!found || found->data() != memory)
    throw Failure(HALO_ERR_ARGUMENT, "the memory was not given by halo_allocate, or is freed already");
  const bool busy = found.use_count() > 2;  // references beside the registry's and this one
  const std::optional<bool> any_busy = found->any(busy);
  if (any_busy && *any_busy)
    throw Failure(HALO_ERR_BUSY, busy ? "arrays of a handle lie in this memory: halo_finalize comes first"
                                      : "on another rank arrays of a handle lie in this memory");
  forget(*found);
  memory = nullptr;
  if (any_busy) return found->close();
  new std::shared_ptr<Memory>(found);  // leaked: other ranks may still read there
  throw Failure(HALO_ERR_TIMEOUT, "other ranks have not come to halo_free within " +
                                      std::to_string(found->timeout()) + " s; this memory is given up");
}

MemoryOfArrays memory_of(const Context& context, const Registration& registration) {
  MemoryOfArrays found;
  std::ostringstream names;
  bool here = true;
  std::string wrong;
  for (std::size_t n = 0; n < registration.arrays.size(); ++n) {
    const halo_array& array = registration.arrays[n];
    Places& places = found.places.emplace_back();
    for (std::size_t k = 0; k < places.size(); ++k) {
      const void* data = k == 0 ? array.data : array.next;
      if (!data) continue;
      const std::shared_ptr<Memory> around = memory_around(data);
      if (around) around->set_timeout(registration.options.timeout);
      places[k] = around;
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
  found.common = !context.any(!here || theirs != names.str());
  return found;
}

}  // namespace sc::halo
