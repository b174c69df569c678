"""Secrets that are known by their shape alone: tokens with a prefix, private keys, passwords in URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from senno.ledger.spans import Span

# A token starts where no letter or digit stands before it (`\b` is of no use: it sees no boundary beside CJK), or
# right after an escape that ends in one: in JSON text a line break is the two characters `\n`.
_LEFT = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2}))"
_HAS_DIGIT = "(?=[A-Za-z_-]{0,64}[0-9])"
_HAS_RUN = "(?=[A-Za-z0-9_-]{0,40}?[A-Za-z0-9]{12})"


@dataclass(frozen=True, slots=True)
class _Shape:
    kind: str
    starts: bytes
    """The literal that is looked for first."""
    pattern: re.Pattern[str]
    """Matches from that literal on. The group `secret` is what goes; without one, all of the match."""


def _token(kind: str, starts: str, rest: str) -> _Shape:
    # `\tvly-…` in JSON is a tab and then `vly-…`: replacing the `t` would leave a broken escape.
    no_escape = r"(?<!\\)" if starts[0] in "bfnrtu" else ""
    return _Shape(kind, starts.encode(), re.compile(f"{_LEFT}{no_escape}{re.escape(starts)}{rest}"))


# RFC 7468 text encodings and OpenSSH's. The body may have its line breaks as escapes, to any depth. A key that was cut
# off has no end line: then as many whole lines as look like a key's.
_PRIVATE_KEY = re.compile(
    r"""
    -----BEGIN\ [A-Z0-9 ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?-----
    (?: (?: [^"\\-]++ | \\+[nrt/] | -(?!----) )*+ -----END\ [A-Z0-9 ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?-----
      | (?: (?: \s | \\+[nrt] )*+ [A-Za-z0-9+/=]{16,}+ )++
    )
    """,
    re.VERBOSE,
)
_URL_PASSWORD = re.compile(r"""://[^\s/?\#"'\\@:<>]{0,64}:(?P<secret>[^\s/?\#"'\\@<>]{1,256})@""")

_SHAPES = (
    _Shape("private-key", b"-----BEGIN", _PRIVATE_KEY),
    _Shape("url-password", b"://", _URL_PASSWORD),
    _token("anthropic-key", "sk-ant-", r"[A-Za-z0-9_-]{16,}+"),
    # OpenAI, and those who took up its prefix (OpenRouter, DeepSeek, …). The digit and the run keep CSS classes and
    # slugs (`sk-toggleable__label-arrow`) out.
    _token("openai-key", "sk-", _HAS_DIGIT + _HAS_RUN + r"[A-Za-z0-9_-]{20,}+"),
    _token("tavily-key", "tvly-", r"[A-Za-z0-9_-]{16,}+"),
    _token("groq-key", "gsk_", r"[A-Za-z0-9]{32,}+"),
    _token("huggingface-token", "hf_", r"[A-Za-z0-9]{30,}+"),
    _token("gitlab-token", "glpat-", _HAS_DIGIT + r"[A-Za-z0-9_-]{20,}+"),
    _token("sendgrid-key", "SG.", r"[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+"),
    _token("npm-token", "npm_", r"[A-Za-z0-9]{36,}+"),
    _token("xai-key", "xai-", _HAS_DIGIT + r"[A-Za-z0-9]{32,}+"),
    _token("perplexity-key", "pplx-", r"[A-Za-z0-9]{32,}+"),
    _token("google-key", "AIza", r"[A-Za-z0-9_-]{35,}+"),
    _token("aws-key", "AKIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _token("aws-key", "ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _token("github-token", "gh", r"[pousr]_[A-Za-z0-9]{30,}+"),
    _token("github-token", "github_pat_", r"[A-Za-z0-9_]{22,}+"),
    _token("slack-token", "xox", r"[a-z]-(?=[A-Za-z-]{0,32}[0-9])[A-Za-z0-9-]{10,}+"),
    _token("stripe-key", "sk_live_", r"[A-Za-z0-9]{16,}+"),
    _token("stripe-key", "rk_live_", r"[A-Za-z0-9]{16,}+"),
    # The header of a JWT is base64 of `{"…`. `-` and `_` do not start one, so that a text of `eyJ-eyJ-…` is read once.
    _token("jwt", "eyJ", r"(?<![_-]eyJ)[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+"),
)

_PLACEHOLDER = re.compile(
    r"\[redacted:[^\]]*\]?|\$[A-Z0-9_]+|\$[a-z_]+|\$[{(].*|<.*>|\{.*\}|%\(?\w*\)?s|%\w*%|\*+|\.+|[xX]+|…+", re.DOTALL
)


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a secret and is none: `${TOKEN}`, `<password>`, `***`, `{password}`, …"""
    return _PLACEHOLDER.fullmatch(value) is not None


def shape_spans(text: str, flat: bytes) -> Iterator[Span]:
    """The secrets in `text` that have a known shape.

    Args:
        text: any text; JSON text stays JSON when these spans are replaced.
        flat: `text` with one ASCII byte a character (`?` for the others).
    """
    for shape in _SHAPES:
        at = flat.find(shape.starts)
        while at >= 0:
            match = shape.pattern.match(text, at)
            if match is None:
                at = flat.find(shape.starts, at + 1)
                continue
            start, end = match.span("secret" if shape.pattern.groups else 0)
            if not is_placeholder(text[start:end]):
                yield Span(start, end, shape.kind)
            at = flat.find(shape.starts, match.end())
