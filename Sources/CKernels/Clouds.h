// The layout of gestures as evenly spaced points and as features, which the files of the cloud kernels share.
#pragma once

#include "CKernels.h"
#include "Vectors.h"

// CLOUD and FINE are the numbers of points from which the cloud and the histogram are computed. STEPS is the number of steps
// between the points of the cloud; these steps are the sequence of a gesture with one stroke.
enum { CLOUD = PK_CLOUD_POINTS, FINE = PK_CLOUD_FINE_POINTS, STEPS = PK_CLOUD_POINTS - 1 };

// The offsets of the parts of the features, and the layout of the planes of the sequence. Each plane has a margin on both sides, so
// that dynamic time warping never reads outside the plane.
enum {
    X = 0,
    Y = CLOUD,
    DOT = 2 * CLOUD,
    TANGENT_X = 3 * CLOUD,
    TANGENT_Y = 4 * CLOUD,
    SEQUENCE = 5 * CLOUD,
    MARGIN = 8,
    PLANE = CLOUD + 2 * MARGIN,
    HISTOGRAM = SEQUENCE + 5 * PLANE,
    BINS = 6,
    CELLS = 8,
};
_Static_assert(BINS * CELLS * CELLS == PK_CLOUD_COMPACT, "the header says how many entries there are");
_Static_assert(HISTOGRAM + BINS * CELLS * CELLS == PK_CLOUD_FEATURES, "the header says how many features there are");

// A gesture as evenly spaced points: x and y alternately, and the number of each point's stroke.
struct even {
    double cloud[2 * CLOUD], fine[2 * FINE];
    uint8_t cloud_strokes[CLOUD], fine_strokes[FINE];
    double strokes;
};
_Static_assert(sizeof(struct even) == PK_CLOUD_EVEN * sizeof(double), "the header says how many numbers they are");
