"""Decision models: what answers closed questions with probabilities, and the files that its answers are kept in."""

from senno.models.decisions.named import decision_model

__all__ = ["decision_model"]
