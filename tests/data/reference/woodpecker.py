"""The woodpecker toy of models/contact/woodpecker.yaml in three coordinates, by Moreau's time stepping.

An independent solution: height of the sleeve, angle of the sleeve, angle of the bird, with the full geometry or (--linear)
with that for small angles, which Glocker (1995) and Leine, Glocker, van Campen (2001) use. Prints the time from one sticking to
the next and how far the toy comes down in it, means over the cycles after the first two.

    python3 woodpecker.py [--linear] [STEP]
"""
import sys
import numpy as np

m_sleeve, J_sleeve, m_bird, J_bird, stiffness, g = 3e-4, 5e-9, 4.5e-3, 7e-7, 5.6e-3, 9.81
r0, rM, hM, lM, lG, lS, hS = 2.5e-3, 3.1e-3, 5.8e-3, 0.010, 0.015, 0.0201, 0.02
restitution, friction = np.array([0.5, 0, 0]), 0.3
linear = "--linear" in sys.argv


def motion(q, u):
    """Mass matrix and forces less what the coordinates' curvature takes."""
    a, b = (0.0, 0.0) if linear else q[1:]
    J = np.array([[0, -lM * np.sin(a), -lG * np.sin(b)], [1, lM * np.cos(a), lG * np.cos(b)]])
    bias = np.array([-lM * np.cos(a) * u[1] ** 2 - lG * np.cos(b) * u[2] ** 2,
                     -lM * np.sin(a) * u[1] ** 2 - lG * np.sin(b) * u[2] ** 2])
    if linear:
        bias[:] = 0
    M = np.diag([m_sleeve, J_sleeve, J_bird]) + m_bird * J.T @ J
    torque = stiffness * (q[2] - q[1])
    f = np.array([-m_sleeve * g, torque, -torque]) + J.T @ (m_bird * np.array([0, -g]) - m_bird * bias)
    return M, f


def gaps(q):
    """Of the beak, the lower and the upper edge of the sleeve; gradients across and along the pole."""
    if linear:
        value = [lM + lG - lS - r0 - hS * q[2], rM - r0 + hM * q[1], rM - r0 - hM * q[1]]
        return value, np.array([[0, 0, -hS], [0, hM, 0], [0, -hM, 0]]), np.array([[1, lM, lG - lS], [1, rM, 0], [1, rM, 0]])
    a, b = q[1:]
    ca, sa, cb, sb = np.cos(a), np.sin(a), np.cos(b), np.sin(b)
    value = [lM * ca + (lG - lS) * cb - hS * sb - r0, rM * ca + hM * sa - r0, rM * ca - hM * sa - r0]
    across = np.array([[0, -lM * sa, -(lG - lS) * sb - hS * cb], [0, -rM * sa + hM * ca, 0], [0, -rM * sa - hM * ca, 0]])
    along = np.array([[1, lM * ca, (lG - lS) * cb - hS * sb], [1, rM * ca + hM * sa, 0], [1, rM * ca - hM * sa, 0]])
    return value, across, along


def run(h, end):
    start = -(rM - r0) / hM if linear else np.arctan(hM / rM) - np.arccos(r0 / np.hypot(rM, hM))
    q, u, rows = np.array([0, start, -0.2788]), np.array([-0.3411, 0, -7.4583]), []
    for k in range(round(end / h)):
        middle = q + 0.5 * h * u
        M, f = motion(middle, u)
        inverse = np.linalg.inv(M)
        value, across, along = gaps(middle)
        closed = [i for i in range(3) if value[i] <= 0]
        free, before = u + h * inverse @ f, u
        P, L = np.zeros(3), np.zeros(3)
        for sweep in range(2000 if closed else 0):
            last = np.concatenate([P, L])
            for i in closed:
                n, t = across[i], along[i]
                v = free + inverse @ (across.T @ P + along.T @ L)
                P[i] = max(0.0, P[i] - (n @ v + restitution[i] * (n @ before)) / (n @ inverse @ n))
                v = free + inverse @ (across.T @ P + along.T @ L)
                L[i] = np.clip(L[i] - (t @ v) / (t @ inverse @ t), -friction * P[i], friction * P[i])
            if np.abs(np.concatenate([P, L]) - last).max() < 1e-15:
                break
        u = free + inverse @ (across.T @ P + along.T @ L)
        q = middle + 0.5 * h * u
        rows.append([(k + 1) * h, *q, *u])
    return np.array(rows)


h = float(sys.argv[-1]) if sys.argv[-1][0].isdigit() else 1e-5
motion_ = run(h, 1.5)
sticks = np.abs(motion_[:, 4]) < 1e-6
begins = [i for i in range(1, len(sticks)) if sticks[i] and not sticks[i - 1]]
begins = [i for n, i in enumerate(begins) if n == 0 or motion_[i, 0] - motion_[begins[n - 1], 0] > 0.05][2:]
cycles = len(begins) - 1
print(f"period {(motion_[begins[-1], 0] - motion_[begins[0], 0]) / cycles:.5f} s,",
      f"down {1e3 * (motion_[begins[0], 1] - motion_[begins[-1], 1]) / cycles:.4f} mm a cycle, {cycles} cycles")
