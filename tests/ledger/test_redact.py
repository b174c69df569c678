from __future__ import annotations

import base64
import hashlib
import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from senno.ledger import redact

# No secret stands in this file as one piece: scanners of repositories would take it for a real one.
RUN = "aB3dE5fG7hJ9kL1m"
PEM_LINES = [RUN * 4] * 3
PRIVATE_KEY = "\n".join(["-----BEGIN " + "PRIVATE KEY-----", *PEM_LINES, "-----END " + "PRIVATE KEY-----"])
SHAPES = {
    "openai-key": ["sk-" + RUN * 3, "sk-proj-" + RUN + "_" + RUN + "-" + RUN, "sk-or-v1-" + "0f" * 32],
    "anthropic-key": ["sk-ant-" + "api03-" + RUN * 5 + "-" + RUN + "AA"],
    "tavily-key": ["tvly-" + RUN * 2, "tvly-dev-" + RUN * 2],
    "groq-key": ["gsk_" + RUN * 3],
    "huggingface-token": ["hf_" + "aBcDeFgHiJ" * 4],
    "google-key": ["AIza" + "Sy" + RUN * 2 + "-"],
    "aws-key": ["AKIA" + "IOSFODNN7EXAMPLE", "ASIA" + "IOSFODNN7EXAMPLE"],
    "github-token": [f"gh{letter}_" + RUN * 2 + "aB3d" for letter in "pousr"] + ["github_" + "pat_" + RUN + "_" + RUN],
    "slack-token": ["xoxb-" + "123456789012-" + RUN, "xoxp-" + "1-" + RUN],
    "stripe-key": ["sk_" + "live_" + RUN * 2, "rk_" + "live_" + RUN * 2],
    "jwt": ["eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + "." + RUN * 2 + "_-"],
    "private-key": [PRIVATE_KEY, PRIVATE_KEY.replace(" PRIVATE", " OPENSSH PRIVATE")],
}
CASES = [(kind, secret) for kind, secrets in SHAPES.items() for secret in secrets]


def in_json(text: str) -> str:
    return json.dumps({"messages": [{"content": text}]}, ensure_ascii=False)


PLACES: dict[str, Callable[[str], str]] = {
    "alone": lambda secret: secret,
    "in a sentence": lambda secret: f"The key is {secret}, keep it.",
    "after a line break": lambda secret: f"key:\n{secret}\nend",
    "after an assignment": lambda secret: f"X={secret};",
    "between quotes": lambda secret: f"x = '{secret}'",
    "beside CJK": lambda secret: f"密钥{secret}的",
    "in a URL": lambda secret: f"https://host/path?x%3D{secret}&y=1",
    "in JSON": in_json,
    "in JSON, after a line break": lambda secret: in_json(f"key:\n{secret}\nend"),
    "in JSON, after a tab": lambda secret: in_json(f"key:\t{secret}"),
    "in JSON, after an escaped letter": lambda secret: json.dumps(f"è{secret}"),
    "in JSON in JSON": lambda secret: in_json(in_json(f"key:\n{secret}\nend")),
    "in JSON in JSON in JSON": lambda secret: in_json(in_json(in_json(f"key:\n{secret}"))),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("kind", "secret"), CASES)
def test_a_known_shape_is_replaced_wherever_it_stands(kind: str, secret: str, place: str) -> None:
    text = PLACES[place](secret)
    out = redact(text, {})
    assert "aB3dE5fG" not in out
    assert f"[redacted:{kind}]" in out
    assert out == PLACES[place](f"[redacted:{kind}]")


def test_a_private_key_that_was_cut_off_is_replaced() -> None:
    cut = "\n".join(PRIVATE_KEY.split("\n")[:3])
    assert redact(f"{cut}\n", {}) == "[redacted:private-key]\n"
    assert redact(in_json(f"{cut}\n"), {}) == in_json("[redacted:private-key]\n")


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        # passwords
        ("password=hunter22", "password=[redacted:password]"),
        ("PASSWORD: hunter22", "PASSWORD: [redacted:password]"),
        ("DB_PASSWORD=p@ssword", "DB_PASSWORD=[redacted:password]"),
        ("passwd := 'correct horse'", "passwd := '[redacted:password]'"),
        ('passphrase: "correct horse battery"', 'passphrase: "[redacted:password]"'),
        ("mysql --password=s3cr3t! -u root", "mysql --password=[redacted:password] -u root"),
        ("?user=a&password=s3cr3t!&x=1", "?user=a&password=[redacted:password]&x=1"),
        ('password: str = "swordfish"', 'password: str = "[redacted:password]"'),
        ("{'password': 'swordfish'}", "{'password': '[redacted:password]'}"),
        ('{"password": "swordfish"}', '{"password": "[redacted:password]"}'),
        ('{"password":"two words"}', '{"password":"[redacted:password]"}'),
        ('{"password": ", }"}', '{"password": "[redacted:password]"}'),
        (r'{"password": "a\"b\\", "x": 1}', '{"password": "[redacted:password]", "x": 1}'),
        (r'{"password": "a\\\"b", "x": 1}', '{"password": "[redacted:password]", "x": 1}'),
        (r'"{\"password\": \"a\\\"b\", \"x\": 1}"', r'"{\"password\": \"[redacted:password]\", \"x\": 1}"'),
        (r'"{\"password\": \"a\\\\\", \"x\": 1}"', r'"{\"password\": \"[redacted:password]\", \"x\": 1}"'),
        (r"'password': 'it\'s'", r"'password': '[redacted:password]\'s'"),
        (
            json.dumps(['{"password": "never closed', 'and "x"']),
            json.dumps(['{"password": "never closed', 'and "x"']),
        ),
        (
            json.dumps(['{"password": "abc12345', 'and "x"']),
            json.dumps(['{"password": "[redacted:password]', 'and "x"']),
        ),
        ("password='unclosed1", "password='[redacted:password]"),
        ('password="$ecret12"', 'password="[redacted:password]"'),
        # keys, secrets, tokens
        ("api_key: 0123456789abcdef", "api_key: [redacted:key]"),
        ("X-Api-Key: 0123456789abcdef", "X-Api-Key: [redacted:key]"),
        ("API key: 0123456789abcdef", "API key: [redacted:key]"),
        ('{"apiKey": "0123456789abcdef"}', '{"apiKey": "[redacted:key]"}'),
        ("aws_secret_access_key = wJalrXUtn/K7MDENG/bPx", "aws_secret_access_key = [redacted:key]"),
        ('{"client_secret": "0123456789abcdef"}', '{"client_secret": "[redacted:secret]"}'),
        ("access_token=0123456789abcdef", "access_token=[redacted:token]"),
        ('"HF_TOKEN": "0123456789abcdef"', '"HF_TOKEN": "[redacted:token]"'),
        # headers
        ("Authorization: Bearer abc123def", "Authorization: Bearer [redacted:authorization]"),
        ("authorization: basic dXNlcjpwYXNz", "authorization: basic [redacted:authorization]"),
        ('{"Authorization": "Bearer abc123def"}', '{"Authorization": "Bearer [redacted:authorization]"}'),
        (r'"{\"Authorization\": \"Token abc123def\"}"', r'"{\"Authorization\": \"Token [redacted:authorization]\"}"'),
        ("('Authorization', 'Bearer abc123def')", "('Authorization', 'Bearer [redacted:authorization]')"),
        ("send Bearer 0123456789abcdef=", "send Bearer [redacted:bearer]"),
        # URLs
        ("postgres://user:s3cret@host/db", "postgres://user:[redacted:url-password]@host/db"),
        ("redis://:s3cret@host", "redis://:[redacted:url-password]@host"),
        ('{"u": "https://a:b:c@host"}', '{"u": "https://a:[redacted:url-password]@host"}'),
    ],
)
def test_a_value_of_a_telling_name_is_replaced(text: str, redacted: str) -> None:
    assert redact(text, {}) == redacted


IMAGE = base64.b64encode(bytes(hashlib.sha256(str(n).encode()).digest()[n % 32] for n in range(30_000))).decode()
CODE = '''
def connect(url: str, password: str, api_key: str | None = None, token: str = "") -> Client:
    """password: the user's password. api_key: optional."""
    password = password or getpass.getpass("Password: ")
    if password == stored_password1 and token != secret:
        return Client(password=password, api_key=os.environ["API_KEY"], token=read_token(path))
    secret = sha256(password); client_secret = settings.client_secret
    max_tokens = 4096; key = "created_at"; sort_key: str = "2026-01-01"
    return Client(f"postgres://{user}:{password}@{host}", password=hash1(password), secret_key=get_key2(x))
'''


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Forgot your password? The password: required, at least 8 characters. Password: yes/no?",
        "The secret: he was a ghost. His token of love: a ring. The key: patience.",
        "Bearer of bad news, bearer of internationalization. Authorization: required. Basic authorization: none.",
        "La password: deve avere 8 caratteri; il segreto: nessuno. 密码：必填。",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----, -----BEGIN PRIVATE KEY----- starts a key",
        "http://localhost:8080/a@b, ssh://git@host:22/x, mailto:user@host, http://[::1]:80/x@y, 12:30@noon",
        hashlib.sha1(b"x", usedforsecurity=False).hexdigest(),
        hashlib.sha256(b"x").hexdigest(),
        f"commit {hashlib.sha1(b'y', usedforsecurity=False).hexdigest()} call_{'aB3dE5fG' * 3}",
        str(uuid.UUID(int=0x1234567890ABCDEF)),
        f"data:image/png;base64,{IMAGE}",
        json.dumps({"image_url": {"url": f"data:image/png;base64,{IMAGE}"}}),
        '<div class="sk-toggleable__label-arrow sk-estimator-doc-link">task-force-of-twenty-1-people</div>',
        "desk-0123456789abcdefghij, risk-0123456789abcdefghij, AKIAIOSFODNN7EXAMPLES, sk-short, ghp_short, eyJ.a.b",
        CODE,
        json.dumps(CODE),
        "password=${PASSWORD} password=$PASSWORD password=<password> password=**** password={password} password=%(pw)s",
        '{"password": "", "password": "${PW}", "password": "<your password>", "password": "****", "password": null}',
        '{"api_key": {"type": "string"}, "password": ["a"], "required": ["password", "token"], "secret": true}',
        '{"cmd": "mysql --password=", "x": "abc12345"}',
        r'"{\"cmd\": \"mysql --password=\", \"x\": \"abc12345\"}"',
        json.dumps([{"token": " Hello", "logprob": -0.1}, {"token": "1234567", "top": [{"token": "password"}]}]),
        '{"usage": {"input_tokens": 1234567890123456789, "max_tokens": 12345678}, "key": "films.2026.drama"}',
        '{"role": "user", "content": "How do I rotate an API key? What is a client secret?"}',
        "C:\\tvly-folder-with-a-long-name C:\\new\\password",
        'input("Password: ") + ask("api_key="); print("secret="); f("token: "\\\n)',
    ],
)
def test_what_is_no_secret_is_left_alone(text: str) -> None:
    assert redact(text, {}) == text


@pytest.mark.parametrize(("kind", "secret"), CASES)
def test_what_was_redacted_is_left_alone(kind: str, secret: str) -> None:
    once = redact(f'{{"password": "{kind}1", "url": "a://b:c@d"}} {secret} password=abcdef1 Bearer {RUN}', {})
    assert redact(once, {}) == once


ENVIRONMENT = {
    "OPENAI_API_KEY": "plain-and-long",
    "APP_TOKEN": 'with"quote\\and\nbreak',
    "APP_SECRET": "perché-no-日本",
    "DB_PASSWORD": "plain-and-long-er",
    "SHORT_KEY": "seven77",
    "HOME": "/home/someone",
}


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("got plain-and-long.", "got [redacted:OPENAI_API_KEY]."),
        ("xplain-and-longx", "x[redacted:OPENAI_API_KEY]x"),
        ("got plain-and-long-er.", "got [redacted:OPENAI_API_KEY]."),
        ('got with"quote\\and\nbreak.', "got [redacted:APP_TOKEN]."),
        (json.dumps(['with"quote\\and\nbreak']), '["[redacted:APP_TOKEN]"]'),
        (json.dumps(json.dumps(['with"quote\\and\nbreak'])), '"[\\"[redacted:APP_TOKEN]\\"]"'),
        ("got perché-no-日本.", "got [redacted:APP_SECRET]."),
        (json.dumps("perché-no-日本"), '"[redacted:APP_SECRET]"'),
        ("seven77 /home/someone", "seven77 /home/someone"),
    ],
)
def test_the_values_of_the_environment_are_replaced(text: str, redacted: str) -> None:
    assert redact(text, ENVIRONMENT) == redacted


def test_the_environment_of_the_process_is_read_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    assert redact("a very plain value") == "a very plain value"
    monkeypatch.setenv("SENNO_TEST_SECRET", "very plain value")
    assert redact("a very plain value") == "a [redacted:SENNO_TEST_SECRET]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("nabcdefgh", json.dumps("\nabcdefgh")),
        ("e8abcdefgh", json.dumps("èabcdefgh")),
        ("u00e8abcd", json.dumps("èabcdefgh")),
        ('a":"abcdef', '{"a":"abcdef"}'),
        ("abcdefgh\\", json.dumps("abcdefgh\n")),
    ],
)
def test_a_value_of_the_environment_that_looks_like_json_does_not_break_it(value: str, text: str) -> None:
    json.loads(redact(text, {"X_KEY": value}))


PIECES = st.sampled_from(
    [
        *("password", "passwd", "api_key", "secret", "access_token", "Authorization", "Bearer ", "sk-", "tvly-", "eyJ"),
        *("=", ":", ": ", '"', "'", "\\", "\n", "\t", " ", ",", "}", "]", "è", "日", "\ud800", "\0", "\x1f", "/", "@"),
        *("://a:b@c", RUN, PRIVATE_KEY, PEM_LINES[0], "-----BEGIN " + "PRIVATE KEY-----", "-----END ", "1234567890"),
        *("abcdefgh", "nabcdefgh", "u00e8abc", "\\u00e8", "\\n", '\\"', '"":"', "%41", "[redacted:key]", "${", "$X"),
    ]
)
ODD_TEXT = st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join)
ODD_JSON = st.recursive(
    ODD_TEXT | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD_TEXT, inner, max_size=3) | inner.map(json.dumps),
    max_leaves=6,
)
ODD_ENVIRONMENT = st.lists(ODD_TEXT.filter(lambda text: "\0" not in text), max_size=2).map(
    lambda values: {f"N{number}_KEY": value for number, value in enumerate(values)}
)


def same_form(before: Any, after: Any) -> bool:
    """Whether two JSON values differ in their texts at most."""
    if isinstance(before, list):
        return isinstance(after, list) and len(before) == len(after) and all(map(same_form, before, after))
    if isinstance(before, dict):
        merged = len(after) < len(before)  # two keys with secrets in them may have become one
        return isinstance(after, dict) and (merged or all(map(same_form, before.values(), after.values())))
    return isinstance(after, str) if isinstance(before, str) else before == after


@settings(deadline=None, max_examples=1500)
@given(value=ODD_JSON, environment=ODD_ENVIRONMENT, ascii_only=st.booleans(), compact=st.booleans())
@example(value={"a": "password=", "b": ":x"}, environment={}, ascii_only=True, compact=True)
@example(value=["\tvly-" + RUN, "tvly-" + RUN], environment={}, ascii_only=True, compact=True)
def test_json_stays_json(value: Any, environment: dict[str, str], ascii_only: bool, compact: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":") if compact else None)
    assert same_form(json.loads(text), json.loads(redact(text, environment)))


HOSTILE = {
    "prefixes": "sk-",
    "prefixes of JWTs": "eyJ-",
    "parts of JWTs": "eyJaaaaaaaaa..",
    "prefixes of Slack": "xoxb-",
    "begins of keys": "-----BEGIN " + "PRIVATE KEY-----",
    "begins of URLs": "://a:b",
    "names": "password=",
    "other names": "api_key:",
    "open quotes": 'password="',
    "open escaped quotes": r"password=\"",
    "open quotes and escaped ones": r"""password="secret=\"password='""",
    "deeper and deeper": r'secret="\"\\\"\\\\\\\"',
    "backslashes": "secret\\\\\\\\",
    "headers": "authorization: bearer ",
}


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_length_of_the_text_only(piece: str) -> None:
    """With anything that grows with its square, this MB would take hours."""
    text = HOSTILE[piece] * (1_000_000 // len(HOSTILE[piece]))
    assert redact(text, {})[:8] == text[:8]
