"""What strategies and reductions compute, held against the current one, as a person reads it."""
from typing import Dict, List, Tuple

from legacy_towers.report import figures
from legacy_towers.report.document import Document, Proof

# The state of a proof -> in a table, where there is little room.
SHORT = {
    "current": "current",
    "same": "same",
    "rounded": "rounded",
    "other": "other",
    "differs": "differ!",
    "not compared": "?",
}
PROOF_WORDS = {
    "current": "the current one",
    "same": "the same numbers",
    "rounded": "the same numbers, rounded to a stated bound",
    "other": "other numbers, by design",
    "differs": "other numbers than it should",
    "not compared": "not compared",
}


def state_of(proof: Proof) -> str:
    """Returns a key of `PROOF_WORDS`."""
    if proof.agrees is False:
        return "differs"
    if proof.expected in ("current", "other"):
        return proof.expected
    return "not compared" if proof.agrees is None else proof.expected


def proofs_at(document: Document, towers: int) -> List[Proof]:
    """Returns what was compared at one number of towers."""
    return [proof for proof in document.proofs if proof.towers == towers]


def short_states(document: Document, towers: int) -> Dict[str, str]:
    """Returns candidate -> the word for its numbers in a table."""
    return {proof.candidate: SHORT[state_of(proof)] for proof in proofs_at(document, towers)}


def sentences(items: List[Proof]) -> List[Tuple[List[str], str, str]]:
    """Returns (candidates, state, sentence) for all but the current one; those with equal sentences stand together."""
    found: Dict[Tuple[str, str], List[str]] = {}
    for item in items:
        if item.expected != "current":
            found.setdefault((state_of(item), item.sentence), []).append(item.candidate)
    return [(names, state, sentence) for (state, sentence), names in found.items()]


def summary(document: Document, towers: int) -> str:
    """Returns what all that was compared at one number of towers comes to, without a full stop."""
    items = proofs_at(document, towers)
    current = next((item.candidate for item in items if item.expected == "current"), "the current one")
    counted = [state_of(item) for item in items if item.expected != "current"]
    if not counted:
        return "there is nothing to compare the numbers of {} with".format(current)
    parts: List[str] = []
    for state, words in (
        ("same", "computes the same as {}"),
        ("rounded", "computes the same as {} but for rounding to a smaller type"),
        ("other", "computes something else than {} by design"),
        ("differs", "computes something else than {}, and should not"),
        ("not compared", "was not compared with {}"),
    ):
        number = counted.count(state)
        if number:
            verb, rest = words.split(" ", 1)
            verb = verb if number == 1 else {"computes": "compute", "was": "were"}[verb]
            parts.append("{} {} {}".format(number, verb, rest.format(current if not parts else "it")))
    noun = figures.words_of(document)
    return "of {} {}, {}".format(len(counted), noun.one if len(counted) == 1 else noun.many, ", ".join(parts))
