"""tf.contrib.integrate: solvers of ordinary differential equations."""
from legacy_towers.compat.tf1.contrib.integrate.fixed import odeint_fixed
from legacy_towers.compat.tf1.contrib.integrate.odes import odeint

__all__ = ["odeint", "odeint_fixed"]
