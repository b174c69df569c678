"""Secrets to be found: of random content, made anew for each run so that none stands in this repository."""

import base64
import json
import random
import string

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def planted(seed=7):
    """Name to (a line or lines with the secret, the secret)."""
    source = random.Random(seed)

    def some(count, alphabet=LETTERS):
        return "".join(source.choice(alphabet) for _ in range(count))

    def base32(count):
        return some(count, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")

    def in_base64(count):
        return base64.b64encode(source.randbytes(count)).decode()

    key = "\n".join(in_base64(48) for _ in range(12))
    header = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "typ": "JWT"}).encode()).decode().rstrip("=")
    payload = base64.urlsafe_b64encode(json.dumps({"sub": "1234567890", "name": "X"}).encode()).decode().rstrip("=")
    shapes = {
        "aws id": ('KEY = "{}"', f"AKIA{base32(16)}"),
        "aws secret": ("aws_secret_access_key = {}", some(40)),
        "github": ('token = "{}"', f"ghp_{some(36)}"),
        "github fine-grained": ('x = "{}"', f"github_pat_{some(22)}_{some(59)}"),
        "gitlab": ('x = "{}"', f"glpat-{some(20)}"),
        "slack": ('x = "{}"', f"xoxb-{some(12, string.digits)}-{some(12, string.digits)}-{some(24)}"),
        "stripe": ('x = "{}"', f"sk_live_{some(24)}"),
        "openai": ('x = "{}"', f"sk-proj-{some(74)}T3BlbkFJ{some(74)}"),
        "anthropic": ('x = "{}"', f"sk-ant-api03-{some(93)}AA"),
        "google": ('x = "{}"', f"AIza{some(35)}"),
        "sendgrid": ('x = "{}"', f"SG.{some(22)}.{some(43)}"),
        "npm": ("//registry.npmjs.org/:_authToken={}", f"npm_{some(36)}"),
        "huggingface": ('x = "{}"', f"hf_{some(34, string.ascii_letters)}"),
        "groq": ('x = "{}"', f"gsk_{some(52)}"),
        "private key": ("{}", f"-----BEGIN RSA PRIVATE KEY-----\n{key}\n-----END RSA PRIVATE KEY-----"),
        "cut-off private key": ("{}", f"-----BEGIN OPENSSH PRIVATE KEY-----\n{key}"),
        "jwt": ('x = "{}"', f"{header}.{payload}.{some(43)}"),
        "url": ("DATABASE_URL=postgres://admin:{}@db.example.org:5432/prod", some(14)),
        "password": ('password = "{}"', f"{some(9)}!{some(3)}"),
        "key by name": ('api_key = "{}"', some(32, HEX)),
        "secret by name": ("client_secret: {}", some(32)),
        "header": ('curl -H "Authorization: Bearer {}" https://x.example.org', some(40)),
    }
    return {name: (line.replace("{}", secret), secret) for name, (line, secret) in shapes.items()}


def by_rules(seed=7):
    """Those that only Kingfisher's rules know."""
    source = random.Random(seed)

    def some(count, alphabet=LETTERS):
        return "".join(source.choice(alphabet) for _ in range(count))

    return {
        "databricks": f"dapi{some(32, HEX)}",
        "digitalocean": f"dop_v1_{some(64, HEX)}",
        "doppler": f"dp.pt.{some(43)}",
        "grafana": f"glsa_{some(32)}_{some(8, HEX)}",
        "linear": f"lin_api_{some(40)}",
        "shopify": f"shpat_{some(32, HEX)}",
        "vault": f"hvs.{some(95)}",
    }
