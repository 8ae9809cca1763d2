"""Numbers, directions and choices, all from one seed."""

import math
import random


def digits(x, count=4):
    return float(f"{x:.{count}g}")


def plus(a, b, factor=1.0):
    return [x + factor*y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]


def norm(a):
    return math.sqrt(sum(x*x for x in a))


def unit(a):
    return [x/norm(a) for x in a]


def times(numbers, factor):
    """One number or a list."""
    return [digits(x*factor) for x in numbers] if isinstance(numbers, list) else digits(numbers*factor)


class Dice:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    def pick(self, *choices):
        return choices[int(self.random.random()*len(choices))]

    def between(self, low, high):
        return digits(low + (high - low)*self.random.random())

    def log(self, low, high):
        return digits(low*(high/low)**self.random.random())

    def sign(self):
        return self.pick(-1, 1)

    def direction(self):
        if self.is_flat:
            angle = self.between(0, 2*math.pi)
            return [0.0, math.cos(angle), math.sin(angle)]
        if self.chance(0.3):
            return self.pick([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0])
        return unit([self.random.gauss(0, 1) for _ in range(3)])

    def axis(self):
        return [1.0, 0.0, 0.0] if self.is_flat else [digits(x) for x in self.direction()]

    def across(self, axis):
        return unit(cross(axis, self.pick([0, 1, 0], [0, 0, 1]) if self.is_flat else [self.between(1, 2), 0.3, -0.7]))
