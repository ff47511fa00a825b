// SPDX-License-Identifier: Apache-2.0
// The C functions. Only here exceptions become a status and a text.
#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "api/c/decomposition.hpp"
#include "api/c/halo.hpp"
#include "api/c/memory.hpp"
#include "api/c/registry.hpp"
#include "api/c/step.hpp"
#include "engine/base/start.hpp"

namespace {

using namespace sc::halo;

struct Last {
  int status = HALO_OK;
  std::string text;
};

Last& last() {
  thread_local Last the;
  return the;
}

int failed(halo_status status, const char* text) {
  last().status = status;
  last().text = text;
  return status;
}

halo_status status_of(const sc::Error& error) {
  const std::string text = error.what();
  if (error.code() == sc::Exit::bad_input) return HALO_ERR_MISMATCH;
  if (error.code() == sc::Exit::storage) return HALO_ERR_MEMORY;
  return text.find("has waited") != std::string::npos ? HALO_ERR_TIMEOUT : HALO_ERR_MPI;
}

template <class Action>
int guarded(Action&& action) noexcept {
  try {
    action();
    return HALO_OK;
  } catch (const Failure& failure) {
    return failed(failure.status(), failure.what());
  } catch (const sc::Error& error) {
    return failed(status_of(error), error.what());
  } catch (const std::bad_alloc&) {
    return failed(HALO_ERR_MEMORY, "not enough memory");
  } catch (const std::exception& error) {
    return failed(HALO_ERR_MPI, error.what());
  } catch (...) {
    return failed(HALO_ERR_MPI, "something that is no exception of this library was thrown");
  }
}

template <class T>
T* needed(T* pointer, const char* name) {
  if (!pointer) throw Failure(HALO_ERR_ARGUMENT, std::string(name) + " is null");
  return pointer;
}

/// Writes what `lines` returns, at most `size` bytes with the closing zero.
template <class Lines>
void write_text(char* text, std::size_t size, const Lines& lines) {
  needed(text, "text");
  if (size == 0) throw Failure(HALO_ERR_ARGUMENT, "size is 0; there is no room for the closing zero");
  const std::string all = lines();
  const std::size_t n = std::min(all.size(), size - 1);
  std::memcpy(text, all.data(), n);
  text[n] = '\0';
}

/// The Halo of a handle. Throws if MPI has been finalised.
std::shared_ptr<Halo> live(halo_handle handle) {
  auto halo = find(handle);
  sc::start_mpi();  // throws if MPI has been finalised
  return halo;
}

const char* meaning(int status) {
  switch (status) {
    case HALO_OK:
      return "success";
    case HALO_ERR_ARGUMENT:
      return "an argument is not allowed";
    case HALO_ERR_HANDLE:
      return "the handle is null, finalised, or was never initialised";
    case HALO_ERR_REQUEST:
      return "nothing is under way under this request";
    case HALO_ERR_DIRECTION:
      return "a direction has a component other than -1, 0, 1, or leads nowhere";
    case HALO_ERR_RANGE:
      return "a sub-range lies outside the own cells";
    case HALO_ERR_MISMATCH:
      return "the ranks do not agree";
    case HALO_ERR_BUSY:
      return "too much is under way";
    case HALO_ERR_TIMEOUT:
      return "another rank did not come in time";
    case HALO_ERR_MPI:
      return "MPI failed";
    case HALO_ERR_MEMORY:
      return "there is not enough memory";
    case HALO_ERR_UNSUPPORTED:
      return "this version of the library cannot do it";
    default:
      return "no status of the halo functions";
  }
}

}  // namespace

extern "C" {

int halo_version(void) { return HALO_VERSION; }

const char* halo_error_text(int status) {
  return status != HALO_OK && status == last().status ? last().text.c_str() : meaning(status);
}

int halo_decompose(MPI_Comm comm, int dims, const int64_t* cells, int32_t* processes, int64_t* first,
                   int64_t* own) {
  return guarded([&] {
    const Decomposition made = decompose(comm, dims, cells, processes);
    const sc::Ints4 coords =
        sc::ProcessGrid{.dims = dims, .counts = made.counts}.coords_of(sc::rank_of(comm));
    for (int a = 0; a < dims; ++a) {
      const auto i = static_cast<std::size_t>(a);
      processes[a] = made.counts[i];
      if (first) first[a] = made.first(a, coords[i]);
      if (own) own[a] = made.own(a, coords[i]);
    }
  });
}

int halo_init(halo_handle* handle, MPI_Comm comm, const halo_array* arrays, int count,
              const halo_options* options) {
  if (handle) *handle = HALO_NULL;
  return guarded([&] {
    auto halo = std::make_shared<Halo>(comm, handle ? arrays : nullptr, handle ? count : 0, options);
    *handle = keep(std::move(halo));
  });
}

int halo_finalize(halo_handle* handle) {
  return guarded([&] {
    const auto halo = live(*needed(handle, "handle"));
    try {
      halo->close();
    } catch (const Failure& failure) {
      if (failure.status() != HALO_ERR_BUSY) {
        forget(*handle);
        *handle = HALO_NULL;
      }
      throw;
    }
    forget(*handle);
    *handle = HALO_NULL;
  });
}

int halo_allocate(MPI_Comm comm, size_t bytes, void** memory) {
  if (memory) *memory = nullptr;
  return guarded([&] {
    void* made = hand_out(comm, memory ? bytes : 0, memory ? "" : "memory is null");
    *memory = made;
  });
}

int halo_free(void** memory) {
  return guarded([&] { give_back(*needed(memory, "memory")); });
}

int halo_isend(halo_handle handle, const int* direction, const int64_t* lo, const int64_t* hi,
               halo_request* request) {
  return guarded([&] {
    halo_request& started = *needed(request, "request");
    started = live(handle)->isend(direction, lo, hi);
  });
}

int halo_irecv(halo_handle handle, const int* direction, const int64_t* lo, const int64_t* hi,
               halo_request* request) {
  return guarded([&] {
    halo_request& started = *needed(request, "request");
    started = live(handle)->irecv(direction, lo, hi);
  });
}

int halo_wait(halo_handle handle, halo_request* request) {
  return guarded([&] { live(handle)->wait(request); });
}

int halo_test(halo_handle handle, halo_request* request, int* done) {
  return guarded([&] { *needed(done, "done") = live(handle)->test(request) ? 1 : 0; });
}

int halo_exchange(halo_handle handle) {
  return guarded([&] { live(handle)->exchange(); });
}

int halo_core(halo_handle handle, halo_box* core) {
  return guarded([&] { *needed(core, "core") = live(handle)->core(); });
}

int halo_shell(halo_handle handle, halo_box* boxes, int most, int* count) {
  return guarded([&] {
    const auto shell = live(handle)->shell();
    *needed(count, "count") = static_cast<int>(shell.size());
    if (most < *count)
      throw Failure(HALO_ERR_ARGUMENT, "the shell has " + std::to_string(*count) +
                                           " boxes, there is room for " + std::to_string(most));
    if (!shell.empty()) std::memcpy(needed(boxes, "boxes"), shell.data(), shell.size() * sizeof(halo_box));
  });
}

int halo_step(halo_handle handle, int strategy, halo_callback callback, void* user) {
  return guarded([&] { live(handle)->step(strategy, callback, user); });
}

int halo_steps(halo_handle handle, int strategy, halo_steps_callback callback, int steps, int reach,
               int per_pass, void* user) {
  return guarded([&] {
    live(handle)->steps(strategy, {.callback = callback, .user = user, .reach = reach}, steps, per_pass);
  });
}

int halo_modified(halo_handle handle) {
  return guarded([&] { live(handle)->modified(); });
}

int halo_data(halo_handle handle, int array, void** data) {
  return guarded([&] { *needed(data, "data") = live(handle)->data(array); });
}

int halo_place(halo_handle handle, int32_t* processes, int32_t* coords, int64_t* first, int64_t* global) {
  return guarded([&] {
    const auto halo = find(handle);
    const Registration& r = halo->registration();
    const sc::Ints4 at = halo->coords();
    for (int a = 0; a < r.processes.dims; ++a) {
      const auto i = static_cast<std::size_t>(a);
      if (processes) processes[a] = r.processes.counts[i];
      if (coords) coords[a] = at[i];
      if (first) first[a] = r.first(a, at[i]);
      if (global) global[a] = r.global(a);
    }
  });
}

int halo_neighbour(halo_handle handle, const int* direction, int* rank) {
  return guarded([&] { *needed(rank, "rank") = live(handle)->neighbour(direction); });
}

int halo_describe(halo_handle handle, char* text, size_t size) {
  return guarded([&] { write_text(text, size, [&] { return live(handle)->describe(); }); });
}

int halo_describe_passes(halo_handle handle, char* text, size_t size) {
  return guarded([&] { write_text(text, size, [&] { return live(handle)->describe_passes(); }); });
}

int halo_get_account(halo_handle handle, halo_account* account) {
  return guarded([&] {
    const std::size_t size = needed(account, "account")->size;
    if (size < sizeof(std::size_t))
      throw Failure(HALO_ERR_ARGUMENT,
                    "account.size is " + std::to_string(size) + "; it must be sizeof(halo_account)");
    halo_account filled = live(handle)->account();
    filled.size = size;
    std::memcpy(account, &filled, std::min(size, sizeof filled));
  });
}

// For the Fortran module: communicators are integers.
HALO_API int halo_init_fortran(halo_handle* handle, int comm, const halo_array* arrays, int count,
                               const halo_options* options) {
  MPI_Comm communicator = MPI_COMM_NULL;
  const int status = guarded([&] { communicator = sc::communicator_of(comm); });
  return status != HALO_OK ? status : halo_init(handle, communicator, arrays, count, options);
}

HALO_API int halo_allocate_fortran(int comm, size_t bytes, void** memory) {
  MPI_Comm communicator = MPI_COMM_NULL;
  const int status = guarded([&] { communicator = sc::communicator_of(comm); });
  return status != HALO_OK ? status : halo_allocate(communicator, bytes, memory);
}

HALO_API int halo_decompose_fortran(int comm, int dims, const int64_t* cells, int32_t* processes,
                                    int64_t* first, int64_t* own) {
  MPI_Comm communicator = MPI_COMM_NULL;
  const int status = guarded([&] { communicator = sc::communicator_of(comm); });
  return status != HALO_OK ? status : halo_decompose(communicator, dims, cells, processes, first, own);
}

}  // extern "C"
