// SPDX-License-Identifier: Apache-2.0
// What the faces of all solvers share beside their templates.
#include "python/bindings/solver_face.hpp"

#include <algorithm>

#include "model/probe/copy_rate.hpp"

namespace sc::python {

AnyField& find_field(const std::vector<NamedField>& fields, const std::string& name) {
  std::string known;
  for (const NamedField& shown : fields) {
    if (name == shown.name) return shown.field ? *shown.field : shown.made();
    known += (known.empty() ? "" : ", ") + std::string(shown.name);
  }
  refuse("there is no field \"" + name + "\"; allowed are " + known);
}

double memory_rate(Context& context, const std::vector<NamedField>& fields) {
  constexpr std::size_t enough = std::size_t{256} << 20;  // bytes: some hundredths of a second
  std::byte* array = nullptr;
  std::size_t most = 0;
  for (const NamedField& shown : fields) {
    if (!shown.field) continue;
    const Storage& storage = shown.field->storage(0);
    if (storage.space() != Space::host || storage.far()) continue;
    const Grid& grid = storage.grid();
    const auto bytes =
        static_cast<std::size_t>(grid.own().extent().z * grid.layout().sz) * size_of(storage.type());
    if (bytes > most) most = bytes, array = storage.base();
  }
  return array ? model::in_place_rate(context.threads(), array, std::min(most, enough)) : 0;
}

const Grid& grid_of(const io::Snapshot& shown) { return shown.fields.front().storage->grid(); }

Samples samples_of(const io::Snapshot& shown, const GridPoints& points,
                   const std::optional<io::UniformPoints>& even, const std::vector<Position>& positions) {
  const std::string key = "output.probes";
  return {points, even ? place_between(points, {even->origin, even->spacing}, positions, key)
                       : place_between(points, *shown.coordinates, positions, key)};
}

std::vector<std::string> sampled_names(const io::Snapshot& shown) {
  std::vector<std::string> names;
  for (const io::SnapshotField& field : shown.fields) {
    const int components = field.storage->components();
    for (int k = 0; k < components; ++k)
      names.push_back(components == 1   ? field.name
                      : components == 3 ? field.name + "_" + "xyz"[k]
                                        : field.name + "_" + std::to_string(k));
  }
  return names;
}

std::vector<double> sampled(const Samples& samples, const io::Snapshot& shown) {
  std::vector<Storage*> fields;
  for (const io::SnapshotField& field : shown.fields) fields.push_back(field.storage);
  return samples.of(fields);
}

}  // namespace sc::python
