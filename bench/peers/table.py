"""table.py LINES ROUNDS: the sections of docs/benchmarks/chain.md from the lines that bench/peers/run collected."""

import math
import re
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "papers"))
import plots

DRAWN = [8, 128]  # sizes with a reference, and a figure
runs = {}  # (n, program, setting) -> wall, drift, place
for line in open(sys.argv[1]):
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) == 6:
        key = (int(cells[2]), cells[0], cells[1])
        wall = min(float(cells[3]), runs[key][0]) if key in runs else float(cells[3])
        runs[key] = (wall, float(cells[4]), tuple(map(float, cells[5].split())))

reference = {key[0]: runs.pop(key)[2] for key in list(runs) if key[1] == "reference"}
errors = {key: math.dist(run[2], reference[key[0]]) for key, run in runs.items() if key[0] in reference}


def fastest_as_good(n, measure, limit):
    """The others' fastest run of which `measure` is not larger."""
    as_good = [(run[0], key) for key, run in runs.items()
               if key[0] == n and key[1] != "Hooke" and run[1] < 1 and measure(key) <= limit]
    return min(as_good, default=None)


def times(n, measure, key):
    peer = fastest_as_good(n, measure, measure(key))
    return f"{peer[1][1]} {peer[1][2]}: **{peer[0] / runs[key][0]:.1f}** times" if peer else "none"


def draw():
    figure, axes = plots.plt.subplots(1, len(DRAWN), figsize=(9, 3.8))
    colours = {"Hooke": "#1b6ca8", "Simbody": "#d1495b", "MuJoCo": "#2e933c", "DART": "#edae49", "SUNDIALS": "#7b5ea7"}
    for n, axis in zip(DRAWN, axes):
        families = defaultdict(list)
        for key, error in errors.items():
            if key[0] == n and 0 < error < 1:
                family = re.sub(r", (step|accuracy|tolerance) [0-9.e-]+", "", key[2])
                families[key[1], family].append((error, runs[key][0]))
        style = defaultdict(int)
        for (program, family), points in sorted(families.items()):
            xs, ys = zip(*sorted(points))
            axis.loglog(ys, xs, marker="osv^Dx"[style[program] % 6], color=colours[program], markersize=4,
                        label=f"{program} {family}")
            style[program] += 1
        axis.set(title=f"n = {n}", xlabel="wall time of 10 s, s", ylabel="error of the last link at 5 s, m")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7)
    figure.tight_layout()
    figure.savefig(plots.root / "docs/figures/work_precision.svg", metadata={"Date": None}, bbox_inches="tight")


def table(title, head, keys, cells):
    print(f"{title}\n\n" + plots.markdown(head, [cells(key) for key in keys]) + "\n")


def by_time(n, programs):
    return sorted((key for key in runs if key[0] == n and programs(key[1]) and runs[key][1] < 1), key=lambda k: runs[k][0])


def is_hooke(program):
    return program == "Hooke"


def is_peer(program):
    return program != "Hooke"


print(f"""## Chain of n links, against other programs

The same chain with Simbody 3.7, DART 6.12 and MuJoCo 2.2 (relative coordinates) and, for n up to 128, SUNDIALS IDA 6.4 on Hooke's own equations
(index 2, banded difference quotients), all from Debian packages: 10 s, one thread, best of {sys.argv[2]} rounds, each in its own process in one run of

    bench/peers/run

Settings that lose all of their energy, or take more than 20 s, stop early and are left out; MuJoCo's reader refuses bodies nested as deep as a
chain of 128. *Fastest peer as good*: the fastest setting of the
others whose error is not larger, and how many times longer it takes.

### Work and precision

Error of the last link's centre at 5 s, against Hooke's Dormand-Prince with a tolerance of 1e-12.
""")
for n in DRAWN:
    if n in reference:
        good = [key for key in by_time(n, is_hooke) if errors[key] < 1]
        table(f"#### n = {n}", ["setting of Hooke", "wall time", "error", "fastest peer as good"], good,
              lambda k: [k[2], f"{runs[k][0]:.3g} s", f"{errors[k]:.1e} m", times(k[0], lambda o: errors.get(o, math.inf), k)])
if all(n in reference for n in DRAWN):
    draw()
    print("![Error over wall time of all programs](../figures/work_precision.svg)\n")
print("""### Energy

Energy drift: largest |E - E(0)| over outputs every 0.05 s, as a fraction of the largest kinetic energy.
""")
for n in sorted({key[0] for key in runs}):
    table(f"#### n = {n}", ["program", "setting", "wall time", "energy drift", "fastest peer as good"],
          by_time(n, is_hooke) + by_time(n, is_peer),
          lambda k: [k[1], k[2], f"{runs[k][0]:.3g} s", f"{runs[k][1]:.1e}",
                     times(k[0], lambda o: runs[o][1], k) if is_hooke(k[1]) else ""])


def measure_of(n):
    """What runs of n links are compared by: the error where there is a reference, else the drift."""
    return (lambda k: errors.get(k, math.inf)) if n in reference else (lambda k: runs[k][1])


def losses():
    """(key of Hooke, the peer's time and key) where a peer is as good and faster."""
    for n in sorted({key[0] for key in runs}):
        for key in by_time(n, is_hooke):
            peer = fastest_as_good(n, measure_of(n), measure_of(n)(key))
            if peer and peer[0] < runs[key][0]:
                yield key, peer


def unbeaten():
    """Runs of peers that no setting of Hooke is as good and as fast as."""
    for n in sorted({key[0] for key in runs}):
        measure = measure_of(n)
        for peer in by_time(n, is_peer):
            if math.isfinite(measure(peer)) and not any(
                    runs[key][0] <= runs[peer][0] and measure(key) <= measure(peer) for key in by_time(n, is_hooke)):
                yield peer


def named(key):
    return f"n = {key[0]}, {key[1]} {key[2]}: {runs[key][0]:.3g} s, {measure_of(key[0])(key):.1e}" + (" m" if key[0] in reference else "")


print("### To do\n\nWhere another program is as good as a setting of Hooke (by the error where it is known, else by the drift) and faster:\n")
for key, (wall, peer) in losses():
    same = (key[0], key[1], key[2].replace("sparse", "dca"))
    why = f"; the same with `dca` {runs[same][0]:.3g} s, so it is the sparse factor and its substitutions" if same != key and same in runs else ""
    print(f"- {named(key)}; {peer[1]} {peer[2]} {wall:.3g} s{why}")
if not any(True for _ in losses()):
    print("- nowhere")
peer, own = runs.get((8, "MuJoCo", "RK4, step 0.050")), runs.get((8, "Hooke", "generalized-alpha, step 0.01, dca"))
if peer and own:
    print(f"""
Of eight links MuJoCo evaluates the accelerations in {1e6 * peer[0] / 800:.1f} us (800 times in 10 s), Hooke takes {1e6 * own[0] / 2510:.1f} us for an
iteration of generalized-alpha (about 2.5 in each of 1000 steps): what loses there is order 2, which needs five times as many steps for the error of
RK4, and, for Runge-Kutta methods, absolute coordinates: six for each link and three multipliers instead of three angles.""")
print("\nSettings of other programs that no setting of Hooke equals in both:\n")
for peer in unbeaten():
    print(f"- {named(peer)}")
if not any(True for _ in unbeaten()):
    print("- none")
