// SPDX-License-Identifier: Apache-2.0
// _core.CgBenchmark and _core.CgSolver: the NAS kernel CG, and conjugate gradients for matrices of Python's.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstring>
#include <limits>

#include "python/bindings/arrays.hpp"
#include "python/bindings/faces.hpp"
#include "solvers/cg/benchmark.hpp"
#include "solvers/cg/solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sc::python {

namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
std::span<const T> span_of(const Vector<T>& v) {
  return {v.data(), v.shape(0)};
}

cg::Settings settings_from(const std::string& partition, const std::string& strategy, int depth) {
  return {cg::division_of(partition), Strategy::of(strategy), depth};
}

nb::dict facts(cg::Product& product) {
  const cg::Partition& partition = product.partition();
  nb::dict facts;
  facts["nonzeros"] = product.nonzeros();
  facts["imbalance"] = product.imbalance();
  facts["groups"] = partition.groups();
  facts["bytes_of_product"] = partition.bytes_of_product();
  return facts;
}

/// A solver or benchmark with the context that its vectors live in.
struct CgBenchmark {
  CgBenchmark(std::shared_ptr<Ranks> r, const std::string& name, const cg::Settings& settings)
      : ranks(std::move(r)), benchmark(ranks->open(), cg::class_of(name), settings) {}
  std::shared_ptr<Ranks> ranks;
  cg::Benchmark benchmark;
  cg::Product& product() { return benchmark.product(); }
};

nb::dict run(CgBenchmark& self, const nb::object& each) {
  self.ranks->open();
  const auto tell = [&](const cg::OuterIteration& o) {
    const nb::gil_scoped_acquire lock;
    each(o.iteration, o.residual, o.zeta);
  };
  const std::function<void(const cg::OuterIteration&)> callback =
      each.is_none() ? std::function<void(const cg::OuterIteration&)>{} : tell;
  const cg::BenchmarkResult r = unlocked([&] { return self.benchmark.run(callback); });
  nb::dict result;
  nb::list history;
  for (const auto& o : r.history) history.append(nb::make_tuple(o.iteration, o.residual, o.zeta));
  result["history"] = history;
  result["zeta"] = r.zeta;
  result["error"] = r.error;
  result["verified"] = r.verified;
  result["seconds"] = r.seconds;
  result["mops"] = r.mops;
  result["bytes_sent"] = r.sent;
  return result;
}

nb::dict parameters(const std::string& name) {
  const cg::Class& c = cg::class_of(name);
  nb::dict d;
  d["name"] = c.name;
  d["n"] = c.n;
  d["nonzer"] = c.nonzer;
  d["iterations"] = c.iterations;
  d["shift"] = c.shift;
  d["zeta"] = c.zeta;
  return d;
}

/// How a user's matrix is divided: which rows a rank has to bring, and which entries of b and x are its own.
struct CgPartition {
  std::shared_ptr<Ranks> ranks;
  cg::Partition partition;
  int rank() const { return ranks->context().rank(); }
};

/// Rows where ranks have brought them, in the order of the ranks.
CgPartition partition_of_rows(std::shared_ptr<Ranks> ranks, std::int64_t first, std::int64_t count) {
  Context& context = ranks->open();
  const std::array<std::int64_t, 2> mine{first, count};
  std::string all;
  for (const std::string& one :
       context.gather(std::string(reinterpret_cast<const char*>(mine.data()), sizeof mine)))
    all += one;
  context.broadcast(all);
  std::vector<std::array<std::int64_t, 2>> given(all.size() / sizeof mine);
  std::memcpy(given.data(), all.data(), all.size());
  std::vector<int> cuts{0};
  for (std::size_t r = 0; r < given.size(); ++r) {
    const auto [begin, rows] = given[r];
    if (begin != cuts.back())
      refuse("first is " + std::to_string(begin) + " on rank " + std::to_string(r) +
             "; the ranks before it have " + std::to_string(cuts.back()) +
             " rows together, and allowed is that number");
    if (rows < 1) refuse("rank " + std::to_string(r) + " has no row; every rank needs one of its own");
    if (begin + rows > std::numeric_limits<int>::max())
      refuse("a matrix of more than 2147483647 rows is too large");
    cuts.push_back(static_cast<int>(begin + rows));
  }
  return {std::move(ranks), cg::Partition(std::move(cuts))};
}

struct CgSolver {
  CgSolver(const CgPartition& p, const cg::LocalRows& rows, const cg::SolverOptions& options)
      : ranks(p.ranks), solver(ranks->open(), p.partition, rows, options) {}
  std::shared_ptr<Ranks> ranks;
  cg::Solver solver;
  cg::Product& product() { return solver.product(); }
};

/// Where the time went since restart_terms(), of steps, of timed iterations or of the last solve.
template <class Face>
void bind_account(nb::class_<Face>& face) {
  face.def(
          "terms", [](Face& f) { return terms_of(f.ranks->open(), f.product().ledger()); }, "Collective.")
      .def("restart_terms", [](Face& f) { f.product().ledger().restart(); })
      .def("timeline_summary",
           [](Face& f) { return timeline_summary(f.product().ledger(), f.ranks->open().timeline()); });
}

void make_solver(CgSolver* self, const CgPartition& p, const Vector<std::int64_t>& begin,
                 const Vector<std::int64_t>& column, const Vector<double>& value, const nb::dict& o) {
  const auto text = [&](const char* key) { return nb::cast<std::string>(o[key]); };
  cg::SolverOptions options;
  Context& context = p.ranks->open();
  cg::LocalRows rows;
  context.together([&] {
    options.settings = {p.partition.division(), Strategy::of(text("strategy")), nb::cast<int>(o["depth"])};
    options.preconditioner = {cg::preconditioning_of(text("preconditioner")), nb::cast<int>(o["block"]),
                              nb::cast<int>(o["degree"])};
    options.pipelined = nb::cast<bool>(o["pipelined"]);
    options.tolerance = nb::cast<double>(o["tol"]);
    options.iterations = nb::cast<int>(o["iterations"]);
    cg::LocalRows group;
    group.first = p.partition.rows(p.rank()).first;
    group.begin.assign(begin.data(), begin.data() + begin.shape(0));
    group.column.assign(column.data(), column.data() + column.shape(0));
    group.value.assign(value.data(), value.data() + value.shape(0));
    const auto [first, last] = p.partition.rows(p.rank());
    if (group.begin.size() != static_cast<std::size_t>(last - first) + 1 ||
        group.begin.back() != static_cast<std::int64_t>(group.column.size()) ||
        group.value.size() != group.column.size())
      refuse("a rank was given rows whose begins, columns and values do not fit its partition");
    rows = cg::keep_own(group, p.partition, p.rank());
  });
  unlocked([&] { new (self) CgSolver(p, rows, options); });
}

nb::dict solve(CgSolver& self, const Vector<double>& b, const nb::object& each) {
  self.ranks->open();
  self.product().ledger().restart();
  std::function<void(int, double)> callback;
  if (!each.is_none())
    callback = [&](int iteration, double residual) {
      const nb::gil_scoped_acquire lock;
      each(iteration, residual);
    };
  const cg::Solution s = unlocked([&] { return self.solver.solve(span_of(b), callback); });
  nb::dict result;
  result["residuals"] = s.residuals;
  result["converged"] = s.converged;
  result["residual"] = s.residual;
  result["stagnated"] = s.stagnated;
  result["restarts"] = s.restarts;
  result["breakdown"] = s.breakdown;
  result["note"] = s.note;
  result["iterations"] = s.iterations();
  return result;
}

nb::object solution(CgSolver& self) {
  self.ranks->open();
  return nb::cast(owned(unlocked([&] { return self.solver.gathered(); })));
}

nb::object own_solution(CgSolver& self) {
  self.ranks->open();
  return nb::cast(owned(self.solver.own()));
}

}  // namespace

void bind_cg(nb::module_& module) {
  nb::dict usual;
  for (const char* name : {"row", "column", "grid"})
    usual[name] = nb::cast(std::string(cg::usual_strategy(cg::division_of(name)).name));
  module.attr("usual_cg_strategies") = usual;
  module.def("cg_class", &parameters, "name"_a, "A class of the NAS kernel CG.");
  nb::class_<CgBenchmark> benchmark(module, "CgBenchmark",
                                    "The NAS kernel CG on all ranks of a context; collective.");
  bind_account(benchmark);
  benchmark
      .def(
          "__init__",
          [](CgBenchmark* self, std::shared_ptr<Ranks> ranks, const std::string& name,
             const std::string& partition, const std::string& strategy, int depth) {
            const cg::Settings settings = settings_from(partition, strategy, depth);
            unlocked([&] { new (self) CgBenchmark(std::move(ranks), name, settings); });
          },
          "context"_a, "name"_a, "partition"_a, "strategy"_a, "depth"_a)
      .def("facts", [](CgBenchmark& b) { return facts(b.product()); })
      .def(
          "step", [](CgBenchmark& b) { unlocked([&] { b.benchmark.step(); }); },
          "An outer iteration from where it stands, of which nothing is told.")
      .def("run", &run, "each"_a = nb::none(),
           "Runs it; `each` hears of every outer iteration on rank 0, one late.");
  nb::class_<CgPartition>(module, "CgPartition", "A division of matrix and vectors between ranks.")
      .def(
          "__init__",
          [](CgPartition* self, std::shared_ptr<Ranks> ranks, const std::string& division,
             const Vector<std::int64_t>& weight) {
            const int count = ranks->open().size();
            new (self) CgPartition{std::move(ranks), {cg::division_of(division), span_of(weight), count}};
          },
          "context"_a, "division"_a, "row_weights"_a.noconvert())
      .def(
          "rows", [](CgPartition& p) { return p.partition.rows(p.rank()); },
          "The rows [first, last) that this rank has to bring.")
      .def(
          "own",
          [](CgPartition& p) {
            const auto r = static_cast<std::size_t>(p.rank());
            return std::pair(p.partition.cuts()[r], p.partition.cuts()[r + 1]);
          },
          "The entries [first, last) of vectors that are this rank's.");
  module.def("cg_partition_of_rows", &partition_of_rows, "context"_a, "first"_a, "count"_a,
             "The division that the ranks' own rows, `count` from `first` on, make; collective.");
  module.def(
      "cg_partition_of_cuts",
      [](std::shared_ptr<Ranks> ranks, std::vector<int> cuts) {
        return CgPartition{std::move(ranks), cg::Partition(std::move(cuts))};
      },
      "context"_a, "cuts"_a, "The division where rank r has the rows cuts[r] to cuts[r + 1] - 1.");
  nb::class_<CgSolver> solver(module, "CgSolver",
                              "Conjugate gradients on all ranks of a context; collective.");
  bind_account(solver);
  solver
      .def("__init__", &make_solver, "partition"_a, "begin"_a.noconvert(), "column"_a.noconvert(),
           "value"_a.noconvert(), "options"_a)
      .def("facts", [](CgSolver& s) { return facts(s.product()); })
      .def(
          "step", [](CgSolver& s, const Vector<double>& b) { unlocked([&] { s.solver.solve(span_of(b)); }); },
          "right_side"_a.noconvert(), "A solve of which nothing is told, and that adds to terms().")
      .def("solve", &solve, "right_side"_a.noconvert(), "each"_a = nb::none())
      .def("solution", &solution, "The last solution as a whole, on all ranks.")
      .def("own_solution", &own_solution, "This rank's entries of it.");
}

}  // namespace sc::python
