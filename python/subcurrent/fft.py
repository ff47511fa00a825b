# SPDX-License-Identifier: Apache-2.0
"""The distributed real Fourier transform on NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .errors import BadInput
from .given import Fixed, as_kind, one_of, whole, wholes
from .launch import memory
from .rank import parallel

Points = NDArray[np.floating]
Modes = NDArray[np.complexfloating]
TYPES = {"double": ("FFT", np.float64, np.complex128), "single": ("SingleFFT", np.float32, np.complex64)}


class FFT(Fixed):
    """Distributed transform of a real field of (nz, ny, nx) points, as `numpy.fft.rfftn` does on one process.

    cells         (nx, ny, nz)
    largest_mode  largest |k| kept along x, y, z; None keeps all. Other modes are neither stored nor sent
    process_grid  ranks along the two divided axes; (0, 0): chosen
    library       "auto", "pocketfft" or "fftw" (if the build has it)
    precision     "double" (float64 and complex128) or "single" (float32 and complex64)

    Arrays contain this rank's own part: points of shape `real_shape` from point `real_start` on, modes of
    shape `mode_shape` from mode `mode_start` on, both in the order z, y, x. With one rank this is the whole
    field; under `mpirun` all ranks call every method. The results are bitwise identical on any number of
    ranks. Arrays of another type are converted if this changes no value; otherwise they are an error.

        fft = subcurrent.FFT((64, 64, 64))
        modes = fft.forward(points)
        kx, ky, kz = fft.wavenumbers()
        derivative = fft.backward(1j * kx * modes)
    """

    def __init__(
        self,
        cells: Sequence[int],
        *,
        largest_mode: Sequence[int] | int | None = None,
        process_grid: Sequence[int] = (0, 0),
        library: str = "auto",
        precision: str = "double",
        threads: int = 1,
        transport: str = "auto",
    ):
        self._cells = wholes("cells", cells, 1, 100_000)
        single = largest_mode is None or not hasattr(largest_mode, "__len__")
        most = [-1 if k is None else k for k in ((largest_mode,) * 3 if single else largest_mode)]
        most = wholes("largest_mode", most, -1, 100_000)
        ranks = wholes("process_grid", process_grid, 0, 2**31 - 1, count=2)
        one_of("library", library, ("auto", "pocketfft", "fftw"))
        name, self._real, self._complex = TYPES[one_of("precision", precision, tuple(TYPES))]
        whole("threads", threads, 1, 1024)
        self._context = parallel.context(threads, one_of("transport", transport, ("auto", "shared", "mpi")))
        size = 8 if precision == "double" else 4
        parallel.check_memory(self._context, memory.check_fft, self._cells, most, size)
        self._core = getattr(parallel.module(), name)(self._context, self._cells, ranks, most, library)

    @property
    def cells(self) -> tuple[int, int, int]:
        """(nx, ny, nz)"""
        return self._cells

    def __repr__(self) -> str:
        nx, ny, nz = self.cells
        return f"<FFT {nx} x {ny} x {nz} on {self._context.size} ranks>"

    @property
    def real_shape(self) -> tuple[int, int, int]:
        """Shape of this rank's points, along z, y, x."""
        return tuple(self._core.real_shape)

    @property
    def real_start(self) -> tuple[int, int, int]:
        """Global position of this rank's first point, along z, y, x."""
        return tuple(self._core.real_start)

    @property
    def mode_shape(self) -> tuple[int, int, int]:
        """Shape of this rank's modes, along z, y, x."""
        return tuple(self._core.mode_shape)

    @property
    def mode_start(self) -> tuple[int, int, int]:
        """Position of this rank's first mode among the kept modes, along z, y, x."""
        return tuple(self._core.mode_start)

    @property
    def bytes_moved(self) -> int:
        """Bytes that this rank sends in one transform."""
        return self._core.bytes

    def wavenumbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """kx, ky, kz of this rank's modes, with shapes that broadcast against the modes."""
        kx, ky, kz = (np.array(self._core.wavenumbers(axis), dtype=np.int64) for axis in range(3))
        return kx[None, None, :], ky[None, :, None], kz[:, None, None]

    def forward(self, points: Points, out: Modes | None = None) -> Modes:
        """Forward transform: sum over x of points exp(-i k.x), not scaled."""
        modes = self._result(out, self.mode_shape, self._complex)
        self._core.forward(_rows(points, self._real, "points"), modes)
        return modes

    def backward(self, modes: Modes, out: Points | None = None) -> Points:
        """Backward transform: 1 / (nx ny nz) times the sum over k of modes exp(i k.x); other modes count as
        zero."""
        points = self._result(out, self.real_shape, self._real)
        self._core.backward(_rows(modes, self._complex, "modes"), points)
        return points

    @staticmethod
    def _result(out: NDArray | None, shape: tuple[int, ...], kind: type) -> NDArray:
        if out is None:
            return np.empty(shape, kind)
        if not isinstance(out, np.ndarray) or out.dtype != kind or not out.flags.writeable:
            found = f"{out.dtype}" if isinstance(out, np.ndarray) else type(out).__name__
            raise BadInput(f"out is {found}: an array of {np.dtype(kind)} that can be written to is needed.")
        return out


def _rows(array: NDArray, kind: type, what: str) -> NDArray:
    """The array itself where its rows can be read as they lie, else a copy."""
    array = as_kind(array, kind, f"the array of {what}")
    rows = array.ndim == 3 and (array.shape[2] < 2 or array.strides[2] == array.itemsize)
    return array if rows else np.ascontiguousarray(array)
