"""scenes.py FOLDER: the scenes of bench/peers/contact/run, each as a model of Hooke (.yaml) and as plain lines that scene.h reads (.txt)."""

import math
import random
import sys
from pathlib import Path


def cuboid_inertia(mass, x, y, z):
    return [mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z), mass / 12 * (x * x + y * y)]


def spheres():
    """1000 spheres in a grid of 6 x 6 columns, a little out of line, above the floor of a bin."""
    chance, radius, side = random.Random(1), 0.05, 6
    spacing = 2.2 * radius
    half = side * spacing / 2
    bodies = []
    for k in range(1000):
        column = [k % side, k // side % side]
        x, y = ((c + 0.5) * spacing - half + chance.uniform(-1, 1) * 0.05 * radius for c in column)
        at = [x, y, 1.5 * radius + k // side**2 * spacing]
        bodies.append(("sphere", [radius, 0, 0], 1.0, [0.4 * radius**2] * 3, at, [1, 0, 0, 0]))
    return bodies, bin_of(half), [], 0.3, 0.2, 0.04


def pile(kind, count, size, mass, inertia):
    """Bodies in a grid of 4 x 4 columns, turned any way, above the floor of a bin."""
    chance, side = random.Random(3), 4
    spacing = 1.05 * (math.hypot(*size) if kind == "box" else 2 * size[0] + size[1])  # so that none meets another at the start
    half = side * spacing / 2
    bodies = []
    for k in range(count):
        at = [(k % side + 0.5) * spacing - half, (k // side % side + 0.5) * spacing - half, (k // side**2 + 0.5) * spacing]
        turn = [chance.gauss(0, 1) for _ in range(4)]
        norm = math.hypot(*turn)
        bodies.append((kind, size, mass, inertia, at, [q / norm for q in turn]))
    return bodies, bin_of(half), [], 0.3, 0.2, 0.02


def bin_of(half):
    walls = [([1, 0, 0], [-half, 0, 0]), ([-1, 0, 0], [half, 0, 0]), ([0, 1, 0], [0, -half, 0]), ([0, -1, 0], [0, half, 0])]
    return [([0, 0, 1], [0, 0, 0])] + walls


def boxes():
    edges = [0.12, 0.1, 0.08]
    return pile("box", 100, edges, 1.0, cuboid_inertia(1.0, *edges))


def capsules():
    radius, length, mass = 0.04, 0.1, 1.0
    ball = 4 / 3 * radius / (length + 4 / 3 * radius) * mass  # of the two ends together
    middle = mass - ball
    along = middle * radius**2 / 2 + ball * 0.4 * radius**2
    across = middle * (length**2 / 12 + radius**2 / 4) + ball * (0.4 * radius**2 + length**2 / 4 + 0.375 * length * radius)
    return pile("capsule", 200, [radius, length, 0], mass, [across, across, along])


def stack(offset):
    """Ten cubes on each other, each out of line by up to `offset` in x and y: far less than what would tip it over."""
    chance, edge = random.Random(2), 0.2
    bodies = [("box", [edge] * 3, 8.0, cuboid_inertia(8.0, edge, edge, edge),
               [chance.uniform(-offset, offset), chance.uniform(-offset, offset), (k + 0.5) * edge], [1, 0, 0, 0])
              for k in range(10)]
    return bodies, [([0, 0, 1], [0, 0, 0])], [], 0.5, 0.0, 1.0


def chain():
    """100 links as a coil of 5 turns above the floor, which falls and lies down on itself."""
    links, length, radius, coil, pitch, height, mass = 100, 0.1, 0.02, 0.3, 0.07, 0.3, 0.1
    low, high = 0.0, 1.0  # the angle of a link, of which the chord is its length
    for _ in range(100):
        angle = (low + high) / 2
        chord = math.hypot(2 * coil * math.sin(angle / 2), pitch * angle / (2 * math.pi))
        low, high = (angle, high) if chord < length else (low, angle)
    points = [[coil * math.cos(angle * i), coil * math.sin(angle * i), height + pitch * angle * i / (2 * math.pi)]
              for i in range(links + 1)]
    bodies = []
    for a, b in zip(points, points[1:]):
        x, y, z = ((q - p) / length for p, q in zip(a, b))
        turn = [1 + z, -y, x, 0]  # from the z axis to the link
        norm = math.hypot(*turn)
        across = mass * (length**2 / 12 + radius**2 / 4)
        bodies.append(("capsule", [radius, length, 0], mass, [across, across, mass * radius**2 / 2],
                       [(p + q) / 2 for p, q in zip(a, b)], [q / norm for q in turn]))
    return bodies, [([0, 0, 1], [0, 0, 0])], [(i - 1, i, points[i]) for i in range(1, links)], 0.3, 0.2, 0.02


SCENES = {"spheres": spheres(), "boxes": boxes(), "capsules": capsules(), "stack": stack(0.0), "offset_stack": stack(0.01), "chain": chain()}


def numbers(values):
    return "[" + ", ".join(f"{v:.15g}" for v in values) + "]"


def surface(kind, size):
    # Edges nearly sharp, as those of the other programs: by itself Hooke rounds them by 2 % of the least.
    return {"sphere": f"sphere: {size[0]}", "box": f"box: {size}, edge_radius: 1e-4",
            "capsule": f"capsule: {{radius: {size[0]}, length: {size[1]}}}"}[kind]


def yaml(scene):
    bodies, planes, joints, friction, restitution, every = scene
    law = f"law: rigid, friction: {friction}, restitution: {restitution}"
    touching = ", ".join(f"b{k}" for k in range(len(bodies)))
    lines = ["hooke: 1", "gravity: [0, 0, -9.81]", "bodies:"]
    lines += [f"  b{k}: {{rigid: {{mass: {mass}, inertia: {numbers(inertia)}}}, at: {numbers(at)}, quaternion: {numbers(turn)}}}"
              for k, (_, _, mass, inertia, at, turn) in enumerate(bodies)]
    lines += ["joints:"] * bool(joints)
    lines += [f"  j{j}: {{spherical: [b{i}, b{j}], at: {numbers(at)}}}" for i, j, at in joints]
    lines += ["surfaces:"]
    lines += [f"  b{k}: {{{surface(kind, size)}, body: b{k}}}" for k, (kind, size, *_) in enumerate(bodies)]
    lines += [f"  plane{k}: {{half-space: {normal}, at: {numbers(at)}}}" for k, (normal, at) in enumerate(planes)]
    lines += ["contacts:", f"  bodies: {{among: [{touching}], {law}}}",
              f"  planes: {{between: [[{', '.join(f'plane{k}' for k in range(len(planes)))}], [{touching}]], {law}}}",
              f"outputs: {{every: {every}}}"]
    return "\n".join(lines) + "\n"


def plain(scene):
    bodies, planes, joints, friction, restitution, every = scene

    def line(word, *lists):
        return word + " " + " ".join(f"{v:.17g}" for values in lists for v in values)

    lines = [line("law", [friction, restitution, every])]
    lines += [line(kind, size, [mass], inertia, at, turn) for kind, size, mass, inertia, at, turn in bodies]
    lines += [line("plane", normal, at) for normal, at in planes]
    lines += [line("joint", [i, j], at) for i, j, at in joints]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for name, scene in SCENES.items():
        Path(sys.argv[1], name + ".yaml").write_text(yaml(scene))
        Path(sys.argv[1], name + ".txt").write_text(plain(scene))
