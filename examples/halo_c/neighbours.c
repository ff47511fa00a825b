/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of 26 neighbours: every face, edge and corner of a block travels by itself, then every halo cell is
 * looked at. mpirun -n 4 ./neighbours */
#include <stdio.h>
#include <stdlib.h>
#include <subcurrent/halo.h>

#define N 20 /* cells of the whole box along every dimension, periodic */

static void must(int status) {
  if (status == HALO_OK) return;
  fprintf(stderr, "neighbours: %s\n", halo_error_text(status));
  exit(1);
}

int main(void) {
  const int64_t cells[3] = {N, N, N};
  int32_t processes[3] = {0, 0, 0}; /* chosen */
  int64_t first[3], own[3];
  must(halo_decompose(MPI_COMM_WORLD, 3, cells, processes, first, own));

  const int64_t ny = own[1] + 2, nx = own[2] + 2;
  double *f = malloc((size_t)((own[0] + 2) * ny * nx) * sizeof *f);
#define F(z, y, x) f[((z + 1) * ny + (y + 1)) * nx + (x + 1)] /* -1 is the low halo */
  for (int64_t z = 0; z < own[0]; ++z)
    for (int64_t y = 0; y < own[1]; ++y)
      for (int64_t x = 0; x < own[2]; ++x) F(z, y, x) = (double)(((first[0] + z) * N + first[1] + y) * N + first[2] + x);

  halo_array array = halo_array_of(f, HALO_REAL64, 3, own, 1);
  halo_options options = halo_options_of(3);
  for (int a = 0; a < 3; ++a) options.processes[a] = processes[a], options.periodic[a] = 1;
  halo_handle halo;
  must(halo_init(&halo, MPI_COMM_WORLD, &array, 1, &options));

  for (int n = 0; n < 27; ++n) {
    const int d[3] = {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
    const int opposite[3] = {-d[0], -d[1], -d[2]};
    halo_request receive, send;
    if (n == 13) continue; /* leads nowhere */
    must(halo_irecv(halo, opposite, NULL, NULL, &receive));
    must(halo_isend(halo, d, NULL, NULL, &send));
    must(halo_wait(halo, &receive));
    must(halo_wait(halo, &send));
  }

  long wrong = 0;
  for (int64_t z = -1; z <= own[0]; ++z)
    for (int64_t y = -1; y <= own[1]; ++y)
      for (int64_t x = -1; x <= own[2]; ++x) {
        const int64_t Z = (first[0] + z + N) % N, Y = (first[1] + y + N) % N, X = (first[2] + x + N) % N;
        wrong += F(z, y, x) != (double)((Z * N + Y) * N + X);
      }
  must(halo_finalize(&halo));
  free(f);
  printf("neighbours: %ld wrong cells\n", wrong);
  return wrong != 0;
}
