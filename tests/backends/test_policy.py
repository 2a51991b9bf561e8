"""Who may call what: no address inside the server's network, however it is written or resolved."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest

from lib.backends.models import list_models
from lib.backends.policy import AddressRefused, Policy, check, checked, is_loopback_server, limits_under
from lib.backends.probe import probe
from lib.collector.guard import GuardedResolver, vet, vet_literal
from lib.collector.single import Measurer
from lib.domain.events import Failed, Status
from lib.domain.run import Backend, Limits, Params, Prompt
from tests.backends.small_server import counting, models, serving

PUBLIC = "93.184.215.14"
SHARED = Policy(loopback_only_server=False, custom_addresses=True)
CLOSED = Policy(loopback_only_server=False)
ROUTES = {"GET /v1/models": models("m"), "POST /v1/chat/completions": counting}


def names(**known: str) -> Any:
    """A resolver that knows these names ("host_example" is host.example) and takes digits as they are."""
    table = {name.replace("_", "."): addresses.split() for name, addresses in known.items()}

    def resolve(host: str, _port: int) -> list[str]:
        return table.get(host, [host])

    return resolve


def refused(url: str, policy: Policy = SHARED, resolve: Any = None) -> str:
    with pytest.raises(AddressRefused) as caught:
        check(url, policy, resolve or names())
    return str(caught.value)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "[::1]", "localhost", "127.3.2.1", " 127.0.0.1 "])
def test_a_server_on_loopback_is_one(address: str) -> None:
    assert is_loopback_server(address)


@pytest.mark.parametrize("address", [None, "", "0.0.0.0", "::", "192.168.1.4", "example.com", "*"])
def test_any_other_server_can_be_reached_by_others(address: str | None) -> None:
    assert not is_loopback_server(address)


def test_on_loopback_everything_is_allowed() -> None:
    check("http://169.254.169.254/v1", Policy(loopback_only_server=True), names())


def test_elsewhere_no_address_is_allowed_until_the_operator_says_so() -> None:
    assert "custom_addresses" in refused(f"https://{PUBLIC}/v1", CLOSED)
    check(f"https://{PUBLIC}/v1", SHARED, names())


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.5.5", "192.168.0.1", "100.64.0.1", "169.254.1.1",
        "169.254.169.254", "168.63.129.16", "100.100.100.200", "224.0.0.1", "255.255.255.255", "240.0.0.1",
        "[::1]", "[::]", "[fe80::1]", "[fe80::1%25eth0]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]",
        "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]",
        "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[2001:db8::1]",
    ],
)  # fmt: skip
def test_an_address_that_is_not_public_is_refused(host: str) -> None:
    assert refused(f"http://{host}:8080/v1")


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0"])
def test_odd_spellings_of_this_machine_are_refused(host: str) -> None:
    with pytest.raises(AddressRefused):  # the system's own resolver reads them as 127.0.0.1, or as nothing
        check(f"http://{host}/v1", SHARED)


def test_localhost_is_refused() -> None:
    with pytest.raises(AddressRefused):
        check("http://localhost/v1", SHARED)


@pytest.mark.parametrize(
    "url",
    [
        f"https://{PUBLIC}@127.0.0.1/v1", "https://api.example.com:443@169.254.169.254/", f"https://user:pw@{PUBLIC}/v1",
        f"https://{PUBLIC}\\@127.0.0.1/v1", f"https://{PUBLIC}/v1\r\nX: y", "file:///etc/passwd", "ftp://x/",
        "gopher://x/", "https://", "https:///v1", f"https://{PUBLIC}:99999/v1", "javascript:1",
    ],
)  # fmt: skip
def test_an_address_that_two_parsers_may_read_differently_is_refused(url: str) -> None:
    assert refused(url)


@pytest.mark.parametrize("host", ["metadata.google.internal", "METADATA.google.internal.", "metadata.goog"])
def test_a_metadata_service_is_refused_by_name_whatever_it_resolves_to(host: str) -> None:
    assert "metadata" in refused(f"http://{host}/v1", resolve=lambda _host, _port: [PUBLIC])


def test_every_address_of_a_name_is_looked_at() -> None:
    assert refused("https://two.example/v1", resolve=names(two_example=f"{PUBLIC} 10.0.0.7"))


def test_a_name_without_an_address_is_refused() -> None:
    def fails(_host: str, _port: int) -> list[str]:
        raise OSError("no such name")

    assert "no such name" in refused("https://gone.example/v1", resolve=fails)
    assert refused("https://empty.example/v1", resolve=lambda _host, _port: [])


@pytest.mark.parametrize("entry", ["10.1.2.3", "10.1.0.0/16", "gpu.example", "GPU.example."])
def test_what_is_listed_need_not_be_public(entry: str) -> None:
    policy = Policy(False, custom_addresses=True, allowed_hosts=(entry,))
    assert checked("http://gpu.example/v1", policy, names(gpu_example="10.1.2.3")) == ("10.1.2.3",)


def test_what_is_listed_opens_nothing_beside_it() -> None:
    policy = Policy(False, custom_addresses=True, allowed_hosts=("10.1.0.0/16", "gpu.example"))
    assert refused("http://10.2.0.1/v1", policy)
    assert refused("http://other.example/v1", policy, names(other_example="10.2.0.1"))


@pytest.mark.parametrize("entry", ["169.254.0.0/16", "0.0.0.0/0", "::/0", "sly.example"])
def test_neither_a_range_nor_a_name_opens_a_metadata_service(entry: str) -> None:
    policy = Policy(False, custom_addresses=True, allowed_hosts=(entry,))
    assert refused("http://169.254.169.254/v1", policy)
    assert refused("http://sly.example/v1", policy, names(sly_example="169.254.169.254"))


def test_digits_are_looked_at_without_a_resolver() -> None:
    with pytest.raises(AddressRefused):
        vet_literal("http://127.0.0.1/v1", ())
    for odd in ("2130706433", "0x7f000001", "0177.0.0.1", "127.1"):
        with pytest.raises(AddressRefused):
            vet_literal(f"http://{odd}/v1", ())
    vet_literal("http://127.0.0.1/v1", ("127.0.0.0/8",))
    vet_literal("http://api.example.com/v1", ())


def test_an_address_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(AddressRefused):
        vet("x.example", ["not an address"], ())


class Rebinding:
    """A name server whose answers change from one question to the next."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[dict[str, Any]]:
        address = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [{"hostname": host, "host": address, "port": port, "family": 2, "proto": 0, "flags": 0}]

    async def close(self) -> None:
        """Nothing is open."""

    def sync(self, _host: str, _port: int) -> list[str]:
        return [self.answers.pop(0)]


async def fetch(url: str, resolver: GuardedResolver) -> int:
    connector = aiohttp.TCPConnector(resolver=resolver)  # type: ignore[arg-type]
    async with aiohttp.ClientSession(connector=connector) as session, session.get(url) as response:
        return response.status


def test_a_name_that_turns_private_after_the_check_is_not_connected_to() -> None:
    with serving(ROUTES) as server:
        dns = Rebinding(PUBLIC, "127.0.0.1")
        url = f"http://rebind.example:{server.port}/v1/models"
        check(url, SHARED, dns.sync)  # the first answer is public ...
        with pytest.raises(AddressRefused):  # ... the second one, at the connection, is not
            asyncio.run(fetch(url, GuardedResolver(dns, ())))
        assert server.asked == []


def test_the_connection_goes_to_the_address_that_was_looked_at() -> None:
    with serving(ROUTES) as server:
        dns = Rebinding("127.0.0.1")
        resolver = GuardedResolver(dns, ("127.0.0.1",))
        assert asyncio.run(fetch(f"http://listed.example:{server.port}/v1/models", resolver)) == 200


@pytest.fixture(scope="module")
def measurer() -> Any:
    with Measurer() as running:
        yield running


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"])
def test_the_collector_itself_refuses_a_strangers_address(measurer: Measurer, host: str) -> None:
    with serving(ROUTES) as server:
        backend = Backend("own", "own", f"http://{host}:{server.port}/v1", "m")
        generation = measurer.generation(backend, "", Prompt("x"), Params(), limits_under(SHARED, Limits()))
        failed = generation.last(Failed)
        assert failed is not None
        assert failed.kind == "connect"
        assert server.asked == []


def test_the_sentence_of_a_refusal_reaches_the_lane(measurer: Measurer) -> None:
    backend = Backend("own", "own", "http://localhost:9/v1", "m")
    generation = measurer.generation(backend, "", Prompt("x"), Params(), limits_under(SHARED, Limits()))
    failed = generation.last(Failed)
    assert failed is not None
    assert "only public addresses" in failed.message


def test_the_collector_races_what_is_listed_and_what_is_the_operators(measurer: Measurer) -> None:
    listed = Policy(False, custom_addresses=True, allowed_hosts=("localhost", "127.0.0.1"))
    with serving(ROUTES) as server:
        for host, limits in (("127.0.0.1", limits_under(listed, Limits())), ("127.0.0.1", Limits())):
            backend = Backend("own", "own", f"http://{host}:{server.port}/v1", "m")
            generation = measurer.generation(backend, "", Prompt("x"), Params(), limits)
            assert generation.events[-1].status is Status.COMPLETE  # type: ignore[union-attr]


def test_a_redirect_is_not_followed_to_another_host(measurer: Measurer) -> None:
    with serving(ROUTES) as inner:
        away = {"POST /v1/chat/completions": lambda handler, _asked: handler.answer(
            b"", 307, Location=f"{inner.base_url}/chat/completions")}  # fmt: skip
        with serving(away) as outer:  # type: ignore[arg-type]
            backend = Backend("own", "own", outer.base_url, "m")
            generation = measurer.generation(backend, "", Prompt("x"), Params(), Limits())
            assert generation.last(Failed) is not None
        assert inner.asked == []


def test_the_list_of_models_obeys_too() -> None:
    with serving(ROUTES) as server, pytest.raises(AddressRefused):
        list_models(server.base_url, "", policy=SHARED)
    listed = Policy(False, custom_addresses=True, allowed_hosts=("127.0.0.0/8",))
    with serving(ROUTES) as server:
        assert list_models(f"http://localhost:{server.port}/v1", "", policy=Policy(
            False, custom_addresses=True, allowed_hosts=("localhost", "127.0.0.0/8", "::1"))) == ["m"]  # fmt: skip
        assert list_models(server.base_url, "", policy=listed) == ["m"]
        assert server.asked[0].headers["host"] == f"localhost:{server.port}"


def test_the_probe_obeys_too() -> None:
    with serving(ROUTES) as server:
        report = probe(Backend("own", "own", server.base_url, "m"), "", Limits(), policy=SHARED)
        assert server.asked == []
    assert not report.ok
    assert report.steps[0].ok is False
