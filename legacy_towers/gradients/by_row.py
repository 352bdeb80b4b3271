"""What `mean`, `sum` and `tree` have in common: they make the towers' gradients one, variable by variable."""
import difflib
from typing import Any, List, Sequence, Union

from legacy_towers import devices as devices_room
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, UserError
from legacy_towers.gradients.base import GradientRow, Reduction, Site, TowerGradients
from legacy_towers.gradients.missing import check_none_missing
from legacy_towers.gradients.shares import times
from legacy_towers.gradients.spread import row_bytes, spread_by_bytes
from legacy_towers.gradients.summed import combine_slices, dense_terms, is_sparse
from legacy_towers.names import quoted

COMBINE = ("mean", "sum")
_WORDS = ("spread", "variable")  # for places
Places = Union[str, Sequence[str]]


def check_combine(combine: str) -> None:
    """Raises ArgumentError if `combine` is neither "mean" nor "sum"."""
    if combine not in COMBINE:
        raise ArgumentError("combine is {!r}: allowed are {}".format(combine, quoted(COMBINE)))


def check_apart(reduction: Reduction, gradients: TowerGradients) -> None:
    """Raises ArgumentError where the towers' gradients were made one before `reduction`, which would do that."""
    if gradients.reduced:
        raise ArgumentError(
            "{!r} stands behind a reduction that made the towers' gradients one already: keep one of the two".format(
                reduction
            )
        )


def _check_on(on: Any) -> None:
    if on in _WORDS:
        return
    try:
        devices_room.check_list([on] if isinstance(on, str) and on else on, "on")
    except UserError:
        near = difflib.get_close_matches(on, _WORDS, 1) if isinstance(on, str) else []
        raise ArgumentError(
            "on is {!r}: allowed are {}, a device such as '/cpu:0', or a list of devices{}".format(
                on, quoted(_WORDS), ". Is {!r} meant?".format(near[0]) if near else ""
            )
        ) from None


class RowReduction(Reduction):
    """Makes the towers' gradients of each variable one, on a device chosen for that variable.

    A subclass defines `add`, for dense gradients, and says in `how` what that does. Sparse ones are joined in one go.

    Attributes:
      combine: "mean", weighed by `Site.shares`; or "sum", from which a tower of share 0 is left out.
      on: where the result of each variable is made: "spread", dealt out by bytes over the towers' devices; "variable",
        each where its variable lives; a device; or several devices, dealt out over these.
    """

    how = ""
    kind = "sum"
    needs_whole = False

    def __init__(self, combine: str, on: Places) -> None:
        check_combine(combine)
        _check_on(on)
        self.combine = combine
        self.sums = combine == "sum"
        self.on = on if isinstance(on, str) else list(on)

    def add(self, terms: Sequence[Any], place: str) -> Any:
        """Returns the sum of at least one tensor, all of one dtype and shape, made on the device `place`.

        That of float16 or bfloat16 may be float32: it is cast in the end.
        """
        raise NotImplementedError

    def update(self, gradients: TowerGradients, state: Any) -> TowerGradients:
        check_apart(self, gradients)
        site = gradients.site
        places = self._places(gradients.rows, site.devices)
        rows = [self._reduced(row, site, place) for row, place in zip(gradients.rows, places)]
        return gradients._replace(rows=rows, reduced=True)

    def _places(self, rows: Sequence[GradientRow], towers: Sequence[str]) -> List[str]:
        if self.on == "variable":
            return [row.device for row in rows]
        if self.on == "spread":
            devices: Sequence[str] = towers
        else:
            devices = [self.on] if isinstance(self.on, str) else self.on
        return spread_by_bytes([row_bytes(row) for row in rows], devices)

    def _reduced(self, row: GradientRow, site: Site, place: str) -> GradientRow:
        if all(gradient is None for gradient in row.gradients):
            return row._replace(gradients=[None])
        check_none_missing(row, site.towers)
        shares = site.shares
        # A share that is a tensor can turn out to be 0 for the only tower too.
        if len(row.gradients) == 1 and (shares is None or not tf.is_tensor(shares[0])):
            only: Any = row.gradients[0]
            return row._replace(how="one tower", where=only.device or None)
        if is_sparse(row.gradients, row.name, site.towers):
            with tf.device(place):
                made = combine_slices(row.gradients, shares, self.combine)
            return row._replace(gradients=[made], how="concat", where=place or None)
        terms, factor = dense_terms(row.gradients, shares, self.combine)
        made = self.add(terms, place)
        with tf.device(place):
            made = tf.cast(times(made, factor), terms[0].dtype)
            return row._replace(gradients=[made], how=self.how, where=place or None)
