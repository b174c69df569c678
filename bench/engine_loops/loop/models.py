"""What the actor answers with."""

from pydantic import BaseModel


class Film(BaseModel):
    title: str
    year: int
    reason: str


class Films(BaseModel):
    films: list[Film]
