"""What only a process of its own can show: signals, pipes, two at once, what is imported."""

import json
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from command_line import COMMAND, process
from movie_answers import ENIGMA, SNEAKERS, criticised, item, proposed, refined
from openai_server import says, stalls


def under_way(server, *options):
    """A run that has accepted a film in its first round and waits for the actor's second answer."""
    server.then(
        says(refined(count=2)), says(proposed(ENIGMA, SNEAKERS)),
        says(criticised(item(1), item(2, fit="fail", sources=["E2"]))), stalls(), stalls(),
    )  # fmt: skip
    started = process("run", "movies", "films about codes", "--model", f"{server.url}#m", *options)
    server.wait_for_requests(4)
    return started


def test_a_killed_run_is_interrupted_and_its_record_can_be_read(senno, server, machine):
    run = under_way(server)
    (before,) = senno("runs", "list", "--json").json["runs"]
    assert before["status"] == "running"
    run.kill()
    run.communicate()
    (after,) = senno("runs", "list", "--json").json["runs"]
    assert (after["status"], after["stop"], after["result"]) == ("interrupted", None, None)
    assert "interrupted" in senno("runs", "list").out
    shown = senno("runs", "show", "last")
    assert shown.code == 0
    assert "This run is interrupted: no result was recorded." in shown.out
    assert "Enigma 2001: accepted" in " ".join(shown.out.split())
    assert senno("runs", "export", "--html", "page.html").code == 0
    page = (machine / "page.html").read_text()
    assert "never ended" in page
    assert "Cinephile" in page
    lines = [json.loads(line) for line in senno("runs", "export", "--jsonl", "-").out.splitlines()]
    assert [row["row"] for row in lines] == ["run", *["step"] * 4, *["call"] * 3]


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_ctrl_c_ends_with_130_and_the_best_so_far_is_in_the_ledger(senno, server, options):
    run = under_way(server, *options)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate()
    assert run.returncode == 130
    assert ("Enigma (2001)" in out) == (not options)
    assert "interrupted; what was recorded is kept" in err
    assert "Traceback" not in err
    record = senno("runs", "show", "last", "--json").json["run"]
    assert (record["status"], record["stop"]) == ("ended", "interrupted")
    assert [(i["name"], i["state"]) for i in record["result"]["items"]] == [("Enigma (2001)", "accepted")]


def test_ctrl_c_does_not_wait_for_a_function_that_hangs(senno, machine):
    senno("loops", "new", "mine")
    roles = machine / "loops" / "mine" / "roles.py"
    hang = '\n\ndef write(value):\n    import pathlib, time\n    pathlib.Path("hangs").touch()\n    time.sleep(3600)\n'
    roles.write_text(roles.read_text() + hang)
    run = process("run", "mine", "a slogan")
    while not (machine / "hangs").exists() and run.poll() is None:
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=30)
    assert run.returncode == 130
    assert senno("runs", "show", "last", "--json").json["run"]["stop"] == "interrupted"


def test_two_processes_share_one_ledger(senno):
    runs = [process("run", "movies", f"{n} films about trains", "--quiet") for n in (1, 2)]
    assert [run.communicate()[1] for run in runs] == ["", ""]
    assert [run.returncode for run in runs] == [0, 0]
    found = senno("runs", "list", "--json").json["runs"]
    assert sorted(run["request"] for run in found) == ["1 films about trains", "2 films about trains"]
    assert {run["status"] for run in found} == {"ended"}


@pytest.mark.parametrize(
    ("request_text", "options", "code"),
    [("20 films about xylophones", ("--json",), 1), ("3 films about trains", (), 0), ("20 films about love", (), 3)],
)
def test_a_reader_that_goes_away_changes_no_exit_code(request_text, options, code):
    run = process("run", "movies", request_text, "--quiet", *options)
    run.stdout.close()
    assert (run.stderr.read(), run.wait()) == ("", code)
    run.stderr.close()


def test_a_reader_that_goes_away_from_a_list_is_no_failure():
    run = process("judge", "checks", "--json")
    run.stdout.close()
    assert (run.stderr.read(), run.wait()) == ("", 0)
    run.stderr.close()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_is_not_utf_8_is_no_failure_and_json_stays_utf_8(encoding):
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    text = "3 films about trains …"
    told = subprocess.run([*COMMAND, "run", "movies", text], capture_output=True, env=environment)
    assert told.returncode == 0
    assert rb"\u2713" in told.stdout
    data = subprocess.run([*COMMAND, "run", "movies", text, "--json"], capture_output=True, env=environment)
    assert json.loads(data.stdout.decode("utf-8"))["request"] == text


def test_a_fault_of_senno_itself_exits_with_4_and_not_with_the_code_of_a_no():
    broken = "import senno.cli.loops as m; m._folder = lambda: 1 / 0; from senno.cli import main; main()"
    run = subprocess.run([sys.executable, "-c", broken, "loops", "list"], capture_output=True, text=True)
    assert (run.returncode, "ZeroDivisionError" in run.stderr) == (4, True)


def test_the_installed_command_runs():
    run = subprocess.run([Path(sys.executable).with_name("senno"), "--version"], capture_output=True)
    assert (run.returncode, run.stdout[:6]) == (0, b"senno,")


@pytest.mark.parametrize("arguments", [["--help"], [], ["--version"], ["-h"]])
def test_help_imports_nothing_heavy(arguments):
    heavy = ["pydantic", "rich", "httpx2", "pydantic_ai", "openai", "apsw", "jinja2", "ruamel", "asyncio"]
    probe = (
        "import atexit, sys\n"
        f"atexit.register(lambda: print([m for m in {heavy} if m in sys.modules], file=sys.stderr))\n"
        "from senno.cli import main\nmain()"
    )
    run = subprocess.run([sys.executable, "-c", probe, *arguments], capture_output=True, text=True)
    assert run.stderr.splitlines()[-1] == "[]"
    assert ("Commands" in run.stdout + run.stderr) is (arguments != ["--version"])


def test_import_senno_imports_nothing_heavy():
    probe = "import senno, sys; print([m for m in ('pydantic', 'rich', 'httpx2', 'apsw', 'click') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True).stdout == "[]\n"


class Terminal:
    """A `senno` process whose streams are a terminal."""

    def __init__(self, *arguments):
        self._ours, theirs = pty.openpty()
        settings = termios.tcgetattr(theirs)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(theirs, termios.TCSANOW, settings)
        own = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "  # so that Ctrl-C is a signal
        command = [*COMMAND[:-1], own + COMMAND[-1], *arguments]
        self._process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        self.told = ""

    def until(self, text):
        while text not in self.told:
            self.told += os.read(self._ours, 4096).decode("utf-8", "replace")

    def types(self, text):
        os.write(self._ours, text.encode())

    def ends(self):
        while True:
            try:
                more = os.read(self._ours, 4096)
            except OSError:
                break
            if not more:
                break
            self.told += more.decode("utf-8", "replace")
        os.close(self._ours)
        return self._process.wait(30)


def test_on_a_terminal_the_question_is_asked_and_the_answer_used():
    terminal = Terminal("run", "movies", "films")
    terminal.until("director should they be?: ")
    terminal.types("boxing\n")
    assert terminal.ends() == 0
    assert "accepted. Stopped" in terminal.told


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_one_key_leaves_the_question_and_the_run_is_interrupted(senno, key):
    terminal = Terminal("run", "movies", "films")
    terminal.until("director should they be?: ")
    terminal.types(key)
    assert terminal.ends() == 130
    assert senno("runs", "show", "last", "--json").json["run"]["stop"] == "interrupted"


def test_a_question_of_a_model_reaches_the_terminal_without_its_escapes(server):
    server.then(says(refined(query_info="", questions=["Which \x1b]0;owned\x07 one?\x1b[2J"])))
    terminal = Terminal("run", "movies", "x", "--model", f"{server.url}#m")
    terminal.until("[2J: ")
    terminal.types("\x03")
    terminal.ends()
    assert "\x1b]0;" not in terminal.told
    assert "\x1b[2J" not in terminal.told
