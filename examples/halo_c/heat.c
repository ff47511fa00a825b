/* SPDX-License-Identifier: Apache-2.0 */
/* dT/dt = laplace(T) in a periodic cube of side 2 pi, on any number of ranks and without a line of MPI:
 * T = sin x sin y sin z decays as exp(-3 t). mpirun -n 4 ./heat 4 (steps a pass, with as many halo layers) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <subcurrent/halo.h>

static int64_t own[3], first[3], w = 1; /* halo layers */
static const double a = 0.1, h = 6.28318530717958648 / 32; /* dt / h^2 and the spacing of 32 cells */
#define AT(z, y, x) (((z + w) * (own[1] + 2 * w) + y + w) * (own[2] + 2 * w) + x + w)
#define EACH(lo, hi) \
  for (int64_t z = lo[0]; z < hi[0]; ++z) for (int64_t y = lo[1]; y < hi[1]; ++y) for (int64_t x = lo[2]; x < hi[2]; ++x)

static double start(int64_t z, int64_t y, int64_t x) {
  return sin(h * (double)(first[0] + z)) * sin(h * (double)(first[1] + y)) * sin(h * (double)(first[2] + x));
}

static void diffuse(const halo_box *b, int step, void *const now[], void *const next[], void *user) {
  const double *T = now[0];
  (void)step;
  EACH(b->lo, b->hi)
    ((double *)next[0])[AT(z, y, x)] = T[AT(z, y, x)] + *(double *)user * (T[AT((z - 1), y, x)] + T[AT((z + 1), y, x)] +
      T[AT(z, (y - 1), x)] + T[AT(z, (y + 1), x)] + T[AT(z, y, (x - 1))] + T[AT(z, y, (x + 1))] - 6 * T[AT(z, y, x)]);
}

int main(int argc, char **argv) {
  const int64_t cells[3] = {32, 32, 32}, zero[3] = {0, 0, 0};
  halo_options options = halo_options_of(3);
  halo_handle halo = HALO_NULL;
  const int length = argc > 1 ? atoi(argv[1]) : 1; /* steps a pass */
  w = length > 1 ? length : 1;
  int status = halo_decompose(MPI_COMM_WORLD, 3, cells, options.processes, first, own);
  const size_t size = (size_t)((own[0] + 2 * w) * (own[1] + 2 * w) * (own[2] + 2 * w)) * sizeof(double);
  void *T = malloc(size), *next = malloc(size);
  halo_array array = halo_array_of(T, HALO_REAL64, 3, own, (int)w);
  array.next = next;
  options.periodic[0] = options.periodic[1] = options.periodic[2] = 1;
  EACH(zero, own) ((double *)T)[AT(z, y, x)] = start(z, y, x);
  double factor = a, error = 0, decay = exp(-3 * a * h * h * 100);
  if (status == HALO_OK) status = halo_init(&halo, MPI_COMM_WORLD, &array, 1, &options);
  if (status == HALO_OK) status = halo_steps(halo, HALO_BOUNDARY_FIRST, diffuse, 100, 1, length, &factor);
  void *present = T; /* halo_steps has swapped T and next */
  if (status == HALO_OK) status = halo_data(halo, 0, &present);
  EACH(zero, own) error = fmax(error, fabs(((double *)present)[AT(z, y, x)] - decay * start(z, y, x)));
  if (first[0] + first[1] + first[2] == 0) printf("heat: error %.15e of %.3e; %s\n", error, decay, halo_error_text(status));
  if (status == HALO_OK) status = halo_finalize(&halo);
  free(T);
  free(next);
  return status != HALO_OK || !(error < 0.01 * decay);
}
