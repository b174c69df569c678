"""The gate as a tool: an agent asks what would become of its change before a person does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from senno.errors import SennoError
from senno.gate import GateOptions, gate_change


class GatedDiff(BaseModel):
    """What the gate says of a change."""

    verdict: str = Field(description="The lane: BLOCK, SECURITY REVIEW, NITS, MERGE, or UNDECIDED, or ERROR.")
    state: Literal["decided", "undecided", "error"]
    exit_code: int = Field(description="0: it may be merged. 1: no. 3: a person decides. 4: it could not be judged.")
    fired: list[str] = Field(description="The rules that made the verdict, with the value that fired each.")
    reasons: list[str] = Field(description="Why there is no verdict.")
    findings: list[str] = Field(description="What detectors found: place, and what to do.")
    near: list[str] = Field(description="Answers near to a threshold, for a person to look at.")
    not_judged: list[str] = Field(description="What of the change nobody judged, and why.")
    run_id: str | None = Field(description="The record of it. Only a person may override it.")


def add_gate(server: MCPServer, folder: Path) -> None:
    """Add the tool `gate_diff` over the repository that `folder` is in."""

    @server.tool()
    async def gate_diff(
        base: Annotated[
            str | None, Field(description="Judge what HEAD adds since it left this revision, such as main.")
        ] = None,
        staged: Annotated[bool, Field(description="Judge what is staged.")] = False,
        diff: Annotated[str | None, Field(description="Judge this diff (as git writes it).")] = None,
        title: Annotated[str | None, Field(description="The title of the change.")] = None,
        description: Annotated[str | None, Field(description="What the change says it does.")] = None,
        author: Annotated[str | None, Field(description="The model that wrote it: it may not judge.")] = None,
        detectors_only: Annotated[bool, Field(description="Ask no model: the deterministic detectors alone.")] = False,
    ) -> GatedDiff:
        """Judge a change before it is committed or merged. Give one of base, staged and diff."""
        if sum((base is not None, staged, diff is not None)) != 1:
            raise ToolError("expected exactly one of base, staged and diff")
        options = GateOptions(
            base=base,
            staged=staged,
            diff=diff.encode("utf-8", "surrogatepass") if diff is not None else None,
            title=title,
            description=description,
            author=author,
            detectors_only=detectors_only,
        )
        try:
            result = await gate_change(folder, options)
        except SennoError as error:
            raise ToolError(str(error)) from error
        return _told(result.to_json())

    assert gate_diff  # the decorator has registered it


def _told(result: dict[str, Any]) -> GatedDiff:
    return GatedDiff(
        verdict=result["verdict"],
        state=result["state"],
        exit_code=result["exit_code"],
        fired=[f"{each['rule']} (it is {each['value']:.3g})" for each in result["fired"]],
        reasons=result["reasons"],
        findings=[f"{_place(each)}: {each['message']}" for each in result["findings"]],
        near=[f"{each['rule']} (it is {each['value']:.3g})" for each in result["near"]],
        not_judged=[
            *(f"{_place(each)}: {each['reason']}" for each in result["omitted"]),
            *(f"{each['path']} by {each['detector']}: {each['reason']}" for each in result["unscreened"]),
        ],
        run_id=result["run_id"],
    )


def _place(each: dict[str, Any]) -> str:
    return f"{each['path']}:{each['line']}" if each["line"] else each["path"]
