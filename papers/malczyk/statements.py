"""The statements of Malczyk et al. (2019) that take seconds, from the tables of paper_malczyk: sections of its page, which tests
make anew (tests/papers/test_malczyk.py). Needs nothing but Python."""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tables import columns, markdown, root, rows  # noqa: E402

names = {"so3": "SO(3)", "euler": "Euler parameters"}
held = []


def expect(what, value, limit, unit=""):
    """A statement with a limit, as on the other pages: `value` is at most `limit`."""
    held.append(value <= limit)
    return f"- {what}: {value:.2g}{unit}, at most {limit:.3g}{unit}: {'holds' if held[-1] else '**does not hold**'}\n"


def states(what, holds):
    held.append(bool(holds))
    return f"- {what}: {'holds' if holds else '**does not hold**'}\n"


def reference(name):
    return columns(root / "tests" / "data" / "reference", name)


def largest_difference(c, ref, pairs):
    at = {round(t, 6): i for i, t in enumerate(ref["t"])}
    worst = 0
    for i, t in enumerate(c["t"]):
        k = at.get(round(t, 6))
        if k is not None:
            worst = max(worst, math.sqrt(sum((c[a][i] - ref[b][k]) ** 2 for a, b in pairs)))
    return worst


def energy_facts(data, name):
    c = columns(data, name)
    energy = [k + p for k, p in zip(c["kinetic"], c["potential"])]
    change = [e - energy[0] for e in energy]
    lowest = min(change)
    return {"lowest": lowest, "at": c["t"][change.index(lowest)], "last": change[-1], "largest": max(map(abs, change)),
            "kinetic": max(c["kinetic"]), "g": max(c["g"]), "gv": max(c["gv"]), "ga": max(c["ga"]), "until": c["t"][-1]}


def pendulum(data):
    ref = reference("double_pendulum")
    body, said = [], ""
    for key in names:
        c, facts = columns(data, f"double_pendulum_{key}"), energy_facts(data, f"double_pendulum_{key}")
        moved = largest_difference(c, ref, (('x', 'cAx'), ('y', 'cAy'), ('z', 'cAz')))
        forced = largest_difference(c, ref, (('Fx', 'F1x'), ('Fy', 'F1y'), ('Fz', 'F1z')))
        said += expect(f"{names[key]}: A off the reference in 10 s", moved, 5e-3, " m")
        said += expect(f"{names[key]}: force in joint 1 off the reference", forced, 0.2, " N")
        said += states(f"{names[key]}: positions are violated least, accelerations most", facts["g"] < facts["gv"] < facts["ga"])
        body.append((names[key], f"{moved:.1e} m", f"{forced:.1e} N",
                     f"{facts['g']:.1e}, {facts['gv']:.1e}, {facts['ga']:.1e}", f"{facts['largest']:.2g} J"))
    return markdown(("coordinates", "largest error of A", "of the force in joint 1",
                     "violations: positions, velocities, accelerations", "energy drift"), body) + "\n\n" + said


def force_errors(data):
    """The force in joint 1 of the double pendulum, by projection and step: the largest error in 10 s."""
    ref = reference("double_pendulum")
    at = {round(t, 6): i for i, t in enumerate(ref["t"])}
    worst = {}
    for r in rows(data, "forces"):
        k = at.get(round(float(r["t"]), 6))
        if k is not None:
            key = r["projection"], float(r["alpha"]), float(r["step"])
            worst[key] = max(worst.get(key, 0), math.sqrt(sum((float(r[f"F{x}"]) - ref[f"F1{x}"][k]) ** 2 for x in "xyz")))
    steps = sorted({key[2] for key in worst}, reverse=True)
    names_of = {"kinematic": "kinematic, the paper's", "acceleration": "acceleration, Hooke's: the multiplier is found anew"}
    body = [[names_of.get(p, p)] + [f"{worst[p, 1e6, h]:.2g} N" for h in steps] for p in ("none", "velocity", "kinematic", "acceleration")]
    paper = [worst["kinematic", 1e6, h] for h in steps]
    said = expect("the paper's projections: force with half the step, of that with the whole", max(b / a for a, b in zip(paper, paper[1:])), 0.6)
    said += expect("Hooke's: force off the reference at 0.01 s", worst["acceleration", 1e6, steps[0]], 0.2, " N")
    said += f"\nWith a penalty of 1e9 the paper's projections leave {worst['kinematic', 1e9, steps[0]]:.2g} N at {steps[0]:g} s, with 1e6 {paper[0]:.2g} N: it is not the penalty.\n"
    return markdown(["projection P"] + [f"H = {h:g} s" for h in steps], body) + "\n\n" + said


def four_bar_errors(c, ref):
    """Of position, velocity and acceleration of link A, whose angle the reference has, 3.5 theta'' = -2 g cos(theta), and of the
    force on it in joint 1. The coupler only translates, so the two cranks carry half of it each: F = a_P + (0, 1.5 g) with P
    the far end of A (unit masses and lengths)."""
    at = {round(t, 6): i for i, t in enumerate(ref["t"])}
    worst = [0, 0, 0, 0]
    for i, t in enumerate(c["t"]):
        k = at.get(round(t, 6))
        if k is None:
            continue
        angle, rate = ref["theta"][k], ref["theta_dot"][k]
        turn = -2 * 9.81 * math.cos(angle) / 3.5
        cos, sin = 0.5 * math.cos(angle), 0.5 * math.sin(angle)
        exact = ((cos, sin), (-sin * rate, cos * rate), (-sin * turn - cos * rate**2, cos * turn - sin * rate**2))
        for level, (x, y) in enumerate((("x", "y"), ("vx", "vy"), ("ax", "ay"))):
            worst[level] = max(worst[level], math.hypot(c[x][i] - exact[level][0], c[y][i] - exact[level][1]))
        force = (2 * exact[2][0], 2 * exact[2][1] + 1.5 * 9.81)
        worst[3] = max(worst[3], math.hypot(c["Fx"][i] - force[0], c["Fy"][i] - force[1]))
    return worst


def four_bar(data):
    ref = reference("fourbar")
    body, said = [], ""
    for key in names:
        for name, what in (("four_bar", "30 s"), ("four_bar_long", "1000 s")):
            c, facts = columns(data, f"{name}_{key}"), energy_facts(data, f"{name}_{key}")
            worst = four_bar_errors(c, ref)
            body.append((names[key], what, f"{facts['until']:.0f} s reached", f"{worst[0]:.1e} m", f"{worst[1]:.1e} m/s",
                         f"{worst[2]:.1e} m/s2", f"{worst[3]:.1e} N", f"{facts['g']:.1e}", f"{facts['last']:+.2g} J of {facts['kinetic']:.3g} J"))
            said += states(f"{names[key]}: {what} are reached", facts["until"] > float(what.split()[0]) - 0.01)
            said += expect(f"{names[key]}, {what}: energy lost, of the largest kinetic energy", facts["largest"] / facts["kinetic"], 0.01)
            if name == "four_bar":
                for what, value, limit, unit in zip(("A", "its velocity", "its acceleration", "the force in joint 1"), worst,
                                                    (5e-3, 2e-2, 0.1, 0.1), (" m", " m/s", " m/s2", " N")):
                    said += expect(f"{names[key]}: {what} off the reference in 30 s", value, limit, unit)
    return markdown(("coordinates", "run", "end", "largest error of A (first 30 s at most)", "of its velocity", "of its acceleration",
                     "of the force in joint 1", "violation of positions", "energy at the end, largest kinetic energy"), body) + "\n\n" + said


def at_largest(c):
    """Time of the largest kinetic energy, on the parabola through the three largest points, and the change of total energy then."""
    k = c["kinetic"].index(max(c["kinetic"]))
    before, most, after = c["kinetic"][k - 1:k + 2]
    shift = 0.5 * (before - after) / (before - 2 * most + after)
    return c["t"][k] + shift * (c["t"][k + 1] - c["t"][k]), most + c["potential"][k] - c["kinetic"][0] - c["potential"][0]


def chain(data):
    body = [("paper, Euler parameters", "-46.84 J at 5.22 s", "about -25 J", "about 0.06 %", "5.22 s", "-46.84 J")]
    said = ""
    for key in ("euler", "so3"):
        f, c = energy_facts(data, f"chain_{key}"), columns(data, f"chain_{key}")
        fastest, then = at_largest(c)
        body.append((f"Hooke, {names[key]}", f"{f['lowest']:.2f} J at {f['at']:.2f} s", f"{f['last']:.2f} J",
                     f"{100 * f['largest'] / f['kinetic']:.3f} %", f"{fastest:.3f} s", f"{then:.2f} J"))
        said += expect(f"{names[key]}: time of the largest kinetic energy off the paper's", abs(fastest - 5.22), 0.01, " s")
        said += expect(f"{names[key]}: loss, of the largest kinetic energy", f["largest"] / f["kinetic"], 6e-4)
        said += expect(f"{names[key]}: lowest energy off the paper's -46.84 J", abs(f["lowest"] + 46.84), 2, " J")
        said += expect(f"{names[key]}: energy at 10 s off the paper's", abs(f["last"] + 25), 2, " J")
    whole = energy_facts(data, "chain_geometric_euler")
    lowest, last, kinetic = (whole[k] for k in ("lowest", "last", "kinetic"))
    body.append(("Hooke, Euler parameters, geometric stiffness", f"{lowest:.2f} J at {whole['at']:.2f} s", f"{last:.2f} J",
                 f"{-100 * lowest / kinetic:.3f} %", "", ""))
    said += expect("Euler parameters, geometric stiffness: lowest energy off the paper's -46.84 J", abs(lowest + 46.84), 2, " J")
    said += expect("Euler parameters, geometric stiffness: energy at 10 s off the paper's", abs(last + 25), 2, " J")
    return markdown(("run", "lowest total energy", "at 10 s", "loss / largest kinetic energy", "time of the largest kinetic energy",
                     "energy then"),
                    body) + "\n\n" + said
