"""The hill climb: the incumbent is rewritten from what it failed, one candidate after the other."""

from __future__ import annotations

from collections.abc import Sequence

from senno.errors import MalformedAnswer
from senno.models import TextModel
from senno.tune.rewriting import Completes, Rejected, Rewrite, rewrite
from senno.tune.strategies.strategy import Evaluate, Proposal, TuneState
from senno.tune.version import Version

_IN_THIS_ROUND = "it was proposed in this round already; propose something else"


class HillClimb:
    """Rewrites the incumbent, `count` times a round.

    Each rewrite of a round is shown the ones before it, so that they differ. Nothing failed, and no reading of a
    weighted name is below its best: nothing is proposed.

    Args:
        model: the rewriter.
    """

    name = "hill-climb"

    def __init__(self, model: TextModel) -> None:
        self._model = model

    async def propose(
        self,
        state: TuneState,
        *,
        calls: Completes,
        evaluate: Evaluate,  # noqa: ARG002 - the protocol's; acceptance alone compares here
    ) -> Sequence[Proposal]:
        """See `Strategy.propose`."""
        told = state.told()
        if not told.failures:
            return ()
        known: dict[str, Version] = dict(state.known)
        rejected = state.rejected
        found: list[Proposal] = []
        for _ in range(state.count):
            brief = state.brief(state.incumbent, told, known, rejected)
            try:
                made = await rewrite(self._model, brief, calls=calls)
            except MalformedAnswer as error:
                if not any(each.version for each in found):
                    raise
                found.append(Proposal(None, str(error)))
                break
            found.append(proposal(made))
            if made.version is not None:
                known[made.version.id] = made.version
                rejected = (*rejected, Rejected(made.version.id, made.attempt, _IN_THIS_ROUND))
            else:
                rejected = (*rejected, Rejected(None, made.attempt, made.refused or ""))
        return tuple(found)


def proposal(made: Rewrite) -> Proposal:
    """A rewrite as a proposal."""
    return Proposal(made.version, made.refused, made.attempt, made.dropped, made.notes)
