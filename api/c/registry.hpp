// SPDX-License-Identifier: Apache-2.0
// Registry: the handles that are alive. A handle is a number in the shape of a pointer and never looked
// behind, so that one that is finalised, copied or made up is found out.
#pragma once

#include <memory>

#include "api/c/halo.hpp"

namespace sc::halo {

halo_handle keep(std::shared_ptr<Halo> halo);
/// Throws Failure (HALO_ERR_HANDLE).
std::shared_ptr<Halo> find(halo_handle handle);
void forget(halo_handle handle);

}  // namespace sc::halo
