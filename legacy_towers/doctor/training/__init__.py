"""How a graph trains: from the losses that it differentiates, through its gradients, to its updates of variables.

    tower_0/loss -- calls --> gradients of tower_0 --+
                                                     +-- gradients: a sum or mean --> updates of variables
    tower_1/loss -- calls --> gradients of tower_1 --+
"""
