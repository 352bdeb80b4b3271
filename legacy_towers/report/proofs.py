"""Reports whether strategies and reductions compute the same numbers as the current one."""
from typing import Dict, List, Tuple

from legacy_towers.report import figures
from legacy_towers.report.document import Document, Proof

# The state of a proof -> its label in a narrow table.
SHORT = {
    "current": "current",
    "same": "same",
    "rounding": "same, rounding",
    "rounded": "rounded",
    "other": "other",
    "differs": "differ!",
    "not compared": "?",
}
PROOF_LABELS = {
    "current": "the current one",
    "same": "the same numbers",
    "rounding": "the same numbers, rounding",
    "rounded": "the same numbers, rounded to a documented bound",
    "other": "different numbers, by design",
    "differs": "wrong numbers",
    "not compared": "not compared",
}


def state_of(proof: Proof) -> str:
    """Returns a key of `PROOF_LABELS`."""
    if proof.agrees is False:
        return "differs"
    if proof.expected in ("current", "other"):
        return proof.expected
    if proof.agrees is None:
        return "not compared"
    differences = (proof.loss_difference, proof.gradient_difference, proof.next_loss_difference)
    return "rounding" if proof.expected == "same" and any(differences) else proof.expected


def proofs_at(document: Document, towers: int) -> List[Proof]:
    """Returns the proofs at one number of towers."""
    return [proof for proof in document.proofs if proof.towers == towers]


def short_states(document: Document, towers: int) -> Dict[str, str]:
    """Returns candidate -> the label of its state in a narrow table."""
    return {proof.candidate: SHORT[state_of(proof)] for proof in proofs_at(document, towers)}


def sentences(items: List[Proof]) -> List[Tuple[List[str], str, str]]:
    """Returns (candidates, state, sentence) for all but the current one, grouped by the sentence."""
    found: Dict[Tuple[str, str], List[str]] = {}
    for item in items:
        if item.expected != "current":
            found.setdefault((state_of(item), item.sentence), []).append(item.candidate)
    return [(names, state, sentence) for (state, sentence), names in found.items()]


def summary(document: Document, towers: int) -> str:
    """Returns a summary of the proofs at one number of towers, without a full stop."""
    items = proofs_at(document, towers)
    current = next((item.candidate for item in items if item.expected == "current"), "the current one")
    counted = [state_of(item) for item in items if item.expected != "current"]
    if not counted:
        return "there is nothing to compare the numbers of {} with".format(current)
    parts: List[str] = []
    for state, clause in (
        ("same", "computes the same as {}"),
        ("rounding", "computes the same as {} except for rounding"),
        ("rounded", "computes the same as {} except for rounding to a smaller dtype"),
        ("other", "computes different numbers from {} by design"),
        ("differs", "computes different numbers from {}, but should not"),
        ("not compared", "was not compared with {}"),
    ):
        number = counted.count(state)
        if number:
            verb, rest = clause.split(" ", 1)
            verb = verb if number == 1 else {"computes": "compute", "was": "were"}[verb]
            parts.append("{} {} {}".format(number, verb, rest.format(current if not parts else "it")))
    noun = figures.labels_of(document)
    return "of {} {}, {}".format(len(counted), noun.one if len(counted) == 1 else noun.many, ", ".join(parts))
