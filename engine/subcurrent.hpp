// SPDX-License-Identifier: Apache-2.0
// Everything a stencil code needs: context, grid, fields, boundary conditions, stages, the runner.
#pragma once

#include "engine/exec/face_kernel.hpp"
#include "engine/field/fused.hpp"
#include "engine/overlap/runner.hpp"
#include "engine/stage/global_value.hpp"
#include "engine/stage/line_solve.hpp"
#include "engine/stage/line_stage.hpp"
#include "engine/stage/row_stage.hpp"
