// SPDX-License-Identifier: Apache-2.0
// Halo: the object behind a halo_handle. Directions and sub-ranges are groups of parcels; requests are
// counted.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "api/c/memory.hpp"
#include "api/c/registration.hpp"

namespace sc::halo {

class Step;
struct StepsCallback;

class Halo {
 public:
  /// Collective; `options` and `arrays` are the caller's. They are checked here, so that all ranks get the
  /// error.
  Halo(MPI_Comm comm, const halo_array* arrays, int count, const halo_options* options);
  ~Halo();

  halo_request isend(const int* direction, const std::int64_t* lo, const std::int64_t* hi);
  halo_request irecv(const int* direction, const std::int64_t* lo, const std::int64_t* hi);
  void wait(halo_request* request);
  bool test(halo_request* request);
  void exchange();
  /// Collective. Throws Failure if a request is active on any rank, without any effect, or if other ranks do
  /// not call it within the timeout.
  void close();

  void step(int strategy, halo_callback callback, void* user);
  void steps(int strategy, const StepsCallback& callback, int steps, int per_pass);
  void modified();
  void* data(int array) const;

  const Registration& registration() const { return r_; }
  Ints4 coords() const { return r_.processes.coords_of(context_->rank()); }
  int neighbour(const int* direction) const;
  std::string describe() const { return arrays_->describe(); }
  std::string describe_passes() const;
  halo_account account() const;
  halo_box core() const;
  std::vector<halo_box> shell() const;

 private:
  struct Flight {
    bool sends = false;
    bool active = false;
    int group = 0;
    Ints4 direction{};
    std::int64_t generation = 0;
    std::string wrong;  // error of the received message
  };
  halo_request start(bool sends, const int* direction, const std::int64_t* lo, const std::int64_t* hi);
  Ints4 checked(const int* direction) const;
  CellRange checked(const Ints4& direction, const std::int64_t* lo, const std::int64_t* hi) const;
  Flight& flight_of(const halo_request* request);
  bool ended(Flight& flight);
  void end(Flight& flight, halo_request* request);
  bool wait_for(const std::function<bool()>& done);
  /// Records the seconds since `begin` on the context's timeline.
  double record(Phase phase, double begin);
  void make_arrays();
  void run_step(const std::function<void(Step&)>& action);
  /// Leaks what other ranks may still use, without waiting for them, and throws Failure.
  [[noreturn]] void give_up(const std::string& why);
  bool busy() const;
  /// To be called before a start: after halo_step the arrays may be where `next` was.
  void follow_step();

  Registration r_;
  MemoryOfArrays memory_;  // kept: halo_free refuses it while this handle lives
  std::unique_ptr<Context> context_;
  std::unique_ptr<ArrayHalo> arrays_;
  std::unique_ptr<Step> step_;
  std::vector<Flight> flights_;
  std::vector<std::vector<std::int64_t>> started_;  // number of [receives, sends][direction]
  std::vector<void*> bound_;                        // addresses of the arrays at the last start
  bool exchanging_ = false;
  bool broken_ = false;      // halo_step has failed under way: its exchanges would wait again
  std::uint16_t name_ = 0;   // of these functions on the timeline
  Sampled exchanged_;        // halo_exchange, which nothing overlaps
  bool overlapped_ = false;  // something was started that the caller's computation may overlap
};

}  // namespace sc::halo
