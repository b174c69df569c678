"""Stretches of a text that are secret, and the text without them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """`text[start:end]` is a secret of a kind."""

    start: int
    end: int
    kind: str


def replace_spans(text: str, spans: Iterable[Span]) -> str:
    """Put `[redacted:KIND]` in place of each span. Where some overlap, their union goes, under the first one's kind."""
    pieces: list[str] = []
    at = 0
    for span in _merged(spans):
        pieces += text[at : span.start], f"[redacted:{span.kind}]"
        at = span.end
    pieces.append(text[at:])
    return "".join(pieces)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Disjoint spans by place. The order in which spans came is their rank when they overlap."""
    merged: list[tuple[int, Span]] = []
    for rank, span in sorted(enumerate(spans), key=lambda ranked: (ranked[1].start, ranked[0])):
        if merged and span.start < merged[-1][1].end:
            last_rank, last = merged[-1]
            kind = last.kind if last_rank < rank else span.kind
            merged[-1] = min(rank, last_rank), Span(last.start, max(last.end, span.end), kind)
        else:
            merged.append((rank, span))
    return [span for _, span in merged]
