"""How large a request may be, told before it is sent. Pure functions.

Jev takes 64,000 tokens in all, and 32,000 of the state with the longest question (model page of Jev 1.13). Its
tokenizer is not published, so tokens are estimated from above.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from senno.models.protocol import Json
from senno.text import estimate_tokens

_CODE = re.compile(r"[\[\]{}<>=+*/\\|&^%$#@~_`\"\d]")
_CODE_SHARE = 0.06
"""From this share of such characters on, a text is read as code: prose has 1 to 3 %, source and JSON 8 % and more."""

_CODE_CHARACTERS_PER_TOKEN = 3

_MOST_TOKENS_A_CHARACTER = 4 / 3.5
"""By the estimate: of one with 4 bytes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may hold; `None`: the model has no such limit, or none is known."""

    total: int | None = None
    """Tokens of the state and all questions."""
    longest: int | None = None
    """Tokens of the state and the longest question."""
    questions: int | None = None


JEV = Limits(total=64_000, longest=32_000)
OPENAI = Limits(questions=400)
UNKNOWN = Limits()


def tokens_of(text: str) -> int:
    """Tokens that `text` may have: a third of its characters where it looks like code, else its bytes by 3.5."""
    tokens = estimate_tokens(text)
    if len(_CODE.findall(text)) >= _CODE_SHARE * len(text):
        tokens = max(tokens, math.ceil(len(text) / _CODE_CHARACTERS_PER_TOKEN))
    return tokens


def too_large(sent: str, state: Json, questions: Mapping[str, Any], limits: Limits) -> str | None:
    """Why a request cannot be sent, with the numbers and what to do; `None`: it can.

    Args:
        sent: the whole request, as it would be sent.
        state: what the questions are about.
        questions: as they would be sent, by id.
        limits: of the model.
    """
    if limits.questions is not None and len(questions) > limits.questions:
        return f"{len(questions)} questions, and the model takes {limits.questions} in one request: ask fewer"
    least = min((limit for limit in (limits.total, limits.longest) if limit is not None), default=None)
    if least is None or len(sent) * _MOST_TOKENS_A_CHARACTER <= least:
        return None
    about = tokens_of(_text(state))
    each = {id_: tokens_of(_text(question)) for id_, question in questions.items()}
    total, longest = about + sum(each.values()), max(each, key=each.__getitem__, default="")
    pair = about + each.get(longest, 0)
    if limits.longest is not None and pair > limits.longest:
        return (
            f"about {pair:,} tokens of the state ({about:,}) and the longest question {longest!r}, and the model takes "
            f"{limits.longest:,}: nothing was sent; judge a shorter text, or the text in parts"
        )
    if limits.total is not None and total > limits.total:
        return (
            f"about {total:,} tokens of the state ({about:,}) and {len(each)} questions, and the model takes "
            f"{limits.total:,}: nothing was sent; judge a shorter text, or ask fewer questions"
        )
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
