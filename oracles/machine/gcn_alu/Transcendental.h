// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementary functions in double without libm, so that the same bits come out on every host. Each
// is good to about 2^-50 relative: rounded once to f32 or f16 it is the "ideal" result that the
// chip's approximations (1 ULP for most) surround.
#pragma once

namespace assay::gcn {

/// 2^x, with infinity from 2^1024 on and 0 below 2^-1021.
double exp2Exact(double x);

/// log2(x); -infinity for 0, NaN below.
double log2Exact(double x);

/// sin(2 pi x) and cos(2 pi x) of finite \p x: the argument counts revolutions.
double sinRevolutions(double x);
double cosRevolutions(double x);

/// The largest integer not above \p x, and the nearest (ties to even), for any double.
double floorExact(double x);
double nearestEven(double x);
double truncateExact(double x);

} // namespace assay::gcn
