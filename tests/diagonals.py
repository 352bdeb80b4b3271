"""Parameters of tests whose combinations are too many to run all."""
import itertools


def diagonals(every, *values):
    """Returns the combinations of `values` whose places in their lists add up to a multiple of `every`.

    With `every` at most the length of each list but one, each value occurs, with different values of the others.
    """
    rows = itertools.product(*(list(enumerate(each)) for each in values))
    return [tuple(value for _, value in row) for row in rows if sum(place for place, _ in row) % every == 0]
