"""All that an index says, without its keys: equal for two indexes of the same lessons and log, whatever made them."""

import apsw


def generation(root):
    home = root / ".index"
    return home / (home / "current").read_text(encoding="utf-8").strip()


def database(root):
    return generation(root) / "index.db"


def dump(root):
    db = apsw.Connection(str(database(root)), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        names = [row[1] for row in db.execute("PRAGMA table_info(lesson)") if row[1] != "key"]
        ids = dict(db.execute("SELECT key, id FROM lesson"))
        found = {"lesson": sorted(db.execute(f"SELECT {', '.join(names)} FROM lesson ORDER BY id"))}
        found["text"] = sorted((ids[key], *texts) for key, *texts in db.execute("SELECT rowid, * FROM text"))
        for table in ("aside", "df", "language", "logfile", "retrieval", "turn", "undone"):
            found[table] = sorted(db.execute(f"SELECT * FROM {table}"))
        found["embedded"] = sorted(db.execute("SELECT passage, sum FROM vector"))
        found["todo"] = sorted(db.execute("SELECT passage FROM todo"))
        db.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'text', 'instance')")
        found["words"] = sorted(
            (term, ids[key], col, at) for term, key, col, at in db.execute("SELECT * FROM temp.words")
        )
        return found
    finally:
        db.close()
