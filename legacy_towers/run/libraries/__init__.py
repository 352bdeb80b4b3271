"""Library shims: modules that a script imports in place of changed modules of Python, numpy, scipy and others."""
