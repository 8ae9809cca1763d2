"""Every table and figure of Zhou, Ren, Masarati (2022), and where its cases can be run; papers/index says how rows are read."""

TABLES, FIGURES = 2, 11
ROWS = [
    ("Table 1", "matrices of rigid, FFRF and ANCF bodies", "sketch", "a summary of formulas; tests compare the bodies with finite differences of their energies"),
    ("Table 2", "times relative to the rigid rod", "with difference",
     r"FFRF with constant mass <\| ffrf, constant mass +\| 1e-05 +\|[^|]*\| ([\d.]+)> instead of 2, ANCF <\| ancf +\| 1e-05 +\|[^|]*\| ([\d.]+)> instead of 9 at h = 1e-5; at 1e-4 "
     r"<\| ffrf, constant mass +\| 0.0001 +\|[^|]*\| ([\d.]+)> and <\| ancf +\| 0.0001 +\|[^|]*\| ([\d.]+)>, where the paper's ANCF does not converge; a Jacobian by differences, "
     r"which the paper has, would cost <\| ancf +\| \d+ +\| [\d.]+ +\| ([\d.]+)> times that of the rigid rod"),
    ("Fig. 1", "flexible rod", "sketch", ""),
    ("Fig. 2", "the process", "sketch", ""),
    ("Fig. 3", "spatial slider crank", "sketch", ""),
    ("Fig. 4", "slider, rigid", "reproduced", r"h = 5e-5 s: within <\| 5e-05 +\| 20000 +\| ([\d.e-]+)> m and <\| 5e-05 +\| 20000 +\| [\d.e-]+ +\| ([\d.e-]+)> m/s"),
    ("Fig. 5", "crank, rigid", "reproduced", r"within <\| 5e-05 +\| 20000 +\| [\d.e-]+ +\| [\d.e-]+ +\| ([\d.e-]+)> rad"),
    ("Fig. 6", "energy, rigid", "reproduced", r"off by at most <\| 5e-05 +\| 20000 +(?:\| [\d.e-]+ +){4}\| ([\d.e-]+)> J; the paper shows a slow decay"),
    ("Fig. 7", "crank angle for several steps", "with difference",
     r"order <\| 5e-05 +\| 20000 +(?:\| [\d.e-]+ +){5}\| ([\d.]+)> of the energy; the crank's error is largest at h = 5e-4 s "
     r"(<\| 0.0005 +\| 2000 +\| [\d.e-]+ +\| [\d.e-]+ +\| ([\d.e-]+)> rad), not at 1e-3 s, where terms of second and third order cancel"),
    ("Fig. 8", "ANCF element", "sketch", ""),
    ("Fig. 9", "slider, flexible", "with difference", r"drawn with h = 1e-4 s; with the paper's 1e-5 (FFRF) <\| ffrf, constant mass +\| 1e-05 +(?:\|[^|]*){3}\| ([\d.e-]+)> m, with its 5e-6 s (ANCF) <\| ancf +\| 5e-06 +(?:\|[^|]*){3}\| ([\d.e-]+)> m off the whole, over a part of its 5 s"),
    ("Fig. 10", "crank angle, flexible", "with difference", r"drawn (<(Case 2, h = 1e-4 s, coupled)>) with the same step"),
    ("Fig. 11", "energy, flexible", "with difference", r"drift <\| ancf +\| 0.0001 +(?:\|[^|]*){7}\| ([\d.e-]+) +\|> J with ANCF at h = 1e-4 s, <\| ancf +\| 5e-06 +(?:\|[^|]*){7}\| ([\d.e-]+) +\|> J at 5e-6 s"),
]
CASES = [
    ("case 1, rigid", "models/papers/zhou_rigid.yaml"),
    ("case 2, FFRF", "models/papers/zhou_ffrf.yaml"),
    ("case 2, ANCF", "models/papers/zhou_ancf.yaml"),
    ("iteration (39) over the whole system", "models/papers/zhou_rigid.yaml with `--set coupling.response=whole`"),
]
# Changes of the code that were tried, and what then no longer held.
BREAKS = [
    ("the drift of positions (37) is left out (`StabilisedAlpha::predict`)", "coupled equals monolithic: 990 times what the tolerance allows"),
    ("velocities are not drawn to the constraints, beta = 0 (`StabilisedAlpha::evaluate`)", "the same: 4.7e6 times"),
    ("the iteration stops at 1e-5 whatever is asked for (`Relaxation::is_settled`)", "the same, implicit (1.6e4 times) and explicit (1.6e5 times)"),
]
