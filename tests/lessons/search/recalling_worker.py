"""A process that adds, recalls, deletes and rebuilds until it is killed, and says what it did. Arguments: root, name"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from senno.lessons import Draft, RecallEvent, Store
from senno.lessons.search import Index, Where, passage_text
from words_embedder import WordsEmbedder

root, name = Path(sys.argv[1]), sys.argv[2]
embedder = WordsEmbedder()
index = Index.open(root, embedder)
index.work_in_background(0.5)
store = Store.open(root, index=index)
for number in count():
    word = f"{name}x{number}"
    draft = Draft(
        task_id=f"T-{word}",
        outcome="failure",
        department=name[:2],
        what=f"Call {word} went to e{word}.",
        why=f"Parameter p{word} had to be v{word}.",
        rule=f"Set p{word} to w{word} before e{word}.",
    )
    made = store.add(draft).lesson
    told = [f"added {made.id} p{word}"]
    index.refresh()
    found = [index.lesson(hit.key) for hit in index.lexical(f"p{word}", 5, Where())]
    if made.id not in [lesson.id for lesson in found if lesson]:
        told.append(f"lost {made.id}")
    index.dense(embedder.query(passage_text(draft)), 5, Where())
    shown = tuple(lesson.id for lesson in found if lesson)
    store.events.append(
        RecallEvent(
            recall_id=word, task_id=word, task_type="", department="", agent="", lessons=shown, tokens=0, seconds=0.0
        )
    )
    told.append(f"recalled {made.id}")
    if number % 5 == 4:
        (root / made.path).unlink()
        told.append(f"deleted {made.id}")
    if number % 40 == 39:
        index.rebuild()
    sys.stdout.write("\n".join([*told, ""]))  # all of a turn at once
    sys.stdout.flush()
