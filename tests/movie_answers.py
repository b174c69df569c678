"""What models answer in the roles of the movie finder."""

from __future__ import annotations

import json
import math

from openai_server import says

ENIGMA, TURING, SNEAKERS = ("Enigma", 2001), ("The Imitation Game", 2014), ("Sneakers", 1992)
CHECKS = ("EXISTS", "YEAR", "CRITERIA FIT")


def refined(**fields):
    return json.dumps({"query_info": "cryptography", "language": "en", "count": 1, **fields})


def proposed(*films):
    return json.dumps({"movies": [{"title": t, "year": y, "reason": "codes"} for t, y in films]})


def item(number, fit="pass", sources=("E1",), explanation="it says so"):
    statuses = zip(CHECKS, ("pass", "pass", fit), strict=True)
    findings = [{"check": c, "status": s, "sources": list(sources), "explanation": explanation} for c, s in statuses]
    return {"number": number, "checks": findings}


def criticised(*items, satisfied=None):
    return json.dumps({"items": list(items) or [item(1)], "isSatisfied": satisfied})


def worded(*sentences, **fields):
    return json.dumps({"items": [{"number": n, "text": t} for n, t in enumerate(sentences, 1)], **fields})


def round_of(film, **rest):
    """The four answers of a run that accepts one film in its first round."""
    answers = (refined(), proposed(film), criticised(), worded("Codes."))
    return [says(text, **rest) for text in answers]


def sure(yes):
    """The logprobs of a judge that says yes with that probability."""
    return [{"yes": math.log(yes), "no": math.log(1 - yes)}]
