"""A run as one HTML page: no script, nothing fetched, everything in it escaped."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from senno.files import write_text
from senno.ledger import RunRecord, StepRow, Sum, totals
from senno.loop.board import STOP_WORDS
from senno.text import shown

MARKS = {"pass": ("✓", "pass"), "fail": ("✗", "fail"), "unverified": ("?", "unverified")}


def write_page(record: RunRecord, path: Path) -> None:
    """Write the page of a run to `path`, whole or not at all.

    Raises:
        ConfigError: the place cannot be written.
    """
    write_text(path, page(record))


def page(record: RunRecord) -> str:
    """The page of a run."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    loader = PackageLoader("senno.loop", "templates")
    templates = Environment(
        loader=loader,
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=_safe,
    )
    filters: dict[str, Any] = templates.filters
    filters |= {"tokens": _tokens, "dollars": _dollars, "beside": _beside}
    run, result = record.run, _complete(record.run.result)
    total = totals(record).overall
    return templates.get_template("run.html").render(
        run=run,
        result=result,
        names=run.config.get("names", {}),
        models=run.config.get("models", {}),
        files=run.config.get("loop", {}).get("files", {}),
        checks=_checks(result),
        steps=_bars(record.steps),
        calls=total.calls,
        tokens_in=_known(total.tokens_in, "{:,}"),
        tokens_out=_known(total.tokens_out, "{:,}"),
        cost=_known(total.cost, "${:.4f}"),
        stopped=STOP_WORDS.get(run.stop, run.status) if run.stop else run.status,  # pyright: ignore[reportCallIssue, reportArgumentType]
        marks=MARKS,
    )


def _safe(value: Any) -> Any:
    """Beside what would be markup, nothing that would turn the direction of the text around it."""
    return shown(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _beside(why: list[str], checks: list[dict[str, Any]]) -> list[str]:
    """What speaks against an item beside the checks, which are shown already."""
    return [w for w in why if w.partition(":")[0] not in {c["check"] for c in checks}]


def _complete(result: Any) -> dict[str, Any]:
    """A run that was cut off has no result: the page shows its steps, and says so."""
    empty: dict[str, Any] = {
        "items": [], "left_out": [], "questions": [], "notes": [], "intro": "", "outro": "",
        "error": None, "accepted": 0, "wanted": 0, "missing": 0,
    }  # fmt: skip
    return {**empty, **(result or {})}


def _checks(result: Mapping[str, Any]) -> list[str]:
    items = [*result["items"], *result["left_out"]]
    return list(dict.fromkeys(check["check"] for item in items for check in item["checks"]))


def _bars(steps: tuple[StepRow, ...] | list[StepRow]) -> list[dict[str, Any]]:
    """Each step with its place on the time line, in percent of the run."""
    if not steps:
        return []
    begin = min(s.started for s in steps)
    whole = max(max((s.started - begin).total_seconds() + s.seconds for s in steps), 1e-9)
    return [
        {
            "step": s,
            "left": round(100 * (s.started - begin).total_seconds() / whole, 2),
            "width": max(0.4, round(100 * s.seconds / whole, 2)),
        }
        for s in steps
    ]


def _known(total: Sum[Any], form: str) -> str:
    """A sum, and how many calls it is missing."""
    if total.known is None:
        return "not known"
    return form.format(total.known) + (f" (and {total.unknown} calls not known)" if total.unknown else "")


def _tokens(value: int | None, calls: int) -> str:
    return "–" if not calls else "not known" if value is None else f"{value:,}"


def _dollars(value: Decimal | None, calls: int) -> str:
    return "–" if not calls else "not known" if value is None else f"${value:.4f}"
