"""One POST of JSON, for the servers that no provider's package speaks to."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from senno.models.protocol import AttemptFailed
from senno.models.retry import retry_after


async def posted(url: str, body: str, key: str | None) -> Mapping[str, Any]:
    """The JSON object that came back. The gate has the time limit.

    Raises:
        AttemptFailed: no answer, a status of failure, or no JSON object; and whether trying again may help.
    """
    import httpx2

    if key is not None and not key.isascii():
        raise AttemptFailed("the API key holds letters that no header can", retry=False)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    try:
        async with httpx2.AsyncClient(timeout=None, verify=_certificates()) as client:
            answer = await client.post(url, content=body.encode("utf-8", "replace"), headers=headers)
    except httpx2.HTTPError as error:
        raise AttemptFailed(f"{type(error).__name__}: {error}", retry=True) from error
    if answer.status_code != 200:
        again = answer.status_code in (408, 409, 425, 429) or answer.status_code >= 500
        problem = f"{answer.status_code}: {' '.join(answer.text.split())[:200]}"
        raise AttemptFailed(problem, retry=again, retry_after=retry_after(answer.headers, datetime.now(UTC)))
    try:
        found = json.loads(answer.text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise AttemptFailed("the answer is no JSON object", retry=True)
    return found  # pyright: ignore[reportUnknownVariableType]


@cache
def _certificates() -> ssl.SSLContext:
    """Read once: it takes 18 ms."""
    import httpx2

    return httpx2.create_ssl_context()
