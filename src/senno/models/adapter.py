"""Text models of any provider, through Pydantic AI's model classes. This file, `openai_chat.py` and `translation.py`
alone import it.

One HTTP client a model and event loop: it is closed by `aclose`, or when the loop ends (`asyncio.run` closes the
generators of its loop, and the client lives in one), so that a model may be used in one `asyncio.run` after another.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from senno.errors import ConfigError
from senno.models.failures import answer_too_long, http_failure, unreadable
from senno.models.features import REJECTIONS, Feature, Features
from senno.models.protocol import AttemptFailed, Reply, Request, Usage
from senno.models.route import Route
from senno.models.translation import always_left_out, messages, parameters, reply, settings, wanted_features

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model

_OPENAI_FAMILY = ("openai", "openrouter", "ollama", "url")


class ProviderModel:
    """A text model of a provider, or of a server that speaks OpenAI's chat completions.

    Args:
        route: where it is.
    """

    def __init__(self, route: Route) -> None:
        self._route = route
        self._features = Features()
        self._sessions: WeakKeyDictionary[asyncio.AbstractEventLoop, _Session] = WeakKeyDictionary()

    @property
    def name(self) -> str:
        """The name as the user wrote it."""
        return self._route.name

    async def complete(self, request: Request) -> Reply:
        """One attempt: see `TextModel.complete`."""
        if self._route.model is None:
            self._route = replace(self._route, model=await _only_model(self._route))
        model = await self._model()
        profile = model.profile
        wanted = wanted_features(request, profile, openai=self._route.provider in _OPENAI_FAMILY)
        sent = self._features.usable(wanted)
        notes = (*self._features.notes(wanted), *always_left_out(request, profile))
        response = await self._request(model, request, sent)
        self._features.worked(sent)
        found = reply(response)
        return replace(found, notes=(*notes, *found.notes))

    async def aclose(self) -> None:
        """Close the HTTP client of the running event loop. The next request opens another."""
        loop = asyncio.get_running_loop()
        session = self._sessions.pop(loop, None)
        if session is not None:
            _open[loop].discard(session.client)
            await session.client.aclose()

    async def _model(self) -> Model[Any]:
        loop = asyncio.get_running_loop()
        if loop not in self._sessions:
            client = _client(self._route)
            _open.setdefault(loop, set()).add(client)
            # Started here, so that the loop knows the generator and closes it. Nothing is awaited before its yield:
            # two first attempts cannot both come here.
            self._sessions[loop] = _Session(client, await anext(client))
        return self._sessions[loop].model

    async def _request(self, model: Model[Any], request: Request, sent: frozenset[Feature]) -> ModelResponse:
        from pydantic_ai import exceptions
        from pydantic_ai.direct import model_request

        try:
            return await model_request(
                model,
                messages(request),
                model_settings=settings(request, sent, model.profile),
                model_request_parameters=parameters(request, sent),
            )
        except exceptions.ModelHTTPError as error:
            failure = http_failure(
                error.status_code,
                error.headers or {},
                error.body,
                key_variable=self._route.key_variable,
                asked_to_wait=error.retry_after,
                out_of_credit=isinstance(error, exceptions.ModelQuotaExceededError),
                max_tokens=request.max_tokens,
                now=datetime.now(UTC),
            )
            too_long = answer_too_long(error.status_code, failure.problem)
            if error.status_code in REJECTIONS and not too_long and self._features.rejected(sent, failure.problem):
                left_out = " and ".join(sorted(sent - self._features.usable(sent)))
                raise AttemptFailed(f"{failure.problem}; to be tried without {left_out}", retry=True) from error
            raise failure from error
        except exceptions.ModelConnectionError as error:
            never_sent = error.phase in {"pool", "connect"}
            where = self._route.base_url or self._route.provider
            problem = f"no answer from {where}: {unreadable(_root(error))}"
            raise AttemptFailed(problem, retry=True, usage=Usage(0, 0) if never_sent else None) from error
        except (exceptions.UnexpectedModelBehavior, exceptions.ModelAPIError) as error:
            raise AttemptFailed(f"an answer that cannot be read: {unreadable(error)}", retry=True) from error
        except exceptions.UserError as error:
            raise AttemptFailed(f"the request cannot be sent: {error.message}", retry=False) from error
        except UnicodeEncodeError as error:
            # Before anything is sent: half of a surrogate pair, which UTF-8 does not have.
            problem = f"the request cannot be sent: {unreadable(error)}"
            raise AttemptFailed(problem, retry=False, usage=Usage(0, 0)) from error
        except (LookupError, AttributeError, TypeError, ValueError, RuntimeError) as error:
            # What Pydantic AI raises on a body of the wrong shape that it does not validate (no choices, …).
            raise AttemptFailed(f"an answer that cannot be read: {unreadable(error)}", retry=True) from error


def _root(error: BaseException) -> BaseException:
    """What an error comes from: the transport's words say more than "Connection error."."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


@dataclass(frozen=True, slots=True)
class _Session:
    client: AsyncGenerator[Model[Any]]
    model: Model[Any]


_open: WeakKeyDictionary[asyncio.AbstractEventLoop, set[AsyncGenerator[Model[Any]]]] = WeakKeyDictionary()
"""The clients of each loop. Kept here, since one that went with its model could be closed too late for its loop."""


async def _client(route: Route) -> AsyncGenerator[Model[Any]]:
    model = _build(route)
    try:
        yield model
    finally:
        async with model:
            pass  # leaving closes the HTTP client that the provider made


def _build(route: Route) -> Model[Any]:
    name, key = route.model or "", route.key
    match route.provider:
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicModel(name, provider=AnthropicProvider(api_key=key))
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            return GoogleModel(name, provider=GoogleProvider(api_key=key))
        case "mistral":
            from pydantic_ai.models.mistral import MistralModel
            from pydantic_ai.providers.mistral import MistralProvider

            return MistralModel(name, provider=MistralProvider(api_key=key))
        case "groq":
            from pydantic_ai.models.groq import GroqModel
            from pydantic_ai.providers.groq import GroqProvider

            return GroqModel(name, provider=GroqProvider(api_key=key))
        case _:
            return _build_openai(route, name)


def _build_openai(route: Route, name: str) -> Model[Any]:
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    from senno.models.openai_chat import ChatModel, OllamaModel

    match route.provider:
        case "openrouter":
            from pydantic_ai.models.openrouter import OpenRouterModel
            from pydantic_ai.providers.openrouter import OpenRouterProvider

            return OpenRouterModel(name, provider=OpenRouterProvider(api_key=route.key or ""))
        case "ollama":
            from pydantic_ai.providers.ollama import OllamaProvider

            return OllamaModel(name, provider=OllamaProvider(base_url=route.base_url, api_key=route.key))
        case "openai":
            from pydantic_ai.providers.openai import OpenAIProvider

            return ChatModel(name, provider=OpenAIProvider(api_key=route.key))
        case _:
            from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

            # Tolerant: many servers know `response_format` but not `strict`, and `max_tokens` by its old name only.
            profile = OpenAIModelProfile(
                supports_json_schema_output=True,
                openai_supports_strict_tool_definition=False,
                openai_chat_supports_max_completion_tokens=False,
            )
            provider = OpenAICompatibleProvider(
                "openai-compatible", base_url=route.base_url or "", api_key=route.key, profile=profile
            )
            return ChatModel(name, provider=provider)


async def _only_model(route: Route) -> str:
    """The one model that a server lists.

    Raises:
        ConfigError: it lists none, or several.
        AttemptFailed: it does not answer.
    """
    import openai

    async with _build(route) as model:
        client = cast("openai.AsyncOpenAI", cast("Any", model).client).with_options(max_retries=0)
        try:
            names = [each.id async for each in client.models.list()]
        except openai.APIStatusError as error:
            failure = http_failure(error.status_code, error.response.headers, error.body, now=datetime.now(UTC))
            problem = f"GET {route.base_url}/models: {failure.problem}"
            raise AttemptFailed(
                problem, retry=failure.retry, retry_after=failure.retry_after, usage=Usage(0, 0)
            ) from error
        except (openai.OpenAIError, LookupError, AttributeError, TypeError, ValueError) as error:
            problem = f"GET {route.base_url}/models: {unreadable(error)}"
            raise AttemptFailed(problem, retry=True, usage=Usage(0, 0)) from error
    if len(names) != 1:
        has = f"has {len(names)} models ({', '.join(names[:20])})" if names else "lists no model"
        raise ConfigError(f"{route.name}: the server {has}; expected one; write {route.base_url}#MODEL")
    return names[0]
