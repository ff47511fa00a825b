// SPDX-License-Identifier: Apache-2.0
// typed: casts an AnyField to its type, in either precision.
#pragma once

#include "engine/field/field.hpp"

namespace sc {

/// Calls use(Field<float, N>&) or use(Field<double, N>&).
template <int N = 1, class Use>
void typed(AnyField& field, const Use& use) {
  if (field.storage(0).type() == element_type<float>())
    use(static_cast<Field<float, N>&>(field));
  else
    use(static_cast<Field<double, N>&>(field));
}

}  // namespace sc
