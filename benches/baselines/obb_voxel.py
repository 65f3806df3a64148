"""One oriented box against many cubes in NumPy: what a batch over fifteen axes costs there, on one thread."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import time

import numpy as np


def rotation(roll, pitch, yaw):
    (sr, cr), (sp, cp), (sy, cy) = ((np.sin(a), np.cos(a)) for a in (roll, pitch, yaw))
    x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return z @ y @ x


def sat(centres, centre, turn, half, cube_half):
    axes = [turn[:, k] for k in range(3)] + [np.eye(3)[k] for k in range(3)]
    axes += [np.cross(np.eye(3)[i], turn[:, j]) for i in range(3) for j in range(3)]
    axes = np.array([a / np.linalg.norm(a) for a in axes if np.linalg.norm(a) >= 1e-9])
    reach = np.abs(axes @ turn) @ half + cube_half * np.abs(axes).sum(axis=1)
    return (np.abs((centres - centre) @ axes.T) - reach).max(axis=1)


def main():
    count = int(sys.argv[1])
    random = np.random.default_rng(4)
    cells = random.integers(0, 64, size=(count, 3))
    centres = np.array([-0.8, -0.8, -0.3]) + (cells + 0.5) * 0.025
    turn = rotation(0.4, -0.3, 0.8)
    half = np.array([0.0658, 0.0684, 0.1272])
    times = []
    for _ in range(15):
        begin = time.perf_counter()
        least = sat(centres, np.array([0.1, 0.05, 0.5]), turn, half, 0.0125).min()
        times.append(time.perf_counter() - begin)
    print(f"NumPy {np.__version__}: {count} cells in {1e3 * sorted(times)[7]:.2f} ms (median of 15), least {least:.6f} m")


main()
