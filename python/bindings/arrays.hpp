// SPDX-License-Identifier: Apache-2.0
// What every solver's binding needs: fields as NumPy arrays, accounts of time as dicts.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <vector>

#include "engine/field/storage.hpp"
#include "engine/overlap/ledger.hpp"

namespace sc::python {

using Array = nanobind::ndarray<nanobind::numpy>;
using Unlocked = nanobind::call_guard<nanobind::gil_scoped_release>;

template <class F>
auto unlocked(F&& action) {
  const nanobind::gil_scoped_release release;
  return action();
}

Array owned(std::vector<double> values);
/// On rank 0 the gathered cells of a field: (components, nz, ny, nx), or (nz, ny, nx) for one component.
Array owned(std::vector<std::byte> gathered, const Storage& storage, Int3 extent);
/// The own cells where the solver keeps them, in the same shapes.
Array view(nanobind::handle owner, const Storage& storage);
/// The same of own planes [lo, hi) of a storage that is near; the array is valid during the call only.
Array view_of_planes(nanobind::handle owner, const Storage& storage, int lo, int hi);

nanobind::tuple tuple_of(Int3 v);
/// Where the time went, in the notation of docs/accounts.md: seconds of the slowest rank, bytes of all.
/// Collective; called with the interpreter's lock.
nanobind::dict terms_of(const Context& context, const Ledger& ledger);
/// What the automatic strategy has chosen, the same on all ranks: steps and trials so far, and of each kind
/// of stage its name, strategy and runs, seconds of a run then and under blocking, None where that was not
/// measured.
nanobind::dict dict_of(const std::vector<const Choice*>& choices);
/// {stage: {phase: seconds}} of this rank, what took no time left out.
nanobind::dict timeline_summary(const Ledger& ledger, const Timeline& timeline);

}  // namespace sc::python
