"""Decision models: what answers closed questions with probabilities, and the files that its answers are kept in."""

from senno.models.decisions.named import asked_model, decision_model
from senno.models.decisions.versions import is_pinned, same_version

__all__ = ["asked_model", "decision_model", "is_pinned", "same_version"]
