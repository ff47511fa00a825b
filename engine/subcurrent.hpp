// SPDX-License-Identifier: Apache-2.0
// Everything a stencil code needs: context, grid, fields, boundary conditions, sweeps, the runner.
#pragma once

#include "engine/exec/face_kernel.hpp"
#include "engine/overlap/runner.hpp"
#include "engine/stage/global_value.hpp"
