"""What the Writer answers with, and what stands in for it where there is no model."""

from pydantic import BaseModel

from senno.loop import ActorInput


class Slogan(BaseModel):
    """One slogan."""

    text: str


class Slogans(BaseModel):
    """The Writer's answer."""

    slogans: list[Slogan]


def write(value: ActorInput) -> Slogans:
    """Fill fixed patterns with the last word of the request: enough to see the loop at work."""
    thing = value.original.split()[-1].strip(".,!?\"'")
    patterns = ["The best {} in town, guaranteed", "Made for {}", "All about {}, nothing else", "Simply {}"]
    ideas = [pattern.format(thing) for pattern in patterns]
    fresh = [idea for idea in ideas if idea not in value.do_not_repeat]
    taken = {item["text"] for item in value.accepted}
    return Slogans(slogans=[Slogan(text=idea) for idea in fresh if idea not in taken][: value.wanted])
