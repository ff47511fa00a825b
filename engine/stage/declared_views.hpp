// SPDX-License-Identifier: Apache-2.0
// DeclaredViews: the views that a kernel gets, from the declarations of its stage.
#pragma once

#include <tuple>

#include "engine/stage/access.hpp"
#include "engine/stage/checked.hpp"

namespace sc {

inline namespace SC_COMPILED {

template <Declaration... Declared>
class DeclaredViews {
 public:
  explicit DeclaredViews(const Declared&... declared) : declared_(declared...) {}

  /// Whether the views check their accesses from now on, as they do in checked builds.
  bool watch([[maybe_unused]] const Stage& stage) {
#ifdef SC_CHECKED
    watches_ = watches_of(stage);
    return true;
#else
    return false;
#endif
  }

  /// The view of declaration n, of its field at `place`.
  template <std::size_t n>
  auto view(Place place) const {
    auto view = std::get<n>(declared_).view(place);
#ifdef SC_CHECKED
    set_watch(view, &(*watches_)[n]);
#endif
    return view;
  }

 private:
  std::tuple<Declared...> declared_;
#ifdef SC_CHECKED
  Watches watches_;  // one for each declaration
#endif
};

}  // namespace SC_COMPILED
}  // namespace sc
