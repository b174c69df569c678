"""A process that adds lessons until it is killed, and says which were acknowledged. Arguments: root, name, task id."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from senno.lessons import Draft, Store

root, name, task_id = sys.argv[1:]
store = Store.open(Path(root))
for number in count():
    added = store.add(
        Draft(
            task_id=task_id,
            outcome="success",
            department=name,
            what=f"Call {number} of {name} went to e{number}{name}.",
            why=f"Parameter p{number}{name} had to be v{number}.",
            rule=f"Set p{number}{name} to w{number} before e{number}{name}.",
        )
    )
    sys.stdout.write(f"{added.lesson.id} {added.path.name}\n")
    sys.stdout.flush()
