#include "CKernels.h"

#include "Vectors.h"

// Without its sign, the bit pattern of a number is an integer that grows with the magnitude, and those of infinity and NaN are
// larger than all others. Unlike sums of numbers, the compiler may combine such integers in any order, so several at a time.
PK_DISPATCH
int pk_are_within(const double *numbers, size_t count, double largest) {
    int64_t limit, differences = 0;
    memcpy(&limit, &largest, sizeof limit);
    for (size_t i = 0; i < count; i++) {
        int64_t bits;
        memcpy(&bits, numbers + i, sizeof bits);
        differences |= limit - (bits & INT64_MAX);
    }
    return differences >= 0;
}
