// SPDX-License-Identifier: Apache-2.0
// What the faces of all solvers share beside their templates.
#include "python/bindings/solver_face.hpp"

namespace sc::python {

AnyField& find_field(const std::vector<NamedField>& fields, const std::string& name) {
  std::string known;
  for (const NamedField& shown : fields) {
    if (name == shown.name) return *shown.field;
    known += (known.empty() ? "" : ", ") + std::string(shown.name);
  }
  refuse("there is no field \"" + name + "\"; allowed are " + known);
}

Terms slowest(const Context& context, const Terms& mine) {
  Terms terms = of_largest(context, mine.total(), mine);
  const auto over_ranks = [&](double bytes) {
    return static_cast<double>(context.sum(static_cast<std::uint64_t>(bytes)));
  };
  for (std::size_t r = 0; r < terms.by.size(); ++r) {
    terms.by[r].bytes = over_ranks(mine.by[r].bytes);
    terms.by[r].pieces = over_ranks(mine.by[r].pieces);
  }
  terms.bytes_declared = over_ranks(mine.bytes_declared);
  return terms;
}

}  // namespace sc::python
