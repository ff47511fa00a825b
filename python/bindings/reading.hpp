// SPDX-License-Identifier: Apache-2.0
// Typed values out of the dict that the Python case makes of a case file; what is missing or of the wrong
// type is refused by its name.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include "engine/move/stream/budget.hpp"
#include "engine/overlap/runner.hpp"
#include "solvers/common/check.hpp"

namespace sc::python {

template <class T>
T get(const nanobind::dict& options, const char* key) {
  if (!options.contains(key)) refuse(std::string("the option \"") + key + "\" is missing");
  T value{};
  if (!nanobind::try_cast<T>(options[key], value))
    refuse(std::string("the option \"") + key + "\" is " +
           nanobind::cast<std::string>(nanobind::repr(options[key])) + ", which is of the wrong type");
  return value;
}

inline Int3 int3(const nanobind::dict& options, const char* key) {
  const auto n = get<std::array<int, 3>>(options, key);
  return {n[0], n[1], n[2]};
}

/// Reads options into variables, each after its name.
template <class T, class... More>
void read(const nanobind::dict& options, const char* key, T& into, More&&... more) {
  if constexpr (std::is_same_v<T, Int3>)
    into = int3(options, key);
  else
    into = get<T>(options, key);
  if constexpr (sizeof...(more) > 0) read(options, std::forward<More>(more)...);
}

template <class E>
struct Named {
  const char* name;
  E value;
};

template <class E>
E choice_of(const std::string& text, const char* key, std::initializer_list<Named<E>> allowed) {
  std::string known;
  for (const Named<E>& entry : allowed) {
    if (text == entry.name) return entry.value;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  refuse(std::string(key) + " is \"" + text + "\"; allowed are " + known);
}
template <class E>
E choice(const nanobind::dict& options, const char* key, std::initializer_list<Named<E>> allowed) {
  return choice_of<E>(get<std::string>(options, key), key, allowed);
}

/// The conditions on the faces of a box.
template <class Kind>
std::array<Kind, 6> faces_from(const nanobind::dict& options, std::initializer_list<Named<Kind>> allowed) {
  const auto given = get<nanobind::dict>(options, "boundaries");
  std::array<Kind, 6> faces;
  for (std::size_t f = 0; f < faces.size(); ++f) faces[f] = choice<Kind>(given, face_names[f], allowed);
  return faces;
}

inline RunnerOptions runner_from(const nanobind::dict& options) {
  RunnerOptions runner;
  runner.strategy = Strategy::of(get<std::string>(options, "strategy"));
  if (!get<bool>(options, "halo_thread_joins")) runner.strategy = runner.strategy.not_joining();
  runner.poke_seconds = 1e-3 * get<double>(options, "poke_ms");
  read(options, "steps_per_pass", runner.steps_per_pass, "finds_length", runner.finds_length, "pass_tile",
       runner.pass_tile);
  runner.halo.corners =
      choice<Corners>(options, "halo_corners", {{"direct", Corners::direct}, {"staged", Corners::staged}});
  return runner;
}

inline StorageOptions storage_from(const nanobind::dict& options) {
  StorageOptions storage;
  storage.where = choice<Where>(options, "place",
                                {{"memory", Where::memory}, {"host", Where::host}, {"files", Where::files}});
  read(options, "pieces", storage.pieces, "memory", storage.memory, "scratch", storage.scratch);
  return storage;
}

/// What all solvers have, as far as the options of this one have it.
template <class Options>
void read_common(const nanobind::dict& options, Options& o) {
  read(options, "dt", o.dt);
  if constexpr (requires { o.courant; }) read(options, "courant", o.courant);
  if constexpr (requires { o.safety; }) read(options, "safety", o.safety);
  if constexpr (requires { o.end; }) read(options, "end", o.end);
  if constexpr (requires { o.single; })
    o.single = choice<bool>(options, "precision", {{"double", false}, {"single", true}});
  if constexpr (requires { o.storage; }) o.storage = storage_from(get<nanobind::dict>(options, "storage"));
  const auto engine = get<nanobind::dict>(options, "engine");
  if constexpr (requires { o.split; }) read(engine, "split", o.split);
  o.engine = runner_from(engine);
}

}  // namespace sc::python
