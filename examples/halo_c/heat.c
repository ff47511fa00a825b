/* SPDX-License-Identifier: Apache-2.0 */
/* dT/dt = laplace(T) in a periodic cube of side 2 pi, in C on any number of ranks: T = sin x sin y sin z decays as
 * exp(-3 t). mpirun -n 4 ./heat [cells] [steps] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <subcurrent/halo.h>

static int64_t own[3], first[3];
static double a; /* dt / h^2 */
#define AT(z, y, x) (((z + 1) * (own[1] + 2) + (y + 1)) * (own[2] + 2) + (x + 1))

static void diffuse(const halo_box *b, void *const now[], void *const next[], void *user) {
  const double *T = now[0];
  double *out = next[0];
  (void)user;
  for (int64_t z = b->lo[0]; z < b->hi[0]; ++z)
    for (int64_t y = b->lo[1]; y < b->hi[1]; ++y)
      for (int64_t x = b->lo[2]; x < b->hi[2]; ++x)
        out[AT(z, y, x)] = T[AT(z, y, x)] + a * (T[AT(z - 1, y, x)] + T[AT(z + 1, y, x)] + T[AT(z, y - 1, x)] +
                           T[AT(z, y + 1, x)] + T[AT(z, y, x - 1)] + T[AT(z, y, x + 1)] - 6 * T[AT(z, y, x)]);
}

int main(int argc, char **argv) {
  const int64_t n = argc > 1 ? atoi(argv[1]) : 32, steps = argc > 2 ? atoi(argv[2]) : 100, cells[3] = {n, n, n};
  const double h = 2 * acos(-1.0) / (double)n, dt = 0.1 * h * h;
  int32_t processes[3] = {0, 0, 0};
  if (halo_decompose(MPI_COMM_WORLD, 3, cells, processes, first, own) != HALO_OK) return 1;
  const size_t size = (size_t)((own[0] + 2) * (own[1] + 2) * (own[2] + 2));
  halo_array T = halo_array_of(calloc(size, sizeof(double)), HALO_REAL64, 3, own, 1);
  T.next = calloc(size, sizeof(double));
  halo_options options = halo_options_of(3);
  for (int d = 0; d < 3; ++d) options.processes[d] = processes[d], options.periodic[d] = 1;
  for (int64_t z = 0; z < own[0]; ++z)
    for (int64_t y = 0; y < own[1]; ++y)
      for (int64_t x = 0; x < own[2]; ++x)
        ((double *)T.data)[AT(z, y, x)] =
            sin(h * (double)(first[0] + z)) * sin(h * (double)(first[1] + y)) * sin(h * (double)(first[2] + x));
  halo_handle halo;
  int status = halo_init(&halo, MPI_COMM_WORLD, &T, 1, &options);
  a = dt / (h * h);
  for (int64_t step = 0; step < steps && status == HALO_OK; ++step)
    status = halo_step(halo, HALO_BOUNDARY_FIRST, diffuse, NULL);
  void *present = NULL;
  if (status == HALO_OK) status = halo_data(halo, 0, &present);
  if (status != HALO_OK) return fprintf(stderr, "heat: %s\n", halo_error_text(status)), 1;
  const double decay = exp(-3 * dt * (double)steps);
  double error = 0;
  for (int64_t z = 0; z < own[0]; ++z)
    for (int64_t y = 0; y < own[1]; ++y)
      for (int64_t x = 0; x < own[2]; ++x)
        error = fmax(error, fabs(((double *)present)[AT(z, y, x)] - decay * sin(h * (double)(first[0] + z)) *
                                 sin(h * (double)(first[1] + y)) * sin(h * (double)(first[2] + x))));
  printf("heat: error %.3e of %.3e\n", error, decay);
  return halo_finalize(&halo) != HALO_OK || error > 0.02 * decay;
}
