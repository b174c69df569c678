from command_line import _senno  # noqa: F401 - fixtures
from isolation import _machine  # noqa: F401
