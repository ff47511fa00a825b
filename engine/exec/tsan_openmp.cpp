// SPDX-License-Identifier: Apache-2.0
// Tells the thread sanitizer about the forks, joins and barriers of libgomp, which it cannot see: libgomp is
// not instrumented and waits on bare futexes, so every parallel loop would look like a race. Empty in all
// other builds.
//
// The linker redirects each call of GOMP_x to __wrap_GOMP_x (see cmake/SubcurrentBuildType.cmake). A fork
// releases what happened before it to the team; a join or barrier releases the team's work to every thread
// that passes it.
#if defined(__SANITIZE_THREAD__)

#include <sanitizer/tsan_interface.h>

extern "C" {

using Body = void (*)(void*);

void __real_GOMP_parallel(Body, void*, unsigned, unsigned);
void __real_GOMP_parallel_loop_nonmonotonic_dynamic(Body, void*, unsigned, long, long, long, long, unsigned);
void __real_GOMP_parallel_loop_nonmonotonic_guided(Body, void*, unsigned, long, long, long, long, unsigned);
void __real_GOMP_barrier();
void __real_GOMP_loop_end();
void __real_GOMP_critical_start();
void __real_GOMP_critical_end();
void __real_GOMP_critical_name_start(void**);
void __real_GOMP_critical_name_end(void**);

namespace {

char meeting_point;  // barriers synchronise on its address
char critical_point;

struct Team {
  Body body;
  void* data;
  char fork, join;
};

void member(void* argument) {
  auto* team = static_cast<Team*>(argument);
  __tsan_acquire(&team->fork);
  team->body(team->data);
  __tsan_release(&team->join);
}

}  // namespace

void __wrap_GOMP_parallel(Body body, void* data, unsigned threads, unsigned flags) {
  Team team{body, data, 0, 0};
  __tsan_release(&team.fork);
  __real_GOMP_parallel(member, &team, threads, flags);
  __tsan_acquire(&team.join);
}

void __wrap_GOMP_parallel_loop_nonmonotonic_dynamic(Body body, void* data, unsigned threads, long start,
                                                    long end, long step, long chunk, unsigned flags) {
  Team team{body, data, 0, 0};
  __tsan_release(&team.fork);
  __real_GOMP_parallel_loop_nonmonotonic_dynamic(member, &team, threads, start, end, step, chunk, flags);
  __tsan_acquire(&team.join);
}

void __wrap_GOMP_parallel_loop_nonmonotonic_guided(Body body, void* data, unsigned threads, long start,
                                                   long end, long step, long chunk, unsigned flags) {
  Team team{body, data, 0, 0};
  __tsan_release(&team.fork);
  __real_GOMP_parallel_loop_nonmonotonic_guided(member, &team, threads, start, end, step, chunk, flags);
  __tsan_acquire(&team.join);
}

void __wrap_GOMP_barrier() {
  __tsan_release(&meeting_point);
  __real_GOMP_barrier();
  __tsan_acquire(&meeting_point);
}

void __wrap_GOMP_loop_end() {
  __tsan_release(&meeting_point);
  __real_GOMP_loop_end();
  __tsan_acquire(&meeting_point);
}

void __wrap_GOMP_critical_start() {
  __real_GOMP_critical_start();
  __tsan_acquire(&critical_point);
}

void __wrap_GOMP_critical_end() {
  __tsan_release(&critical_point);
  __real_GOMP_critical_end();
}

void __wrap_GOMP_critical_name_start(void** name) {
  __real_GOMP_critical_name_start(name);
  __tsan_acquire(name);
}

void __wrap_GOMP_critical_name_end(void** name) {
  __tsan_release(name);
  __real_GOMP_critical_name_end(name);
}

}  // extern "C"

#endif
