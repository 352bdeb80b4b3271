"""Learning-rate schedules: functions of the global step, each with a linear warm-up.

    def optimizer(global_step):
        rate = lt.schedules.cosine(global_step, 0.1, steps=10000, warmup=500)
        return tf.train.MomentumOptimizer(rate, 0.9)

`warmup` is a number of steps at the start, in which the rate rises linearly from `warmup_from` to the schedule's first
rate, which the last of them has. The schedule begins after them; `steps` and boundaries are global steps, the warm-up
included.
"""
from legacy_towers.schedules.decays import (
    constant,
    cosine,
    cosine_restarts,
    exponential,
    inverse_sqrt,
    piecewise,
    polynomial,
    step_decay,
)
from legacy_towers.schedules.named import make_schedule

__all__ = [
    "constant",
    "cosine",
    "cosine_restarts",
    "exponential",
    "inverse_sqrt",
    "make_schedule",
    "piecewise",
    "polynomial",
    "step_decay",
]
