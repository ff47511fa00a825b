// SPDX-License-Identifier: Apache-2.0
// RowStage: what is made of the matrix once: numbers of rows and columns by owner, and the parts of the
// matrix by the piece in which their entries of x arrive.
#include "engine/stage/row_stage.hpp"

#include <algorithm>

#include "engine/exec/row_diagonals.hpp"
#include "engine/plan/rehearsal.hpp"

namespace sc {

namespace {

std::string not_a_vector(const AnyField& field) {
  const Int3 cells = field.grid().cells(), split = field.grid().split();
  if (cells.y == 1 && cells.z == 1 && split.y == 1 && split.z == 1) return "";
  return "field \"" + field.name() + "\" on a grid of " + to_string(cells) + " cells, split " +
         to_string(split) + "; it takes vectors, on grids {n, 1, 1} split along x";
}

std::shared_ptr<Storage> make_vector(Context& context, const std::string& name, int own) {
  const Grid grid = vector_grid(context, own);
  return std::make_shared<Storage>(grid, name, ElementType::f64, 1, grid.arena());
}

/// The entries that other ranks would request from a rehearsed rank, derived from its own rows. The rank must
/// have whole rows of a matrix with a symmetric pattern: a peer needs x_j if one of its rows i has a_ij, and
/// then a_ji is here.
EntryLists asked_of(const MatrixRows& matrix, std::span<const std::int64_t> columns, const Grid& vector) {
  const auto& cuts = vector.cuts(0);
  const auto rank = static_cast<std::size_t>(vector.context().rank());
  if (matrix.first != cuts[rank] ||
      matrix.first + static_cast<std::int64_t>(matrix.begin.size()) - 1 != cuts[rank + 1])
    refuse(
        "a rehearsal knows what ranks ask each other for where each has whole rows of a symmetric matrix; "
        "allowed is the division by rows");
  EntryLists asked(static_cast<std::size_t>(vector.context().size()));
  for (std::size_t r = 0; r + 1 < matrix.begin.size(); ++r)
    for (auto k = matrix.begin[r]; k < matrix.begin[r + 1]; ++k) {
      const auto owner = std::upper_bound(cuts.begin(), cuts.end(), columns[static_cast<std::size_t>(k)]) - 1;
      const auto p = static_cast<std::size_t>(owner - cuts.begin());
      const int entry = static_cast<int>(r);
      if (p != rank && (asked[p].empty() || asked[p].back() != entry)) asked[p].push_back(entry);
    }
  return asked;
}

/// Sorted, without duplicates.
template <class Number>
std::vector<Number> distinct(std::vector<Number> all) {
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Whether this is a single rehearsed rank, to which no other rank sends anything.
bool alone(const Context& context) {
  return context.rehearses() && !(context.rehearsal() && context.rehearsal()->has_requests());
}

bool anywhere(const Context& context, bool here) {
  const bool recorded = context.rehearses() && !alone(context) && context.size() > 1;
  return recorded ? context.rehearsal()->any_rank(here) : context.any(here);
}

void skip_exchanges(const Context& context, std::size_t exchanges) {
  if (context.rehearses() && !alone(context)) context.rehearsal()->skip_exchanges(exchanges);
}

}  // namespace

RowStage::RowStage(std::string name, const MatrixRows& matrix, Write y, GatheringRead x, RowOptions options)
    : Stage(std::move(name), {y.access(), Access{x.level.field, x.level.level, Mode::read, point, 0}}),
      options_(options) {
  const std::span<const std::int64_t> columns = x.gathered.columns;
  Context& context = grid().context();
  context.together([&] { check(matrix, columns); });
  nonzeros_ = static_cast<std::int64_t>(columns.size());
  const std::vector<int> rows = order_rows(matrix);
  const std::vector<std::int32_t> local = order_columns(columns);
  gathers_anywhere_ = anywhere(context, total(wanted_) > 0);
  sends_anywhere_ = anywhere(context, foreign_count_ > 0);
  if (gathers_anywhere_) {
    given_ = alone(context) ? asked_of(matrix, columns, grid()) : exchange_lists(context, wanted_);
    gather_of(x.level.storage());
  } else {
    skip_exchanges(context, 1);
  }
  fill(matrix, rows, local);
  sends_anywhere_ ? make_sums() : skip_exchanges(context, 2);
  find_late();
}

void RowStage::check(const MatrixRows& matrix, std::span<const std::int64_t> columns) const {
  const auto where = "stage \"" + name() + "\" ";
  for (const Access& a : accesses())
    if (const std::string what = not_a_vector(*a.field); !what.empty())
      refuse(where + (a.mode == Mode::read ? "gathers " : "writes ") + what);
  if (&accesses()[0].storage() == &accesses()[1].storage())
    refuse(where + "writes the vector that it gathers; it needs another one");
  const auto n = static_cast<std::int64_t>(matrix.begin.size()) - 1;
  const std::int64_t height = grid().cells().x, width = accesses()[1].field->grid().cells().x;
  if (n < 0 || matrix.begin.front() != 0 || !std::is_sorted(matrix.begin.begin(), matrix.begin.end()) ||
      matrix.begin.back() != static_cast<std::int64_t>(columns.size()) ||
      matrix.value.size() != columns.size())
    refuse(where + "was given rows whose begins, columns and values do not fit together");
  if (matrix.first < 0 || matrix.first + n > height)
    refuse(where + "was given rows " + std::to_string(matrix.first) + " to " +
           std::to_string(matrix.first + n - 1) + " of a vector with " + std::to_string(height) + " entries");
  for (const std::int64_t c : columns)
    if (c < 0 || c >= width)
      refuse(where + "has a value in column " + std::to_string(c) + " of a vector with " +
             std::to_string(width) + " entries");
}

std::vector<int> RowStage::order_rows(const MatrixRows& matrix) {
  Context& context = grid().context();
  const auto& cuts = grid().cuts(0);
  const auto first = matrix.first, last = first + static_cast<std::int64_t>(matrix.begin.size()) - 1;
  std::vector<int> rows(static_cast<std::size_t>(own_rows()), -1);
  foreign_.resize(static_cast<std::size_t>(context.size()));
  foreign_rows_.resize(foreign_.size());
  const std::vector<int> order = receive_order(context);
  for (auto peer = order.rbegin(); peer != order.rend(); ++peer) {  // in the order of sending
    const auto p = static_cast<std::size_t>(*peer);
    const std::int64_t lo = std::max<std::int64_t>(first, cuts[p]);
    const std::int64_t hi = std::min<std::int64_t>(last, cuts[p + 1]);
    for (std::int64_t g = lo; g < hi; ++g) {
      const auto r = static_cast<std::size_t>(g - first);
      const int at_owner = static_cast<int>(g - cuts[p]);
      if (*peer == context.rank()) {
        rows[static_cast<std::size_t>(at_owner)] = static_cast<int>(r);
      } else if (matrix.begin[r] < matrix.begin[r + 1]) {  // empty rows are not sent
        foreign_[p].push_back(foreign_count_++);
        foreign_rows_[p].push_back(at_owner);
      }
    }
  }
  for (auto peer = order.rbegin(); peer != order.rend(); ++peer)
    for (const int at_owner : foreign_rows_[static_cast<std::size_t>(*peer)])
      rows.push_back(static_cast<int>(cuts[static_cast<std::size_t>(*peer)] + at_owner - first));
  return rows;
}

std::vector<std::int32_t> RowStage::order_columns(std::span<const std::int64_t> columns) {
  const Grid& vector = accesses()[1].field->grid();
  Context& context = grid().context();
  const auto& cuts = vector.cuts(0);
  const auto mine = static_cast<std::size_t>(context.rank());
  const auto own = [&](std::int64_t c) { return c >= cuts[mine] && c < cuts[mine + 1]; };
  // Memory is limited to that of the gathered entries: the whole vector may be larger than the local matrix.
  std::vector<std::int32_t> foreign;
  std::size_t most = 1U << 16;
  for (const std::int64_t c : columns) {
    if (own(c)) continue;
    foreign.push_back(static_cast<std::int32_t>(c));
    if (foreign.size() < most) continue;
    foreign = distinct(std::move(foreign));
    most = std::max(most, 2 * foreign.size());
  }
  foreign = distinct(std::move(foreign));
  const auto place = [&](std::int64_t c) {
    return static_cast<std::size_t>(std::lower_bound(foreign.begin(), foreign.end(), c) - foreign.begin());
  };
  std::vector<std::int32_t> number(foreign.size());  // position among gathered entries
  wanted_.resize(static_cast<std::size_t>(context.size()));
  std::int32_t next = 0;
  for (const int peer : receive_order(context)) {
    const auto p = static_cast<std::size_t>(peer);
    for (std::size_t n = place(cuts[p]); n < foreign.size() && foreign[n] < cuts[p + 1]; ++n) {
      number[n] = next++;
      wanted_[p].push_back(foreign[n] - cuts[p]);
    }
  }
  std::vector<std::int32_t> local(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k)
    local[k] =
        own(columns[k]) ? static_cast<std::int32_t>(columns[k] - cuts[mine]) : -1 - number[place(columns[k])];
  return local;
}

// Reserves the exact size: growing would need twice the memory of the matrix.
void RowStage::reserve(const std::vector<std::int32_t>& local, const std::vector<std::int32_t>& piece_of) {
  std::vector<std::size_t> count(remote_.size() + 1);
  for (const std::int32_t column : local)
    ++count[column >= 0 ? remote_.size()
                        : static_cast<std::size_t>(piece_of[static_cast<std::size_t>(-1 - column)])];
  for (std::size_t piece = 0; piece <= remote_.size(); ++piece) {
    CompressedRows& part = piece < remote_.size() ? remote_[piece] : local_;
    part.column.reserve(count[piece]);
    part.value.reserve(count[piece]);
  }
}

void RowStage::fill(const MatrixRows& matrix, const std::vector<int>& rows,
                    const std::vector<std::int32_t>& local) {
  std::vector<int> begins{0};
  if (gathers_anywhere_) begins = gathers_.front().movement->arrival_begins();
  remote_.resize(begins.size() - 1);
  std::vector<std::int32_t> piece_of(static_cast<std::size_t>(begins.back()));  // indexed by gathered entry
  for (std::size_t piece = 0; piece + 1 < begins.size(); ++piece)
    std::fill(piece_of.begin() + begins[piece], piece_of.begin() + begins[piece + 1],
              static_cast<std::int32_t>(piece));
  reserve(local, piece_of);
  std::vector<std::size_t> met;  // pieces with entries of this row
  for (std::size_t position = 0; position < rows.size(); ++position) {
    met.clear();
    const auto r = static_cast<std::size_t>(std::max(rows[position], 0));
    for (auto k = rows[position] < 0 ? 0 : matrix.begin[r]; rows[position] >= 0 && k < matrix.begin[r + 1];
         ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (local[i] >= 0) {
        local_.column.push_back(local[i]);
        local_.value.push_back(matrix.value[i]);
        continue;
      }
      const std::int32_t entry = -1 - local[i];
      const auto piece = static_cast<std::size_t>(piece_of[static_cast<std::size_t>(entry)]);
      CompressedRows& part = remote_[piece];
      if (part.row.empty() || part.row.back() != static_cast<std::int32_t>(position)) {
        part.row.push_back(static_cast<std::int32_t>(position));
        part.begin.push_back(part.begin.back());
        met.push_back(piece);
      }
      part.column.push_back(entry);
      part.value.push_back(matrix.value[i]);
      ++part.begin.back();
    }
    local_.begin.push_back(static_cast<std::int64_t>(local_.column.size()));
    if (!met.empty()) touched_.push_back(static_cast<std::int32_t>(position));
  }
  if (gathers_anywhere_) from_remote_.resize(rows.size());
  store_by_diagonals(local_);
  matrix_bytes_ = local_.bytes();
  for (const CompressedRows& part : remote_) matrix_bytes_ += part.bytes();
}

RowStage::Gather& RowStage::gather_of(Storage& x) {
  for (Gather& g : gathers_)
    if (g.x.get() == &x) return g;
  const auto entries =
      make_vector(grid().context(), x.name() + " gathered", static_cast<int>(total(wanted_)));
  gathers_.push_back({x.shared_from_this(), entries,
                      std::make_shared<EntryExchange>(x, *entries, given_, wanted_, options_.piece_bytes)});
  return gathers_.back();
}

void RowStage::make_sums() {
  Context& context = grid().context();
  const EntryLists at_sender = exchange_lists(context, foreign_);
  const EntryLists target = exchange_lists(context, foreign_rows_);
  partial_ = make_vector(context, name() + " partial sums", foreign_count_);
  arrived_ = make_vector(context, name() + " arrived sums", static_cast<int>(total(at_sender)));
  sums_ = std::make_shared<EntryExchange>(*partial_, *arrived_, foreign_, at_sender, options_.piece_bytes);
  sums_->shift_source(own_rows());
  std::vector<std::int32_t> all;
  for (const int peer : receive_order(context)) {
    const auto& list = target[static_cast<std::size_t>(peer)];
    all.insert(all.end(), list.begin(), list.end());
  }
  const std::vector<int>& begins = sums_->arrival_begins();
  for (std::size_t piece = 0; piece + 1 < begins.size(); ++piece)
    sum_rows_.emplace_back(all.begin() + begins[piece], all.begin() + begins[piece + 1]);
  summed_ = distinct(std::move(all));
  from_others_.resize(static_cast<std::size_t>(own_rows()));
}

void RowStage::find_late() {
  for (const std::vector<std::int32_t>* completed_late : {&touched_, &summed_})
    for (const std::int32_t row : *completed_late) {
      const int block = row / rows_read_together;
      if (row < own_rows() && (late_.empty() || late_.back() != block)) late_.push_back(block);
    }
  late_ = distinct(std::move(late_));
}

}  // namespace sc
