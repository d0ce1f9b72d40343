"""Draws a report: how the steps share the time of a frame, how the cost per item grows, and every ratio relative to its aim."""

import sys


def draw(report, path):
    """Draws the measured rows of a report as SVG. Without matplotlib, it only prints a message."""
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not installed", file=sys.stderr)
        return
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "bench", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
                                "axes.spines.right": False, "axes.titleweight": "bold", "axes.titlesize": 10,
                                "axes.titlelocation": "left", "font.family": "sans-serif"})
    from matplotlib import pyplot

    rows = {row["name"]: row for row in report if "ratio" in row}
    figure = pyplot.figure(figsize=(11, 10.5), layout="constrained")
    grid = figure.add_gridspec(3, 4, height_ratios=[0.9, 1, 2.6])
    path_of_a_frame(figure.add_subplot(grid[0, :3]), rows)
    allocations(figure.add_subplot(grid[0, 3]), rows)
    for place, (prefix, title, label) in enumerate((
        ("items", "More strokes", "strokes"), ("streams", "More streams", "streams"), ("stages", "More stages", "stages"),
        ("match", "More templates", "templates"),
    )):
        growth(figure.add_subplot(grid[1, place]), rows, prefix, title, label)
    ratios(figure.add_subplot(grid[2, :]), rows)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


OURS, OTHER, MISSED = "#1f6fb2", "#8a8f98", "#c8502d"


def numbered(rows, prefix):
    """Returns the rows named `prefix-NUMBER` with their numbers, in ascending order."""
    found = {}
    for name, row in rows.items():
        number = name.removeprefix(prefix + "-")
        if name.startswith(prefix + "-") and number.isdigit():
            found[int(number)] = row
    return sorted(found.items())


def steps(rows, prefix):
    return [(name.removeprefix(prefix), row) for name, row in rows.items() if name.startswith(prefix)]


def path_of_a_frame(axes, rows):
    found = [(name, row) for name, row in steps(rows, "path-") if not name.startswith("allocations")]
    axes.set_title("Steps from a file to the label of a stroke: processor time, 1 = the whole job in C++")
    left = 0
    for place, (name, row) in enumerate(found):
        width = max(row["ratio"], 0)
        axes.barh(0, width, left=left, color=OURS, alpha=1 if place % 2 == 0 else 0.65, edgecolor="white")
        inside = width > 0.1
        axes.text(
            left + width / 2, 0 if inside else (0.46 if place % 2 == 0 else -0.46), f"{name}\n{row['ratio']:.2f}", ha="center",
            va="center" if inside else ("bottom" if place % 2 == 0 else "top"), color="white" if inside else "black", fontsize=8)
        left += width
    if found:
        axes.axvline(1, color=OTHER, linestyle="--", linewidth=1)
        axes.set_xlim(0, max(left * 1.05, 1.1))
    axes.set_ylim(-0.9, 0.9)
    axes.set_yticks([])


def allocations(axes, rows):
    found = steps(rows, "path-allocations-")
    axes.set_title("Allocations per stroke")
    axes.barh([name for name, _ in found], [max(row["ours"], 0) for _, row in found], color=OURS)
    for place, (_, row) in enumerate(found):
        axes.text(max(row["ours"], 0), place, f" {row['ours']:.2f}", va="center", fontsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.25)


def growth(axes, rows, prefix, title, label):
    found = numbered(rows, prefix)
    axes.set_title(title)
    if not found:
        return
    # Invert ratios of speeds, so that all values are ratios of times.
    times = [1 / row["ratio"] if row["aim"].startswith("≥") or prefix == "match" else row["ratio"] for _, row in found]
    axes.plot([number for number, _ in found], times, color=OURS, marker="o", markersize=4)
    axes.axhline(1, color=OTHER, linestyle="--", linewidth=1)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel(label)
    axes.set_ylabel("cost, 1 stream = 1" if prefix == "streams" else "cost each, C++ = 1")


def ratios(axes, rows):
    """Draws every ratio that has an aim, relative to the aim. A value below 1 is better than the aim."""
    found = []
    for name, row in rows.items():
        if row["aim"]:
            aim = float(row["aim"].split()[1])
            relative = aim / row["ratio"] if row["aim"].startswith("≥") else row["ratio"] / aim
            found.append((name, relative, row))
    axes.set_title("Every figure with an aim, relative to the aim: left of the line, the aim is reached")
    if not found:
        return
    for place, (name, relative, row) in enumerate(found):
        axes.plot([1, relative], [place, place], color=OTHER, linewidth=0.8, zorder=1)
        axes.plot(relative, place, marker="o", markersize=5, color=OURS if row["is_reached"] else MISSED, zorder=2)
    axes.set_yticks(range(len(found)), [name for name, _, _ in found], fontsize=7)
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:g}")
