// SPDX-License-Identifier: Apache-2.0
// Fields as NumPy arrays, accounts of time as dicts.
#include "python/bindings/arrays.hpp"

#include <cmath>

#include <complex>
#include <memory>

namespace nb = nanobind;

namespace sc::python {

namespace {

nb::dlpack::dtype dtype_of(ElementType type) {
  return type == ElementType::f32   ? nb::dtype<float>()
         : type == ElementType::c32 ? nb::dtype<std::complex<float>>()
         : type == ElementType::c64 ? nb::dtype<std::complex<double>>()
                                    : nb::dtype<double>();
}

/// An array that owns its elements.
template <class T>
Array keep(std::vector<T> values, std::initializer_list<std::size_t> shape, nb::dlpack::dtype type) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  void* data = kept->data();
  const nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {data, shape.size(), shape.begin(), owner, nullptr, type};
}

}  // namespace

Array owned(std::vector<double> values) {
  const std::size_t count = values.size();
  return keep(std::move(values), {count}, nb::dtype<double>());
}

Array owned(std::vector<std::byte> gathered, const Storage& storage, Int3 extent) {
  const auto x = std::size_t(extent.x), y = std::size_t(extent.y), z = std::size_t(extent.z);
  const nb::dlpack::dtype type = dtype_of(storage.type());
  return storage.components() == 1
             ? keep(std::move(gathered), {z, y, x}, type)
             : keep(std::move(gathered), {std::size_t(storage.components()), z, y, x}, type);
}

Array view(nb::handle owner, const Storage& storage) {
  return view_of_planes(owner, storage, 0, storage.grid().own().hi.z);
}

Array view_of_planes(nb::handle owner, const Storage& storage, int lo, int hi) {
  const Int3 n = storage.grid().own().extent();
  const Layout& layout = storage.grid().layout();
  const std::array<std::size_t, 4> shape = {std::size_t(storage.components()), std::size_t(hi - lo),
                                            std::size_t(n.y), std::size_t(n.x)};
  const std::array<std::int64_t, 4> strides = {storage.component_stride(), layout.sz, layout.sy, 1};
  const std::size_t first = storage.components() == 1 ? 1 : 0;
  std::byte* base =
      storage.host_base() + lo * layout.sz * static_cast<std::ptrdiff_t>(size_of(storage.type()));
  return {base, 4 - first, shape.data() + first, owner, strides.data() + first, dtype_of(storage.type())};
}

nb::tuple tuple_of(Int3 v) { return nb::make_tuple(v.x, v.y, v.z); }

namespace {

/// The terms of the slowest rank, and what all ranks moved. Collective.
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

/// None for what was not measured.
nb::object known(double seconds) {
  return std::isnan(seconds) ? nb::none() : nb::object(nb::float_(seconds));
}

nb::dict dict_of(const Moved& moved) {
  nb::dict result;
  result["M"] = known(moved.apart);
  result["W"] = moved.wait;
  result["start"] = moved.start;
  result["poke"] = moved.poke;
  result["looks"] = moved.looks;
  result["hidden"] = known(moved.hidden());
  return result;
}

}  // namespace

nb::dict terms_of(const Context& context, const Ledger& ledger) {
  const Terms terms = unlocked([&] { return slowest(context, ledger.terms()); });
  nb::dict result = dict_of(terms.moved());
  result["C_shell"] = terms.shell;
  result["C_core"] = terms.core;
  result["C_core_ordered"] = terms.core_apart;
  result["R"] = terms.reduce();
  result["boundary"] = terms.boundary;
  result["settle"] = terms.settle;
  result["samples"] = terms.samples;
  result["bytes_moved"] = terms.of(Resource::messages).bytes;
  nb::dict movements;
  for (int r = 0; r < resource_count; ++r) {
    const auto resource = static_cast<Resource>(r);
    const Moved& moved = terms.of(resource);
    if (moved.pieces == 0) continue;
    nb::dict one = dict_of(moved);
    one["bytes"] = moved.bytes;
    one["pieces"] = moved.pieces;
    movements[std::string(resource_name(resource)).c_str()] = one;
  }
  result["movements"] = movements;
  result["gb_per_s"] = terms.compute() > 0 ? 1e-9 * terms.bytes_declared / terms.compute() : 0.0;
  return result;
}

nb::dict dict_of(const std::vector<const Choice*>& choices) {
  const auto known = [](double seconds) {
    return seconds > 0 ? nb::object(nb::float_(seconds)) : nb::none();
  };
  nb::list stages;
  bool trying = false;
  int steps = 0, trials = 0;
  for (const Choice* choice : choices) {
    trying = trying || choice->trying();
    steps = std::max(steps, choice->trials().steps_tried());
    trials = std::max(trials, choice->trials().trials());
    for (const Choice::Chosen& chosen : choice->chosen()) {
      nb::dict stage;
      stage["stage"] = chosen.name;
      stage["strategy"] = std::string(chosen.strategy);
      stage["runs"] = chosen.seconds.runs;
      stage["seconds"] = known(chosen.seconds.chosen);
      stage["seconds_blocking"] = known(chosen.seconds.blocking);
      stages.append(stage);
    }
  }
  nb::dict result;
  result["stages"] = stages;
  result["trying"] = trying;
  result["steps_tried"] = steps;
  result["trials"] = trials;
  return result;
}

nb::dict timeline_summary(const Ledger& ledger, const Timeline& timeline) {
  nb::dict stages;
  for (const Ledger::Line& line : ledger.lines()) {
    nb::dict phases;
    for (int p = 0; p < phase_count; ++p)
      if (const double seconds = line.seconds[static_cast<std::size_t>(p)]; seconds > 0)
        phases[std::string(phase_name(static_cast<Phase>(p))).c_str()] = seconds;
    if (nb::len(phases) > 0) stages[line.name.c_str()] = phases;
  }
  nb::dict summary;
  summary["seconds"] = stages;
  summary["spans"] = timeline.spans().size();
  summary["spans_without_room"] = timeline.dropped();
  return summary;
}

}  // namespace sc::python
