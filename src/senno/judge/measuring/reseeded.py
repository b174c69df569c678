"""A chat model asked again, so that it is asked again and does not repeat itself."""

from __future__ import annotations

from dataclasses import replace

from senno.ledger import Ledger
from senno.models import (
    Cached,
    ChatDecisions,
    DecisionModel,
    Reply,
    Request,
    TextModel,
    decision_model,
    text_model,
)

_APART = 1_000_003
"""Between the seeds of two repeats: more than any one question uses."""


class Reseeded:
    """A text model whose seeds are shifted by the number of the repeat.

    Where a server honours seeds, the same request is the same answer: repeats with one seed would measure no noise.

    Args:
        model: that is asked.
        repeat: from 0.
    """

    def __init__(self, model: TextModel, repeat: int) -> None:
        self._model = model
        self._shift = repeat * _APART

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    async def complete(self, request: Request) -> Reply:
        """One attempt: see `TextModel.complete`."""
        seed = request.seed
        return await self._model.complete(request if seed is None else replace(request, seed=seed + self._shift))


def models_of_repeats(name: str, repeats: int, samples: int, ledger: Ledger | None = None) -> list[DecisionModel]:
    """One decision model for each repeat, which share neither seeds nor kept answers.

    Args:
        name: of the model, as `decision_model` takes it.
        repeats: how many.
        samples: answers of a chat model without log-probabilities.
        ledger: where answers of a pinned model are kept, each under the number of its repeat; `None`: they are not.

    Raises:
        ConfigError: an unknown name, no model in it, no key.
        MissingExtra: the provider's package is not installed.
    """
    first = decision_model(name, samples=samples)
    models: list[DecisionModel] = [first] * repeats
    variant = ""
    if isinstance(first, ChatDecisions):
        text = text_model(name)
        models = [ChatDecisions(Reseeded(text, repeat), samples=samples) for repeat in range(repeats)]
        variant = f"samples:{samples}"
    if ledger is None:
        return models
    return [Cached(model, ledger, repeat=repeat, variant=variant) for repeat, model in enumerate(models)]
