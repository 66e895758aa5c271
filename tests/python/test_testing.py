"""davsim.testing.assert_close: where, how many and how far."""

import numpy as np
import pytest

import davsim
from davsim.testing import assert_close


def failure(actual, expected, **options):
    with pytest.raises(AssertionError) as caught:
        assert_close(actual, expected, **options)
    return str(caught.value)


def test_what_agrees():
    assert_close([1.0, np.nan, np.inf, -np.inf], [1.0005, np.nan, np.inf, -np.inf])
    assert_close(np.zeros((0, 3)), np.zeros((0, 3)))
    assert_close(davsim.BFloat16.from_float32([1.0]), np.float16([1.0]), rtol=0, atol=0)
    assert_close(np.int8([1, 2]), [1, 3], rtol=0, atol=1)


def test_the_error_says_where_how_many_and_how_far():
    actual = np.ones((4, 8), np.float32)
    actual[1, 2], actual[3, 7] = 1.5, -1.0
    text = failure(actual, np.ones((4, 8)), rtol=0, atol=0.1, name="q")
    assert "q: 2 of 32 elements (6.25 %)" in text
    assert text.index("[3, 7]: -1, expected 1, difference 2") < text.index("[1, 2]: 1.5")
    assert "the first is at [1, 2]" in text


def test_a_share_may_miss_the_tolerance():
    actual = np.ones(100)
    actual[5] = 2
    assert_close(actual, np.ones(100), outside=0.01)
    assert "allowed are 0.5 %" in failure(actual, np.ones(100), outside=0.005)


def test_nan_and_infinity_on_one_side_never_pass():
    for wrong in (np.nan, np.inf, -np.inf):
        for pair in (([1.0, wrong], [1.0, 1.0]), ([1.0, 1.0], [1.0, wrong])):
            assert "1 are NaN or infinite" in failure(*pair, outside=1.0, atol=1e9)
    assert "1 are" in failure([np.inf], [-np.inf])


def test_shapes_differ():
    assert "shape [2]; expected is [1, 2]" in failure([1, 2], [[1, 2]])
