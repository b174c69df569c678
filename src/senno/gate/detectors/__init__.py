"""Deterministic detectors: what a change must not have, found without a model."""

from senno.gate.detectors.blackout import without_secrets_in
from senno.gate.detectors.finding import Detected, Finding, Severity, Unscreened
from senno.gate.detectors.screening import DETECTORS, detect
from senno.gate.detectors.secret_scan import name_without_secrets, without_secrets
from senno.gate.detectors.settings import DetectorSettings

__all__ = [
    "DETECTORS",
    "Detected",
    "DetectorSettings",
    "Finding",
    "Severity",
    "Unscreened",
    "detect",
    "name_without_secrets",
    "without_secrets",
    "without_secrets_in",
]
