"""Every table and figure of Kan et al., and where its cases can be run; papers/index says how rows are read."""

TABLES, FIGURES = 1, 19
ROWS = [
    ("Table 1", "times of full CR and of the component, three meshes", "with difference",
     r"ratios <\| A +\|[^|]*\|[^|]*\|(?:[^|]*it\.\) +\|)+ ([\d.]+) +\|>, <\| B +\|[^|]*\|[^|]*\|(?:[^|]*it\.\) +\|)+ ([\d.]+) +\|> and "
     r"<\| C +\|[^|]*\|[^|]*\|(?:[^|]*it\.\) +\|)+ ([\d.]+) +\|> instead of 38.7, 40.8 and 34.7; over 50 steps at speed, the paper over 1000"),
    ("Fig. 1", "element and its frames", "sketch", ""),
    ("Fig. 2", "bodies as components", "sketch", ""),
    ("Fig. 3", "force that depends on coordinates", "sketch", ""),
    ("Fig. 4", "a component broken into several", "sketch", ""),
    ("Fig. 5", "cuboid pendulum and its meshes", "sketch", ""),
    ("Fig. 6", "displacement, velocity, acceleration of its end", "with difference",
     r"displacement within <tip of the component within 0.1 % of the length of full CR's \(m\): ([\d.e-]+), at most .*: holds> m of full CR, full CR within "
     r"<full CR's tip beside CalculiX's.*?\(m\): ([\d.e-]+), at most> m of CalculiX; velocity "
     r"<its velocity as full CR's, of the largest: ([\d.e-]+),> and acceleration <its acceleration as full CR's, of the largest: ([\d.e-]+),> of their largest "
     r"off full CR's"),
    ("Fig. 7", "local displacement of the mid-span point", "with difference",
     r"the component's is off by <with one frame for the body within 2 %: ([\d.e-]+),> of the largest after 10 s (delayed by the stiffening that one frame "
     r"does not see), <and with the paper's frame and force: ([\d.e-]+),> with the paper's frame and force, "
     r"<forces of full CR and constant matrix: ([\d.e-]+),> with `corotation: element, tangent: constant`"),
    ("Fig. 8", "iterations of each step", "with difference", r"<at most 4 iterations a step on average: ([\d.]+),> on average, the paper about 4 under its own rule"),
    ("Fig. 9", "spinning top", "sketch", ""),
    ("Fig. 10", "displacements of two of its points", "with difference",
     r"shown as the direction of the axis, within <axis of the component beside full CR's \(rad\): ([\d.e-]+), at most .*: holds> rad of full CR; our own top, "
     r"the paper gives no measures"),
    ("Fig. 11", "local displacement of a point of the top", "with difference",
     r"within <local displacement of a point of the rim within 5 % of full CR's largest: ([\d.e-]+), at most> of full CR's largest; our own top"),
    ("Fig. 12", "cantilever and its components", "sketch", ""),
    ("Fig. 13", "static deflection by number of components", "with difference",
     r"<\| 20 components +\| [^|]*\| ([\d.]+ %)> off full CR with 20 components, the paper less than 0.15 %; "
     r"<\| 20 components, grading 1.4 *\| [^|]*\| ([\d.]+ %)> with shorter ones at the clamp, "
     r"<\| 20 components, forces of full CR *\| [^|]*\| ([\d.]+ %)> with the forces of full CR"),
    ("Fig. 14", "deflection over time", "with difference",
     r"within <curves within 2 % of the largest deflection: ([\d.]+), at most .*: holds> of full CR; largest <Largest deflection [\d.]+ m, ([\d.]+) of the static> "
     r"times the static one, the paper about 2"),
    ("Fig. 15", "shapes", "reproduced", r"drawn (<(shapes \(the paper's Figs. 13 to 15\))>)"),
    ("Fig. 16", "slider crank of solids", "sketch", ""),
    ("Fig. 17", "centres of the links", "with difference",
     r"rod within <middle of the rod as full CR's in the first \d+ steps \(m\): ([\d.e-]+), at most> m of full CR, over "
     r"<middle of the rod as full CR's in the first (\d+) steps> of 1000 steps; our own measures, the paper gives none"),
    ("Fig. 18", "mid-span deformation of the links", "with difference",
     r"rod within <its bending as full CR's, of its largest there: ([\d.e-]+), at most> of its largest there, over the same steps"),
    ("Fig. 19", "shapes, magnified 3000 times", "reproduced", r"drawn (<(Shapes at four times, deformation magnified 3000 times)>)"),
]
CASES = [
    ("6.1 cuboid pendulum", "models/papers/kan_cuboid.yaml (mesh A; B and C by --set parameters)"),
    ("6.2 spinning top", "models/flexible/solid_top.yaml"),
    ("6.3 cantilever", "models/papers/kan_cantilever.yaml"),
    ("6.4 slider crank", "models/papers/kan_slider_crank.yaml"),
]
# Changes of the code that were tried, and what then no longer held.
BREAKS = [
    ("the consistent part of the component's force is left out (`add_component_forces`)", "tip of the component: 40 mm off full CR, at most 40 mm"),
    ("the component's forces are 5 % too large", "acceleration of the free end (0.53 of its largest); deflection 0.42 off, where 0.079 fails already"),
    ("displacements across are 10 % too small (`deform`)", "acceleration (0.46), iterations a step (4.3)"),
    ("the predictor does not carry the body as a whole (`CorotationalSolid::carry`)",
     "6.2: the top's first steps fail, the page is not made (6.1 goes on as before: Newton's iteration makes up for it)"),
]
