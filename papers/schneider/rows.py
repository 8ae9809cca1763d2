"""Every table and figure of Schneider et al. (2017), and where its cases can be run; papers/index says how rows are read."""

TABLES, FIGURES = 1, 18
ROWS = [
    ("Table 1", "data of the two masses", "reproduced", r"used throughout (<(table 1's data)>)"),
    ("Fig. 1", "inputs and outputs", "sketch", ""),
    ("Fig. 2", "parallel co-simulation", "sketch", ""),
    ("Fig. 3", "two masses", "sketch", ""),
    ("Fig. 4", "stable regions, exact forces", "reproduced", r"drawn (<(Exact forces, mass ratio and macro step \(figure 4\))>); the paper gives no numbers"),
    ("Fig. 5", "stable regions, approximate forces", "reproduced", r"drawn (<(Approximate forces \(figure 5\))>); its thresholds are those of Fig. 6"),
    ("Fig. 6", "zero-stability over the mass ratio", "reproduced",
     r"thresholds <\| constant +\| [\d.]+ +\| [\d.]+ +\| ([\d.]+)>, <\| linear +\| [\d.]+ +\| [\d.]+ +\| ([\d.]+)> and "
     r"<\| quadratic +\| [\d.]+ +\| [\d.]+ +\| ([\d.]+)>, off (69) by <thresholds are off \(69\) by, relatively: ([\d.e-]+), at most .*: holds>"),
    ("Fig. 7", "stable regions by stiffness and damping of the multibody system", "reproduced", r"drawn (<vary \((figure 7)\)>)"),
    ("Fig. 8", "stable regions by those of the structure", "reproduced", r"drawn (<c_F and d_F \((figure 8)\)>)"),
    ("Fig. 9", "stable and unstable points in c_F, d_F, h", "with difference", r"shown as the surface between them (<(the border of figure 9)>)"),
    ("Fig. 10", "order of convergence, exact forces", "reproduced",
     r"off 1 by <order with a constant force and linear or quadratic motion: off 1 by: ([\d.]+), at most .*: holds>, off 2 by "
     r"<order with a linear force and quadratic motion: off 2 by: ([\d.]+), at most .*: holds>; (67) with other signs than printed"),
    ("Fig. 11", "instability with quadratic extrapolation", "with difference",
     r"lost after <\| 5 +\| (\d+) +\| 40 to 50>, <\| 10 +\| (\d+) +\| 40 to 50> and <\| 20 +\| (\d+) +\| 40 to 50> steps (h = 5, 10, 20 ms), the paper 40 to 50"),
    ("Fig. 12", "order of convergence, approximate forces", "reproduced",
     r"off 1 by <order with a constant force and linear motion: off 1 by: ([\d.]+), at most .*: holds>"),
    ("Fig. 13", "order with a linearly implicit structure", "reproduced",
     r"constant force and linear motion lose <lose against quadratic ones, as a fraction of the error: ([\d.]+), at most .*: holds> of the error"),
    ("Fig. 14", "multibody system of the cable", "sketch", "the paper gives no measures; ours are on the page"),
    ("Fig. 15", "snapshot of the cable", "reproduced",
     r"drawn (<(Carriage, arm, hand and the nodes of the cable)>), within <off where the whole has them by \(m\): ([\d.e-]+), at most .*: holds> m of the whole; our own "
     r"multibody system"),
    ("Fig. 16", "convergence with the cable", "reproduced", r"last order off 1 by <last order is off 1 by: ([\d.]+), at most .*: holds>, with our own multibody system"),
    ("Fig. 17", "zero-stability over the total mass ratio", "reproduced",
     r"quadratic extrapolation lost at <\| quadratic +\| ([\d.]+) +\| stable +\| grows +\| [\d.]+>, the paper about 4; our own multibody system"),
    ("Fig. 18", "stable regions for finite steps", "with difference",
     r"drawn (<(Cable: unstable regions)>); our own multibody system; steps larger than the linearised systems allow are not stable here "
     r"(<\| linear +\| ([\d.]+) +\| [\d.]+ +\|\n> ms and <\| linear +\| [\d.]+ +\| ([\d.]+) +\|\n> ms with linear extrapolation), the paper says they may be"),
]
CASES = [
    ("5 two masses", "models/coupled/two_masses.yaml, models/coupled/state_space.yaml"),
    ("6 cable", "models/coupled/cable.yaml"),
]
# Changes of the code that were tried, and what then no longer held.
BREAKS = [
    ("velocities by the polynomial's derivative without its exponent (`set_polynomial`)", 'order with a linear force and quadratic motion (off 2 by 0.38), order with both linear, errors of participants (off by 0.46)'),
    ("half of the structure's mass in the exact forces (`ForceDisplacementCoupling::exchange`)", 'errors of participants are off those of the matrices by 5.9'),
    ('outputs at a macro point in turn instead of side by side (`Outputs::is_fresh`)', 'radii (0.76 off (69)), thresholds (0.9 off), steps until lost'),
]
