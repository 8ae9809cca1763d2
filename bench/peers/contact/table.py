"""table.py LINES LIMIT PARTS: the section of docs/benchmarks/contact.md from the runs that bench/peers/contact/run lists.

Every program gives only places, speeds and the force of the planes; all measures are taken from them here, in the same way."""

import csv
import math
import re
import sys
from datetime import date
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "papers"))
import plots
from scenes import SCENES

GRAVITY = 9.81
MOTION = ["position.x", "position.y", "position.z", "orientation.w", "orientation.x", "orientation.y", "orientation.z",
          "velocity.x", "velocity.y", "velocity.z", "angular_velocity.x", "angular_velocity.y", "angular_velocity.z"]
lines = [[cell.strip() for cell in line.split("|")] for line in open(sys.argv[1])]
limit = float(sys.argv[2])


def hooke_table(file):
    with open(file) as text:
        rows = list(csv.reader(line for line in text if not line.startswith("#")))
    return {name: k for k, name in enumerate(rows[0])}, np.array(rows[1:], dtype=float)


def wall_times(log):
    return [float(t) for t in re.findall(r"wall time +([0-9.e+-]+) s", Path(log).read_text())]


def motion_of(program, file, bodies):
    """Wall time, times, force of the planes, and motions[output, body, 13]."""
    if program == "Hooke":
        columns, values = hooke_table(file)
        which = [columns[f"body.b{k}.{name}"] for k in range(bodies) for name in MOTION]
        return (wall_times(file + ".log") or [limit])[0], values[:, 0], values[:, columns["contact.planes.force.z"]], \
            values[:, which].reshape(len(values), bodies, 13)
    with open(file) as text:
        wall = float(text.readline())
        values = np.array([np.fromstring(line, sep=" ") for line in text])
    return wall, values[:, 0], values[:, 1], values[:, 2:].reshape(len(values), bodies, 13)


def rotations(quaternions):
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    return np.stack([np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
                     np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
                     np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)], -2)


def energies(scene, motions):
    """Kinetic and potential energy at each output."""
    mass = np.array([body[2] for body in scene[0]])
    inertia = np.array([body[3] for body in scene[0]])
    spin = np.einsum("tbji,tbj->tbi", rotations(motions[:, :, 3:7]), motions[:, :, 10:13])  # in the axes of the body
    kinetic = 0.5 * (mass * (motions[:, :, 7:10]**2).sum(-1) + (inertia * spin**2).sum(-1)).sum(-1)
    return kinetic, (GRAVITY * mass * motions[:, :, 2]).sum(-1)


def segment_distances(p1, q1, p2, q2):
    """Of segments p1 q1 and p2 q2, none of length zero; Ericson, Real-Time Collision Detection (2005), 5.1.9."""
    d1, d2, r = q1 - p1, q2 - p2, p1 - p2
    a, e, b = (d1 * d1).sum(-1), (d2 * d2).sum(-1), (d1 * d2).sum(-1)
    c, f = (d1 * r).sum(-1), (d2 * r).sum(-1)
    s = np.clip((b * f - c * e) / np.maximum(a * e - b * b, 1e-30), 0, 1)
    t = np.clip((b * s + f) / e, 0, 1)
    s = np.clip((b * t - c) / a, 0, 1)
    return np.linalg.norm(p1 + s[:, None] * d1 - p2 - t[:, None] * d2, axis=-1)


def boxes_overlap(place, turn, half):
    """How deep boxes of one size are in each other, at most: the least overlap along the normals of their faces and what is perpendicular to two edges."""
    first, second = np.triu_indices(len(place), 1)
    near = np.linalg.norm(place[first] - place[second], axis=-1) < 2 * np.linalg.norm(half)
    first, second = first[near], second[near]
    if not len(first):
        return 0.0
    A, B, apart = turn[first], turn[second], place[second] - place[first]  # columns are the axes of a box
    crossed = np.cross(A[:, :, :, None], B[:, :, None, :], axis=1).reshape(len(first), 3, 9)
    length = np.linalg.norm(crossed, axis=1)
    parallel = length < 1e-6
    axes = np.concatenate([A, B, crossed / np.where(parallel, 1, length)[:, None]], 2)
    reach = np.einsum("k,pik,pia->pka", half, A, axes), np.einsum("k,pik,pia->pka", half, B, axes)
    overlap = sum(np.abs(r).sum(1) for r in reach) - np.abs(np.einsum("pi,pia->pa", apart, axes))
    overlap[:, 6:][parallel] = np.inf
    return max(0.0, overlap.min(1).max())


def depth(scene, frame):
    """How deep bodies are in each other or in planes, at most, in one output."""
    bodies, planes, joints = scene[:3]
    kind, size = bodies[0][0], np.array(bodies[0][1])
    place, turn = frame[:, :3], rotations(frame[:, 3:7])
    first, second = np.triu_indices(len(bodies), 1)
    radius = 0.0 if kind == "box" else size[0]
    if kind == "box":
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        points = place[:, None] + (signs * size / 2) @ turn.transpose(0, 2, 1)
        between = boxes_overlap(place, turn, size / 2)
    elif kind == "capsule":
        along = turn[:, :, 2] * size[1] / 2
        points = np.stack([place - along, place + along], 1)
        joined = {(i, j) for i, j, _ in joints}
        apart = [k for k, pair in enumerate(zip(first, second)) if pair not in joined]
        i, j = first[apart], second[apart]
        between = 2 * radius - segment_distances(points[i, 0], points[i, 1], points[j, 0], points[j, 1])
    else:
        points = place[:, None]
        between = 2 * radius - np.linalg.norm(place[first] - place[second], axis=-1)
    into = [radius - ((points - np.array(at)) @ np.array(normal)).min() for normal, at in planes]
    return max(0.0, np.max(between), *into)


def joint_violation(scene, motions):
    """Largest distance of the two points of a joint."""
    def local(body, at):
        return (np.array(at) - scene[0][body][4]) @ rotations(np.array(scene[0][body][5]))

    turns, worst = rotations(motions[:, :, 3:7]), 0.0
    for i, j, at in scene[2]:
        gap = motions[:, i, :3] + turns[:, i] @ local(i, at) - motions[:, j, :3] - turns[:, j] @ local(j, at)
        worst = max(worst, np.linalg.norm(gap, axis=-1).max())
    return worst


def measured(name, program, file):
    scene = SCENES[name]
    wall, times, force, motions = motion_of(program, file, len(scene[0]))
    kinetic, potential = energies(scene, motions)
    total = kinetic + potential
    lost = max(total[0] - total[-1], 1e-300)
    weight = GRAVITY * sum(body[2] for body in scene[0])
    last = max(1, len(times) // 4)
    depths = [depth(scene, frame) / scene[0][0][1][0] for frame in motions]
    return {"wall": wall, "until": times[-1], "depth": max(depths), "rest_depth": depths[-1],
            "gained": np.where(np.diff(total) > 1e-12 * total[0], np.diff(total), 0).sum() / (lost if name not in STACKS else weight * 0.2),
            "kinetic": kinetic[-1] / lost, "height": potential[-1] / weight,
            "force": abs(force[-last:].mean() / weight - 1), "jitter": force[-last:].std() / weight,
            "joints": joint_violation(scene, motions) / 0.1,
            "aside": math.dist(motions[-1, -1, :2], motions[0, -1, :2]), "sunk": motions[0, -1, 2] - motions[-1, -1, 2]}


STACKS = ("stack", "offset_stack")
ENDS = {name: end / float(sys.argv[3]) for name, end in {"spheres": 2, "boxes": 2, "capsules": 2, "stack": 100, "offset_stack": 100, "chain": 2}.items()}


def impacts(program, setting, file):
    """(setting, wall time, errors of depth, duration and speed) of the runs in a file."""
    radius, speed, young, poisson = 0.01, 0.1, 2.1e11, 0.3
    mass = 4 / 3 * math.pi * radius**3 * 7850
    stiffness = 4 / 3 * young / (2 * (1 - poisson**2)) * math.sqrt(radius)
    deepest = (5 * mass * speed**2 / (4 * stiffness))**0.4
    lasts = 2 * math.sqrt(math.pi) * math.gamma(1.4) / math.gamma(0.9) * deepest / speed

    def errors(samples):
        t, x, v = samples[:, 0], samples[:, 1], samples[:, 2]
        k = x.argmax()
        shift = 0.5 * (x[k - 1] - x[k + 1]) / (x[k - 1] - 2 * x[k] + x[k + 1])  # of the parabola through three outputs
        top = x[k] - 0.25 * (x[k - 1] - x[k + 1]) * shift
        return abs(top / deepest - 1), abs((t[-1] - x[-1] / v[-1]) / lasts - 1), abs(v[-1] / speed + 1)

    if program == "Hooke":
        columns, values = hooke_table(file)
        samples = values[:, [0, columns["body.ball.position.x"], columns["body.ball.velocity.x"]]]
        samples[:, 1] += radius
        yield setting, min(wall_times(file + ".log")), errors(samples)
        return
    for block in re.split(r"^Simbody \| ", Path(file).read_text(), flags=re.M)[1:]:
        head, *rows = block.strip().split("\n")
        setting, _, wall = head.split(" | ")
        yield setting, float(wall), errors(np.array([[float(x) for x in row.split()] for row in rows]))


def small(x):
    return "0" if x == 0 else f"{x:.1e}" if x < 0.001 or x >= 1000 else f"{x:.3g}"


COLUMNS = {  # title -> measure; the smaller the better
    "spheres": {"penetration / radius": "depth", "at the end": "rest_depth", "energy gained / lost": "gained", "kinetic energy left / lost": "kinetic",
                "force of the bin, error": "force", "its scatter": "jitter"},
    "stack": {"top aside, m": "aside", "top sunk, m": "sunk", "penetration / edge": "depth", "energy gained / (weight x edge)": "gained",
              "force of the floor, error": "force", "its scatter": "jitter"},
    "chain": {"penetration / radius": "depth", "at the end": "rest_depth", "joint violation / link": "joints", "energy gained / lost": "gained",
              "kinetic energy left / lost": "kinetic", "force of the floor, error": "force", "its scatter": "jitter"},
}
COLUMNS["offset_stack"] = COLUMNS["stack"]
COLUMNS["capsules"] = COLUMNS["spheres"]
COLUMNS["boxes"] = {title.replace("radius", "edge"): measure for title, measure in COLUMNS["spheres"].items()}
TEXT = {
    "spheres": ("1000 spheres fall into a bin", "Radius 0.05 m, five half-spaces, friction 0.3, restitution 0.2, 2 s. *Height* is that of the centre of mass at "
                "the end: heaps differ, since the motion is chaotic."),
    "boxes": ("100 boxes fall into a bin", "Edges of 0.12, 0.1 and 0.08 m, turned any way at the start, five half-spaces, friction 0.3, restitution 0.2, 2 s. *Penetration* of two "
              "boxes is the least motion that parts them, as a part of the longest edge."),
    "capsules": ("200 capsules fall into a bin", "Radius 0.04 m, 0.1 m between the centres of their ends, otherwise as the boxes."),
    "stack": ("Ten boxes on each other, 100 s", "Cubes of 0.2 m and 8 kg, exactly above each other, friction 0.5. Nothing should move."),
    "offset_stack": ("Ten boxes out of line, 100 s", "The same, each box up to 10 mm out of line in x and y; nothing should move either."),
    "chain": ("A chain of 100 links falls on the floor", "Capsules of 0.1 m and radius 0.02 m on spherical joints, coiled up above the floor, friction 0.3, restitution "
              "0.2, 2 s. Neighbours do not touch. Joints of MuJoCo are coordinates and cannot be violated."),
}


def not_better(runs, measures):
    """For each measure: runs of Hooke that a faster peer equals or beats, and a peer that is better than all of them."""
    for title, measure in measures.items():
        best = {own: min(((abs(run[measure]), key) for key, run in runs.items() if (key[0] == "Hooke") == own), default=None)
                for own in (True, False)}
        if best[True] and best[False] and best[False][0] < best[True][0]:
            yield f"{title}: best of all is {' '.join(best[False][1])} with {small(best[False][0])}; Hooke's best is {small(best[True][0])}"
        for key, run in runs.items():
            if key[0] != "Hooke":
                continue
            peers = [(peer["wall"], name) for name, peer in runs.items()
                     if name[0] != "Hooke" and abs(peer[measure]) <= abs(run[measure]) and peer["wall"] < run["wall"]]
            if peers:
                wall, name = min(peers)
                yield f"{title}, {key[1]}: {name[0]} {name[1]} is as good and {run['wall'] / wall:.3g} times as fast"


def show(name, losses):
    runs, failed = {}, []
    for scene, program, setting, file, status in lines:
        if scene != name:
            continue
        left_out = program == "MuJoCo" and "left out" in Path(file + ".log").read_text()
        if status == "3" and program == "MuJoCo":
            failed.append(f"{program} {setting}: unstable, it starts anew by itself; not in the table.")
            continue
        if not Path(file).exists():
            failed.append(f"{program} {setting}: {f'not done after {limit:g} s' if status == '124' else f'failed with status {status}'}.")
            continue
        run = runs[program, setting] = measured(name, program, file)
        if left_out:
            failed.append(f"{program} {setting}: more contacts than its memory holds (2 GB), some were left out.")
        if run["until"] < ENDS[name] - 1e-9:
            failed.append(f"{program} {setting}: stopped after {limit:g} s at t = {run['until']:.3g} s; its row is up to there.")
    title, text = TEXT[name]
    measures = COLUMNS[name]
    extra = ["stands"] if name in STACKS else ["height, m"]

    def last(run):
        return f"{run['height']:.4g}" if extra == ["height, m"] else "yes" if run["sunk"] < 0.05 and run["aside"] < 0.1 else "**no**"

    rows = [[key[0], key[1], f"{run['wall']:.3g} s"] + [small(run[m]) if run[m] >= 0 else f"{run[m]:.1e}" for m in measures.values()] + [last(run)]
            for key, run in sorted(runs.items(), key=lambda item: (item[0][0] != "Hooke", item[0][0], item[1]["wall"]))]
    print(f"### {title}\n\n{text}\n\n" + plots.markdown(["program", "setting", "wall time", *measures, *extra], rows) + "\n")
    for line in failed:
        print(f"- {line}")
    if failed:
        print()
    whole = {key: run for key, run in runs.items() if run["until"] >= ENDS[name] - 1e-9 and "no" not in last(run)}
    losses += [f"{title}: {line}" for line in not_better(whole, measures)]
    losses += [f"{title}: {key[1]}: the stack falls" for key, run in runs.items()
               if key[0] == "Hooke" and name in STACKS and last(run) != "yes"]
    losses += [f"{title}: {line}" for line in failed if line.startswith("Hooke")]


def show_impacts(losses):
    runs = {}
    for scene, program, setting, file, _ in lines:
        if scene == "hertz":
            for setting, wall, errors in impacts(program, setting, file):
                runs[program, setting] = {"wall": wall, "depth": errors[0], "duration": errors[1], "speed": errors[2]}
    if not runs:
        return
    measures = {"error of the depth": "depth", "of the duration": "duration", "of the speed after it": "speed"}
    rows = [[key[0], key[1], f"{1e3 * run['wall']:.3g} ms"] + [small(run[m]) for m in measures.values()]
            for key, run in sorted(runs.items(), key=lambda item: (item[0][0], item[1]["wall"]))]
    print("### Impact of a steel ball after Hertz\n\n`models/contact/hertz.yaml`: the compliant law against Simbody's HuntCrossleyForce. Relative errors against "
          "the closed form, depth (5 m v^2/(4 k))^(2/5), duration 2.9433 depth/v; time of the best of 5 (Hooke) or 20 runs without outputs. Simbody combines moduli "
          "in its own way and is given those that make the same k.\n\n" + plots.markdown(["program", "setting", "wall time", *measures], rows) + "\n")
    losses += [f"Impact: {line}" for line in not_better(runs, measures)]


print(f"""## Contact, against other programs

The same scenes with MuJoCo 2.2 (soft contacts with elliptic cones, time constant of two steps), Bullet 3.24 (double precision, sequential impulses; nothing falls
asleep) and Simbody 3.7, all from Debian packages; Hooke with `law: rigid`. One thread, one after the other in one run of

    bench/peers/contact/run

on {date.today()}. *Wall time* is that of the steps alone. All measures come from places and speeds at the outputs, in the same way for all programs. *Penetration*: the deepest
at any output, and at the last one. *Energy gained*: sum of all increases of the total energy from output to output; there should be none. *Force*: of the fixed planes upwards, as the program itself
gives it, over the last quarter of the time: relative error of its mean against the weight, and standard deviation. Runs are stopped after {limit:g} s.
""")
losses = []
for name in TEXT:
    if any(line[0] == name for line in lines):
        show(name, losses)
show_impacts(losses)
for line in lines:
    if line[0] == "narrow":
        print(Path(line[3]).read_text())
print("### Where Hooke is not better\n\nSettings of Hooke that a faster program equals in that measure, measures in which another program is best of all, and runs that failed:\n")
print("\n".join(f"- {line}" for line in losses) or "- nowhere")
