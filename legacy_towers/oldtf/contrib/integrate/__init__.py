"""tf.contrib.integrate: ordinary differential equations solved in the graph."""
from legacy_towers.oldtf.contrib.integrate.fixed import odeint_fixed
from legacy_towers.oldtf.contrib.integrate.odes import odeint

__all__ = ["odeint", "odeint_fixed"]
