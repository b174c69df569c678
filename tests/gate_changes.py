"""Changes made up for a test, as diffs that git would make."""

from senno.gate.diff import parse_diff


def diff_of(lines, path="src/app.py", *, before=(), status="new file mode 100644"):
    """A change of one file that adds `lines` (text, or a list) below lines that were there `before`."""
    added = lines.split("\n") if isinstance(lines, str) else list(lines)
    old = len(before)
    head = f"diff --git a/{path} b/{path}\n" + (f"{status}\n" if not before else "")
    names = f"--- {f'a/{path}' if before else '/dev/null'}\n+++ b/{path}\n"
    body = "".join(f" {line}\n" for line in before) + "".join(f"+{line}\n" for line in added)
    text = f"{head}{names}@@ -{1 if before else 0},{old} +1,{old + len(added)} @@\n{body}"
    return parse_diff(text.encode("utf-8", "surrogatepass"), "-")


def diffs(*several):
    """Several changes as one."""
    from dataclasses import replace

    return replace(several[0], files=tuple(file for each in several for file in each.files))


def bare(*paths, status="added", content="1"):
    """Files that are added with a line each, or `deleted`, or moved (`("old", "new")`)."""
    text = ""
    for path in paths:
        if isinstance(path, tuple):
            old, new = path
            text += f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"
        elif status == "deleted":
            text += f"diff --git a/{path} b/{path}\ndeleted file mode 100644\n--- a/{path}\n+++ /dev/null\n"
            text += f"@@ -1 +0,0 @@\n-{content}\n"
        elif status == "modified":
            text += f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -0,0 +1 @@\n+{content}\n"
        else:
            text += f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
            text += f"@@ -0,0 +1 @@\n+{content}\n"
    return parse_diff(text.encode(), "-")
