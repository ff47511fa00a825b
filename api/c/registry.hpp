// SPDX-License-Identifier: Apache-2.0
// Registry: the one table of this process, since C callers have nothing else to carry it in: the handles that
// are alive, and the memory that is handed out. A handle is a number in the shape of a pointer and never
// looked behind, so that one that is finalised, copied or made up is found out.
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
/// The memory that `data` lies in; null where it lies in none.
std::shared_ptr<Memory> memory_around(const void* data);
void forget(const Memory& memory);

}  // namespace sc::halo
