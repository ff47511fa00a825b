# SPDX-License-Identifier: Apache-2.0
"""Spack's recipe for the libraries: the engine, the solvers and the halo functions. The program `subcurrent`
and the Python interface are pip's: it brings what Python needs.

    spack repo add packaging/spack
    spack install subcurrent@main +fftw
"""

from pathlib import Path

from spack.package import *


class Subcurrent(CMakePackage):
    """Grid solvers that overlap communication and file access with computation: an engine for stencil,
    spectral and sparse codes on MPI, and halo functions for C and Fortran."""

    license("Apache-2.0")
    git = Path(__file__).resolve().parents[4].as_uri()  # the repository that this recipe lies in

    version("main", branch="main")

    variant("fftw", default=True, description="Transforms by FFTW beside pocketfft")
    variant("halo", default=True, description="Halo functions for C and Fortran")
    variant("native", default=False, description="Tune for the CPU that builds, beyond Spack's target")
    variant("uring", default=False, description="Scratch files by io_uring; otherwise by threads")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+halo")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi@3:")
    depends_on("hdf5@1.10: +mpi")
    depends_on("fftw@3.3: precision=float,double", when="+fftw")
    depends_on("liburing", when="+uring")

    conflicts("%gcc@:11", msg="C++20 as the engine uses it needs GCC 12 or newer")

    def cmake_args(self):
        return [
            self.define("SUBCURRENT_TESTS", False),
            self.define("SUBCURRENT_EXAMPLES", False),
            self.define_from_variant("SUBCURRENT_FFTW", "fftw"),
            self.define_from_variant("SUBCURRENT_HALO", "halo"),
            self.define_from_variant("SUBCURRENT_NATIVE", "native"),
            self.define_from_variant("SUBCURRENT_URING", "uring"),
        ]
