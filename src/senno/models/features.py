"""What a server has shown that it takes: a JSON schema, logprobs. Learnt from what it answers and refuses."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

Feature = Literal["schema", "logprobs"]

REJECTIONS = (400, 422)
"""Status codes by which a server says that it does not understand a request."""

_NAMED_BY: dict[Feature, tuple[str, ...]] = {
    "schema": ("response_format", "json_schema", "schema", "grammar"),
    "logprobs": ("logprob",),
}
_MEANING: dict[Feature, str] = {
    "schema": "the JSON schema was not sent natively",
    "logprobs": "logprobs were not asked for",
}


class Features:
    """The memory of one server.

    A rejected request is tried once more without the features that the error names, or, where it names none, without
    those that have never worked there. One that never worked is not sent again; one that did work before is left out
    once, since it was this schema that was refused. If the second request is rejected too, the features were not the
    cause, and are trusted again.
    """

    def __init__(self) -> None:
        self._proven: set[Feature] = set()
        self._refused: dict[Feature, str] = {}
        self._doubtful: set[Feature] = set()
        """Refused for the next request only, or by a guess."""

    def usable(self, wanted: Collection[Feature]) -> frozenset[Feature]:
        """Those of `wanted` that may be sent."""
        return frozenset(feature for feature in wanted if feature not in self._refused)

    def worked(self, sent: Collection[Feature]) -> None:
        """A request with these features was answered."""
        self._proven.update(sent)
        self._trust(self._doubtful & self._proven)
        self._doubtful.clear()

    def rejected(self, sent: Collection[Feature], said: str) -> bool:
        """A request with these features was rejected with the words `said`. Whether to try again without some."""
        named: set[Feature] = {each for each in sent if any(word in said.lower() for word in _NAMED_BY[each])}
        blamed: set[Feature] = named or {each for each in sent if each not in self._proven}
        if not blamed:
            self._trust(self._doubtful)
            self._doubtful.clear()
            return False
        self._doubtful |= (blamed - named) | (blamed & self._proven)
        self._refused |= dict.fromkeys(blamed, said)
        return True

    def notes(self, wanted: Collection[Feature]) -> list[str]:
        """What was left out of a request that wanted these features, in words."""
        return [f"{_MEANING[each]}: refused with {self._refused[each]}" for each in wanted if each in self._refused]

    def _trust(self, features: Collection[Feature]) -> None:
        for feature in features:
            self._refused.pop(feature, None)
