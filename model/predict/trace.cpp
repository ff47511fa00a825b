// SPDX-License-Identifier: Apache-2.0
// Trace: numbers separated by blanks; lists are preceded by their lengths.
#include "model/predict/trace.hpp"

#include <istream>
#include <limits>
#include <map>
#include <ostream>
#include <string>

#include "engine/base/error.hpp"

namespace sc::model {

namespace {

class Writer {
 public:
  explicit Writer(std::ostream& out) : out_(out) {
    out_.precision(std::numeric_limits<double>::max_digits10);
  }
  template <class... T>
  void line(const T&... values) {
    ((out_ << values << ' '), ...);
    out_ << '\n';
  }
  void passage(const Passage& p) { line(static_cast<int>(p.way), p.peer, p.bytes); }
  void copy(const RehearsedCopy& c) { line(int{c.in}, int{c.begins}, c.batch, c.bytes); }
  void ids(const Plan& plan, Ids some) {
    out_ << some.count << ' ';
    for (const int id : plan.ids(some)) out_ << id << ' ';
  }

 private:
  std::ostream& out_;
};

class Reader {
 public:
  explicit Reader(std::istream& in) : in_(in) {}
  template <class T>
  T next() {
    T value{};
    if (!(in_ >> value)) throw Error(Exit::failure, "a trace of a rehearsal ends early");
    return value;
  }
  std::size_t count() { return static_cast<std::size_t>(next<std::uint32_t>()); }
  std::vector<int> ids() {
    std::vector<int> list(count());
    for (int& id : list) id = next<int>();
    return list;
  }
  RehearsedCopy copy() {
    const bool in = next<int>() != 0, begins = next<int>() != 0;
    const auto batch = next<std::int64_t>();
    return {in, begins, batch, next<std::int64_t>()};
  }
  TracedReduction reduction() {
    const bool begins = next<int>() != 0;
    const int number = next<int>();
    return {begins, number, next<std::int64_t>()};
  }
  std::vector<RehearsedCopy> copies() {
    std::vector<RehearsedCopy> list(count());
    for (RehearsedCopy& one : list) one = copy();
    return list;
  }
  Passage passage() {
    const auto way = static_cast<Passage::Way>(next<int>());
    const int peer = next<int>();
    return {way, peer, next<std::int64_t>()};
  }

 private:
  std::istream& in_;
};

void write(Writer& out, const RehearsedRun& run, const Machine& machine) {
  const Plan& plan = run.plan;
  out.line("run", plan.pieces().size(), plan.arrivals().size(), plan.chunks().size());
  for (std::size_t p = 0; p < plan.pieces().size(); ++p) {
    const Piece& piece = plan.pieces()[p];
    out.line(piece.movement, piece.number, int{piece.at_once});
    out.passage(run.departures[p]);
  }
  for (std::size_t a = 0; a < plan.arrivals().size(); ++a) {
    const Arrival& arrival = plan.arrivals()[a];
    out.line(arrival.movement, arrival.number, arrival.step, run.arrivals[a].size());
    for (const auto& awaited : run.arrivals[a]) {
      out.line(awaited.like);
      out.passage(awaited.passage);
    }
  }
  for (std::size_t c = 0; c < plan.chunks().size(); ++c) {
    const Chunk& chunk = plan.chunks()[c];
    double seconds = 0;
    for (const Work& work : run.works[c]) seconds += machine.seconds(run, work, machine.threads);
    out.line(chunk.run, chunk.part, chunk.step, int{chunk.divisible}, seconds);
    for (const Ids some : {chunk.after, chunk.needs, chunk.gives}) out.ids(plan, some);
    const RehearsedRun::Slab slab = run.slabs.empty() ? RehearsedRun::Slab{} : run.slabs[c];
    for (const auto* copies : {&slab.before, &slab.after}) {
      out.line(copies->size());
      for (const RehearsedCopy& one : *copies) out.copy(one);
    }
  }
}

TracedRun read_run(Reader& in) {
  TracedRun traced;
  Plan& plan = traced.run.plan;
  const std::size_t pieces = in.count(), arrivals = in.count(), chunks = in.count();
  for (std::size_t p = 0; p < pieces; ++p) {
    Piece piece;
    piece.movement = in.next<int>();
    piece.number = in.next<int>();
    piece.at_once = in.next<int>() != 0;
    plan.add(piece);
    traced.run.departures.push_back(in.passage());
  }
  for (std::size_t a = 0; a < arrivals; ++a) {
    Arrival arrival;
    arrival.movement = in.next<int>();
    arrival.number = in.next<int>();
    arrival.step = in.next<int>();
    plan.add(arrival);
    auto& awaited = traced.run.arrivals.emplace_back(in.count());
    for (auto& one : awaited) {
      one.like = in.next<int>();
      one.passage = in.passage();
    }
  }
  for (std::size_t c = 0; c < chunks; ++c) {
    Chunk chunk;
    chunk.run = in.next<int>();
    chunk.part = in.next<int>();
    chunk.step = in.next<int>();
    chunk.divisible = in.next<int>() != 0;
    traced.seconds.push_back(in.next<double>());
    const std::vector<int> after = in.ids(), needs = in.ids(), gives = in.ids();
    plan.add(chunk, after, needs, gives);
    RehearsedRun::Slab& slab = traced.run.slabs.emplace_back();
    slab.before = in.copies();
    slab.after = in.copies();
  }
  return traced;
}

}  // namespace

void write_trace(std::ostream& stream, const Rehearsal& rehearsal, const Machine& m,
                 const std::string& strategy, int ranks_per_node) {
  Writer out(stream);
  out.line("trace", strategy, ranks_per_node, m.network.eager_limit, m.copied_byte, m.node.copied_byte,
           m.network.overhead, m.poke, m.look, m.run, m.files.read, m.files.written, m.files.both,
           m.files.computing);
  std::map<const void*, int> numbers;  // numbers of the reductions that were begun last
  int begun = 0;
  for (const RehearsedEvent& event : rehearsal.events)
    if (const auto* run = std::get_if<RehearsedRun>(&event)) {
      write(out, *run, m);
    } else if (const auto* copy = std::get_if<RehearsedCopy>(&event)) {
      out.line("copy");
      out.copy(*copy);
    } else {
      const auto& reduction = std::get<RehearsedReduction>(event);
      if (reduction.begins) numbers[reduction.of] = begun++;
      out.line("reduce", int{reduction.begins}, numbers.at(reduction.of), reduction.bytes);
    }
  out.line("end");
}

Trace read_trace(std::istream& stream) {
  Reader in(stream);
  Trace trace;
  Machine& m = trace.machine;
  if (in.next<std::string>() != "trace") throw Error(Exit::failure, "this is no trace of a rehearsal");
  trace.strategy = in.next<std::string>();
  trace.ranks_per_node = in.next<int>();
  m.network.eager_limit = in.next<std::int64_t>();
  for (double* figure : {&m.copied_byte, &m.node.copied_byte, &m.network.overhead, &m.poke, &m.look, &m.run,
                         &m.files.read, &m.files.written, &m.files.both, &m.files.computing})
    *figure = in.next<double>();
  for (std::string word = in.next<std::string>(); word != "end"; word = in.next<std::string>())
    if (word == "run")
      trace.events.emplace_back(read_run(in));
    else if (word == "copy")
      trace.events.emplace_back(in.copy());
    else
      trace.events.emplace_back(in.reduction());
  return trace;
}

}  // namespace sc::model
