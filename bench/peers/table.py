"""table.py LINES ROUNDS: the section of docs/benchmarks.md from the lines that bench/peers/run collected."""

import sys
from collections import defaultdict

best = defaultdict(lambda: [float("inf"), float("nan")])  # (n, program, setting) -> wall, drift
for line in open(sys.argv[1]):
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) == 5:
        key = (int(cells[2]), cells[0], cells[1])
        wall, drift = float(cells[3]), float(cells[4])
        best[key] = [min(best[key][0], wall), drift]

print(f"""## Chain of n links, against other programs

The same chain with Simbody 3.7, DART 6.12 and MuJoCo 2.2 (Debian packages, relative coordinates), 10 s, one thread, best of
{sys.argv[2]} rounds, each in its own process in one run of

    bench/peers/run

Energy drift: largest |E - E(0)| over outputs every 0.05 s, as a fraction of the largest kinetic energy; settings that lose more
than all of it, or take more than 20 s, stop early and are left out. *Fastest peer as good*: the fastest setting of the others whose drift is not larger,
and how many times longer it takes.
""")
for n in sorted({key[0] for key in best}):
    ours = [(k, v) for k, v in best.items() if k[0] == n and k[1] == "Hooke"]
    peers = [(k, v) for k, v in best.items() if k[0] == n and k[1] != "Hooke" and v[1] < 1]
    print(f"### n = {n}\n\n| program | setting | wall time | energy drift | fastest peer as good |\n| --- | --- | --- | --- | --- |")
    for key, (wall, drift) in sorted(ours, key=lambda item: item[1][0]) + sorted(peers, key=lambda item: item[1][0]):
        note = ""
        if key[1] == "Hooke":
            equal = [(v[0], k) for k, v in peers if v[1] <= drift]
            if equal:
                time, peer = min(equal)
                note = f"{peer[1]} {peer[2]}: **{time / wall:.1f}** times"
            else:
                note = "none"
        print(f"| {key[1]} | {key[2]} | {wall:.3g} s | {drift:.1e} | {note} |")
    print()
