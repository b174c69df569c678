from isolation import _machine  # noqa: F401 - a fixture
