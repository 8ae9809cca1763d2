"""Andrews' squeezing mechanism solved a second time: the seven angles of the IVP test set, whose equations of motion are
derived here symbolically, integrated as an ODE (index 1) by SciPy's DOP853. Prints the values at t = 0.03 s. Needs sympy, scipy."""

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp
from sympy import cos, sin

angles = beta, Theta, gamma, Phi, delta, Omega, epsilon = sp.symbols("beta Theta gamma Phi delta Omega epsilon")
rates = sp.symbols("r1:8")
exact = sp.Rational
xa, ya, xb, yb, xc, yc = map(exact, "-.06934 -.00227 -.03635 .03273 .014 .072".split())
d, da, e, ea, rr, ra, ss, sa, sb, sc, sd, ta, tb, u, ua, ub, zf, zt, fa = map(
    exact, ".028 .0115 .02 .01421 .007 .00092 .035 .01874 .01043 .018 .02 .02308 .00916 .04 .01228 .00449 .02 .04 .01421".split())
masses = map(exact, ".04325 .00365 .02373 .00706 .07050 .00706 .05498".split())
inertias = map(exact, "2.194e-6 4.410e-7 5.255e-6 5.667e-7 1.169e-5 5.667e-7 1.912e-5".split())

centres = [
    (ra * cos(beta), ra * sin(beta)),
    (rr * cos(beta) - da * cos(beta + Theta), rr * sin(beta) - da * sin(beta + Theta)),
    (xb + sa * sin(gamma) + sb * cos(gamma), yb - sa * cos(gamma) + sb * sin(gamma)),
    (xa + zt * cos(delta) + (e - ea) * sin(Phi + delta), ya + zt * sin(delta) - (e - ea) * cos(Phi + delta)),
    (xa + ta * cos(delta) - tb * sin(delta), ya + ta * sin(delta) + tb * cos(delta)),
    (xa + u * sin(epsilon) + (zf - fa) * cos(Omega + epsilon), ya - u * cos(epsilon) + (zf - fa) * sin(Omega + epsilon)),
    (xa + ua * sin(epsilon) - ub * cos(epsilon), ya - ua * cos(epsilon) - ub * sin(epsilon)),
]
turns = [beta, beta + Theta, gamma, Phi + delta, delta, Omega + epsilon, epsilon]
end_of_K2 = (rr * cos(beta) - d * cos(beta + Theta), rr * sin(beta) - d * sin(beta + Theta))
constraints = sp.Matrix([
    end_of_K2[0] - ss * sin(gamma) - xb,
    end_of_K2[1] + ss * cos(gamma) - yb,
    end_of_K2[0] - e * sin(Phi + delta) - zt * cos(delta) - xa,
    end_of_K2[1] + e * cos(Phi + delta) - zt * sin(delta) - ya,
    end_of_K2[0] - zf * cos(Omega + epsilon) - u * sin(epsilon) - xa,
    end_of_K2[1] - zf * sin(Omega + epsilon) + u * cos(epsilon) - ya,
])

q, v = sp.Matrix(angles), sp.Matrix(rates)
mass_matrix, force = sp.zeros(7, 7), sp.zeros(7, 1)
for centre, turn, mass, inertia in zip(centres, turns, masses, inertias):
    J = sp.Matrix(centre).jacobian(q)
    J_turn = sp.Matrix([turn]).jacobian(q)
    mass_matrix += mass * J.T * J + inertia * J_turn.T * J_turn
    force -= mass * J.T * ((J * v).jacobian(q) * v)
D = (xb + sc * sin(gamma) + sd * cos(gamma), yb + sd * sin(gamma) - sc * cos(gamma))
length = sp.sqrt((D[0] - xc) ** 2 + (D[1] - yc) ** 2)
force -= sp.Matrix([exact(4530, 2) * (length - exact(".07785")) ** 2]).jacobian(q).T
force[0] += exact(".033")
G = constraints.jacobian(q)
evaluate = sp.lambdify([*angles, *rates], [mass_matrix, force, G, (G * v).jacobian(q) * v, constraints], "numpy", cse=True)


def solve(y):
    M, f, G, bias, _ = evaluate(*y)
    z = np.linalg.solve(np.block([[M, G.T], [G, np.zeros((6, 6))]]), np.concatenate([f[:, 0], -bias[:, 0]]))
    return z[:7], z[7:]


start = [-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550, -0.222668390165885885,
         1.23054744454982119] + 7 * [0]
np.set_printoptions(precision=15)
for tolerance in (1e-11, 1e-12, 1e-13):
    result = solve_ivp(lambda t, y: np.concatenate([y[7:], solve(y)[0]]), (0, 0.03), start, method="DOP853", rtol=tolerance,
                       atol=1e-2 * tolerance)
    end = result.y[:, -1]
    print(f"tolerance {tolerance:g}, constraints violated by {np.abs(evaluate(*end)[4]).max():.1g}")
    print("  angles", end[:7], "\n  beta', Theta'", end[7:9], "\n  lambda1, lambda2", solve(end)[1][:2])
