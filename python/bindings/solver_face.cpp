// SPDX-License-Identifier: Apache-2.0
// What the faces of all solvers share beside their templates.
#include "python/bindings/solver_face.hpp"

namespace sc::python {

AnyField& find_field(const std::vector<NamedField>& fields, const std::string& name) {
  std::string known;
  for (const NamedField& shown : fields) {
    if (name == shown.name) return shown.field ? *shown.field : shown.made();
    known += (known.empty() ? "" : ", ") + std::string(shown.name);
  }
  refuse("there is no field \"" + name + "\"; allowed are " + known);
}

}  // namespace sc::python
