"""Independent references for the stroke recognizers, written from the papers, in plain Python.

$1:         Wobbrock, Wilson, Li: Gestures without libraries, toolkits or training. UIST 2007.
Protractor: Li: Protractor: a fast and accurate gesture recognizer. CHI 2010. Here, the angle is computed with
            atan2, and limited to the tolerance.

Without arguments, it makes strokes from a seed and prints one JSON document: the strokes, the results of each step, and the
distances between the strokes. `Tests/StagesTests/Traces/strokes.json` is that output.
"""

import json
import math
import random


def path_length(points):
    return sum(math.dist(a, b) for a, b in zip(points, points[1:]))


def resample(points, n):
    """$1, step 1, as in the paper's pseudocode, but with the last point of the stroke as the last result."""
    interval = path_length(points) / (n - 1)
    distance = 0.0
    points = list(points)
    result = [points[0]]
    i = 1
    while i < len(points) and len(result) < n - 1:
        d = math.dist(points[i - 1], points[i])
        if d > 0 and distance + d >= interval:
            share = (interval - distance) / d
            q = tuple(a + share * (b - a) for a, b in zip(points[i - 1], points[i]))
            result.append(q)
            points.insert(i, q)
            distance = 0.0
        else:
            distance += d
        i += 1
    while len(result) < n:
        result.append(points[-1])
    return result


def centroid(points):
    return tuple(sum(c) / len(points) for c in zip(*points))


def rotate(points, angle):
    cx, cy = centroid(points)
    c, s = math.cos(angle), math.sin(angle)
    return [((x - cx) * c - (y - cy) * s + cx, (x - cx) * s + (y - cy) * c + cy) for x, y in points]


def indicative_angle(points):
    cx, cy = centroid(points)
    return math.atan2(points[0][1] - cy, points[0][0] - cx)


def scale_to_square(points, size, ratio=0.2):
    xs, ys = zip(*points)
    w, h = max(xs) - min(xs), max(ys) - min(ys)
    if min(w, h) / max(w, h) <= ratio:
        return [(x * size / max(w, h), y * size / max(w, h)) for x, y in points]
    return [(x * size / w, y * size / h) for x, y in points]


def translate_to_origin(points):
    cx, cy = centroid(points)
    return [(x - cx, y - cy) for x, y in points]


def dollar1_normal_form(points, n=64, size=250.0):
    points = resample(points, n)
    points = rotate(points, -indicative_angle(points))
    return translate_to_origin(scale_to_square(points, size))


def path_distance(a, b):
    return sum(math.dist(p, q) for p, q in zip(a, b)) / len(a)


def dollar1_distance(points, template):
    """Golden section search over ±45°, to within 2°."""
    phi = 0.5 * (math.sqrt(5) - 1)
    low, high = -math.pi / 4, math.pi / 4
    x1, x2 = phi * low + (1 - phi) * high, (1 - phi) * low + phi * high
    f1, f2 = path_distance(rotate(points, x1), template), path_distance(rotate(points, x2), template)
    while abs(high - low) > math.radians(2):
        if f1 < f2:
            high, x2, f2 = x2, x1, f1
            x1 = phi * low + (1 - phi) * high
            f1 = path_distance(rotate(points, x1), template)
        else:
            low, x1, f1 = x1, x2, f2
            x2 = (1 - phi) * low + phi * high
            f2 = path_distance(rotate(points, x2), template)
    return min(f1, f2)


def unit_vector(points, n=16):
    points = translate_to_origin(resample(points, n))
    length = math.sqrt(sum(x * x + y * y for x, y in points))
    return [(x / length, y / length) for x, y in points]


def protractor_distance(u, v, tolerance):
    """Returns the angle between u and v after the best rotation of at most `tolerance` radians."""
    a = math.fsum(x * p + y * q for (x, y), (p, q) in zip(u, v))
    b = math.fsum(x * q - y * p for (x, y), (p, q) in zip(u, v))
    angle = min(max(math.atan2(b, a), -tolerance), tolerance)
    c, s = math.cos(angle), math.sin(angle)
    chord = math.sqrt(math.fsum((x * c - y * s - p) ** 2 + (x * s + y * c - q) ** 2 for (x, y), (p, q) in zip(u, v)))
    return 2 * math.asin(min(1.0, chord / 2))


def made_strokes(seed=7, count=24):
    """Returns random strokes of 3 to 81 points. Some have repeated points, and every sixth one is horizontal."""
    source = random.Random(seed)
    strokes = []
    for index in range(count):
        n = source.choice([2, 3, 5, 20, 40, 80])
        x, y, heading = source.uniform(0, 500), source.uniform(0, 500), source.uniform(-math.pi, math.pi)
        stroke = []
        for _ in range(n):
            stroke.append((round(x, 2), round(y, 2)))
            heading += source.gauss(0, 0.5)
            step = source.choice([0, 1, 4, 9, 25])
            x, y = x + step * math.cos(heading), y + step * math.sin(heading)
        if index % 6 == 5:
            stroke = [(px, 100.0) for px, _ in stroke]
        stroke.append((round(x + 30, 2), stroke[-1][1] if index % 6 == 5 else round(y + 10, 2)))
        strokes.append(stroke)
    return strokes


def main():
    strokes = made_strokes()
    normal = [dollar1_normal_form(s) for s in strokes]
    vectors = [unit_vector(s) for s in strokes]
    document = {
        "strokes": strokes,
        "resampled": [resample(s, 16) for s in strokes],
        "normal_forms": [dollar1_normal_form(s, n=8) for s in strokes],
        "protractor": {
            str(degrees): [[protractor_distance(u, v, math.radians(degrees)) for v in vectors] for u in vectors]
            for degrees in (0, 27, 180)
        },
        "dollar1": [[dollar1_distance(u, v) for v in normal] for u in normal],
    }
    print(json.dumps(document, separators=(",", ":")))


if __name__ == "__main__":
    main()
