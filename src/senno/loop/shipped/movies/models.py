"""What the Refiner and the Cinephile answer with."""

from pydantic import BaseModel, Field, model_validator


class Request(BaseModel):
    """A request for films, structured."""

    primary_genre: str = "all"
    secondary_genres: list[str] = Field(default_factory=list)
    start_year: int | None = None
    end_year: int | None = None
    is_classic: bool = False
    countries: list[str] = Field(default_factory=list)
    people: list[str] = Field(default_factory=list)
    count: int | None = None
    query_info: str = ""
    excluded: list[str] = Field(default_factory=list)
    """What must not be: titles, people, countries, genres or themes."""
    original_text: str = ""
    language: str = "en"
    questions: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _ask_only_when_it_must(self) -> "Request":
        """Models like to ask: a question is dropped where the request says enough to act on."""
        backwards = self.start_year and self.end_year and self.start_year > self.end_year
        named = self.primary_genre not in ("", "all") or self.countries or self.people or self.query_info.strip()
        if (named or self.start_year or self.end_year) and not backwards:
            self.questions = []
        return self


class Movie(BaseModel):
    """One suggested film."""

    title: str = Field(min_length=1)
    year: int
    reason: str = ""


class Proposal(BaseModel):
    """The films that the Cinephile suggests."""

    movies: list[Movie]
