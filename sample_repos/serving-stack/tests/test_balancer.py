import pytest

from gateway.balancer import NoReplica, Pool


def test_least_busy_replica_is_chosen():
    pool = Pool.of(("a", "b"))
    with pool.lease() as first, pool.lease() as second:
        assert {first.url, second.url} == {"a", "b"}


def test_three_failures_take_a_replica_out():
    pool = Pool.of(("a", "b"))
    bad = pool.replicas[0]
    for _ in range(3):
        pool.report(bad, ok=False)
    for _ in range(4):
        with pool.lease() as replica:
            assert replica.url == "b"
    pool.report(bad, ok=True)
    assert bad.healthy


def test_no_replica_left():
    pool = Pool.of(("a",))
    for _ in range(3):
        pool.report(pool.replicas[0], ok=False)
    with pytest.raises(NoReplica), pool.lease():
        pass


def test_count_goes_down_after_an_error():
    pool = Pool.of(("a",))
    with pytest.raises(RuntimeError), pool.lease():
        raise RuntimeError
    assert pool.replicas[0].in_flight == 0
