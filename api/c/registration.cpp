// SPDX-License-Identifier: Apache-2.0
// Registration: checks with messages that name the array, the dimension, the value and the allowed values.
#include "api/c/registration.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "engine/base/index.hpp"

namespace sc::halo {

namespace {

constexpr int widest = 64;
constexpr int most_outstanding = 64;
constexpr std::int32_t next_differs = 1;  // halo_array.reserved, set by the Fortran module
[[noreturn]] void refuse_argument(const std::string& sentence) { throw Failure(HALO_ERR_ARGUMENT, sentence); }

/// Copies a struct of the caller's version. A newer and longer one is accepted if its unknown part is zero.
template <class T>
T read_struct(const void* from, const char* name) {
  std::size_t size = 0;
  std::memcpy(&size, from, sizeof size);
  if (size < sizeof(T))
    refuse_argument(std::string(name) + ".size is " + std::to_string(size) + ", less than the " +
                    std::to_string(sizeof(T)) + " bytes of version " + std::to_string(HALO_VERSION) +
                    ": make it with " + name + "_of()");
  const auto* bytes = static_cast<const unsigned char*>(from);
  for (std::size_t i = sizeof(T); i < size; ++i)
    if (bytes[i] != 0)
      throw Failure(HALO_ERR_UNSUPPORTED, std::string(name) + " uses a field that this library, version " +
                                              std::to_string(HALO_VERSION) + ", does not know");
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

void check_dimension(const halo_array& a, int array, int i, int process_dims) {
  const std::string name = name_of(array, i);
  constexpr std::int64_t most = std::numeric_limits<int>::max() / 2;
  if (a.cells[i] < 1 || a.cells[i] > most)
    refuse_argument(name + ": cells is " + std::to_string(a.cells[i]) + "; 1 to " + std::to_string(most) +
                    " are allowed");
  for (const int width : {a.low[i], a.high[i]})
    if (width < 0 || width > widest)
      refuse_argument(name + ": a halo of " + std::to_string(width) + " layers; 0 to " +
                      std::to_string(widest) + " are allowed");
  const std::int64_t least = a.low[i] + a.cells[i] + a.high[i];
  if (a.allocated[i] != 0 && a.allocated[i] < least)
    refuse_argument(name + ": allocated is " + std::to_string(a.allocated[i]) +
                    ", the cells and halos take " + std::to_string(least));
  if (a.split[i] < 0 || a.split[i] > process_dims)
    refuse_argument(name + ": split is " + std::to_string(a.split[i]) + "; 0 (not split) to " +
                    std::to_string(process_dims) + " are allowed");
  for (int j = 0; j < i; ++j)
    if (a.split[i] != 0 && a.split[i] == a.split[j])
      refuse_argument(name + ": split over process dimension " + std::to_string(a.split[i]) +
                      ", as dimension " + std::to_string(j) + " is already");
  if (a.split[i] == 0 && a.low[i] + a.high[i] > 0)
    refuse_argument(name + " has a halo but no process dimension: split it over one of 1 process");
}

void check_array(const halo_array& a, int array, int process_dims) {
  const std::string name = "array " + std::to_string(array);
  if (!a.data) refuse_argument(name + ": data is null");
  if (element_bytes(a.type) == 0)
    refuse_argument(name + ": type is " + std::to_string(a.type) +
                    "; HALO_REAL32 to HALO_COMPLEX64 are allowed");
  if (a.dims < 1 || a.dims > HALO_MAX_DIMS)
    refuse_argument(name + ": dims is " + std::to_string(a.dims) + "; 1 to 4 are allowed");
  if (a.order != HALO_C_ORDER && a.order != HALO_FORTRAN_ORDER)
    refuse_argument(name + ": order is " + std::to_string(a.order) +
                    "; HALO_C_ORDER and HALO_FORTRAN_ORDER are allowed");
  if (a.reserved == next_differs)
    refuse_argument(name +
                    ": next has another shape than the array; the library needs the same, halos included");
  for (int i = 0; i < a.dims; ++i) check_dimension(a, array, i, process_dims);
}

void check_options(const halo_options& o) {
  if (o.version < 1 || o.version > HALO_VERSION)
    throw Failure(HALO_ERR_UNSUPPORTED, "options.version is " + std::to_string(o.version) +
                                            "; this library is version " + std::to_string(HALO_VERSION));
  if (o.dims < 1 || o.dims > HALO_MAX_DIMS)
    refuse_argument("options.dims is " + std::to_string(o.dims) + "; 1 to 4 are allowed");
  for (int a = 0; a < o.dims; ++a)
    if (o.processes[a] < 0)
      refuse_argument("options.processes[" + std::to_string(a) + "] is " + std::to_string(o.processes[a]) +
                      "; 0 is chosen");
  if (o.outstanding < 1 || o.outstanding > most_outstanding)
    refuse_argument("options.outstanding is " + std::to_string(o.outstanding) + "; 1 to " +
                    std::to_string(most_outstanding) + " are allowed");
  if (o.transport != HALO_AUTOMATIC && o.transport != HALO_MESSAGES)
    refuse_argument("options.transport is " + std::to_string(o.transport) +
                    "; HALO_AUTOMATIC and HALO_MESSAGES are allowed");
  if (o.threads < 1)
    refuse_argument("options.threads is " + std::to_string(o.threads) + "; at least 1 is needed");
  if (!(o.timeout == o.timeout)) refuse_argument("options.timeout is not a number");
  if (o.piece_bytes < 1)
    refuse_argument("options.piece_bytes is " + std::to_string(o.piece_bytes) + "; at least 1 is needed");
}

/// Own cells along each process dimension, which must be equal for all arrays divided over it.
void find_own_cells(Registration& r) {
  Ints4 found_in{-1, -1, -1, -1};
  for (std::size_t n = 0; n < r.arrays.size(); ++n)
    for (int i = 0; i < r.arrays[n].dims; ++i) {
      const halo_array& array = r.arrays[n];
      const int a = array.split[i] - 1;
      if (a < 0) continue;
      const int cells = static_cast<int>(array.cells[i]);
      if (found_in[at(a)] >= 0 && r.own[at(a)] != cells)
        refuse_argument(name_of(static_cast<int>(n), i) + " has " + std::to_string(cells) +
                        " own cells along process dimension " + std::to_string(a + 1) + ", array " +
                        std::to_string(found_in[at(a)]) + " has " + std::to_string(r.own[at(a)]));
      found_in[at(a)] = static_cast<int>(n);
      r.own[at(a)] = cells;
      r.low[at(a)] = std::max(r.low[at(a)], array.low[i]);
      r.high[at(a)] = std::max(r.high[at(a)], array.high[i]);
    }
  for (int a = 0; a < r.processes.dims; ++a)
    if (found_in[at(a)] < 0)
      refuse_argument("no array is split over process dimension " + std::to_string(a + 1));
}

}  // namespace

double timeout_seconds(double timeout) { return timeout < 0 ? 0 : std::max(timeout, 1e-9); }

std::size_t element_bytes(int type) {
  switch (type) {
    case HALO_REAL32:
    case HALO_INT32:
      return 4;
    case HALO_REAL64:
    case HALO_INT64:
    case HALO_COMPLEX32:
      return 8;
    case HALO_COMPLEX64:
      return 16;
    default:
      return 0;
  }
}

std::string name_of(int array, int dim) {
  return "array " + std::to_string(array) + ", dimension " + std::to_string(dim);
}

std::vector<int> memory_order(const halo_array& array) {
  std::vector<int> order(at(array.dims));
  std::iota(order.begin(), order.end(), 0);
  if (array.order == HALO_C_ORDER) std::reverse(order.begin(), order.end());
  return order;
}

halo_options read_options(const halo_options* options) {
  if (!options) refuse_argument("options is null: make them with halo_options_of()");
  return read_struct<halo_options>(options, "halo_options");
}

std::vector<halo_array> read_arrays(const halo_array* arrays, int count) {
  if (!arrays || count < 1) refuse_argument("at least one array is needed");
  std::vector<halo_array> read;
  const auto* next = reinterpret_cast<const std::byte*>(arrays);
  for (int n = 0; n < count; ++n) {
    const auto* array = reinterpret_cast<const halo_array*>(next);
    read.push_back(read_struct<halo_array>(array, "halo_array"));
    next += read.back().size;
  }
  return read;
}

Registration registration_of(std::vector<halo_array> arrays, const halo_options& options, int ranks) {
  check_options(options);
  Registration r;
  r.arrays = std::move(arrays);
  r.options = options;
  r.processes.dims = options.dims;
  for (std::size_t n = 0; n < r.arrays.size(); ++n)
    check_array(r.arrays[n], static_cast<int>(n), options.dims);
  Ints4 wanted{};
  for (int a = 0; a < options.dims; ++a) {
    wanted[at(a)] = options.processes[a];
    r.processes.periodic[at(a)] = options.periodic[a] != 0;
  }
  const std::int64_t plenty = std::int64_t{1} << 40;  // the blocks are given: what is chosen is near a cube
  r.processes.counts = choose_counts(options.dims, {plenty, plenty, plenty, plenty}, wanted, ranks);
  find_own_cells(r);
  return r;
}

std::int64_t Registration::first(int axis, int coordinate) const {
  const auto& b = blocks[at(axis)];
  return std::accumulate(b.begin(), b.begin() + coordinate, std::int64_t{0});
}

std::int64_t Registration::global(int axis) const {
  return first(axis, static_cast<int>(blocks[at(axis)].size()));
}

UserArray user_array_of(const halo_array& array, void* data) {
  UserArray u;
  u.cell_bytes = element_bytes(array.type);
  u.own = static_cast<std::byte*>(data);
  auto stride = static_cast<std::ptrdiff_t>(u.cell_bytes);
  std::size_t axis = 0;
  for (const int i : memory_order(array)) {
    u.cells[axis] = static_cast<int>(array.cells[i]);
    u.strides[axis] = stride;
    u.split_over[axis] = array.split[i] - 1;
    u.low[axis] = array.low[i];
    u.high[axis] = array.high[i];
    u.own += array.low[i] * stride;
    stride *= array.allocated[i] != 0 ? array.allocated[i] : array.low[i] + array.cells[i] + array.high[i];
    ++axis;
  }
  return u;
}

}  // namespace sc::halo
