// SPDX-License-Identifier: Apache-2.0
// Registry: the table of live handles and allocated memory, one for each process, because C callers have no
// other object for it. A handle is a number of pointer type and is never dereferenced, so that a finalised,
// copied or invalid one is detected.
#pragma once

#include <memory>

#include "api/c/failure.hpp"

namespace sc::halo {

class Halo;
class Memory;

halo_handle keep(std::shared_ptr<Halo> halo);
/// Throws Failure (HALO_ERR_HANDLE).
std::shared_ptr<Halo> find(halo_handle handle);
void forget(halo_handle handle);

void keep(std::shared_ptr<Memory> memory);
/// The memory that contains `data`; null if there is none.
std::shared_ptr<Memory> memory_around(const void* data);
void forget(const Memory& memory);

}  // namespace sc::halo
