"""Names are as short as they can be and still differ."""

from hypothesis import given
from hypothesis import strategies as st

from app.audition.short_names import SEPARATOR, NamePart, build_short_names, choose_short_parts, find_differing_parts

words = st.sampled_from(("", "a", "b", "a · b", "–", "a (2)")) | st.text(max_size=3)
parts = st.builds(NamePart, words, st.booleans())
ways = st.integers(1, 4).flatmap(lambda size: st.lists(st.tuples(*[parts] * size), max_size=7))


def said(*texts: str) -> tuple[NamePart, ...]:
    """Parts of which a "-" in front marks the usual ones."""
    return tuple(NamePart(text.removeprefix("-"), text.startswith("-")) for text in texts)


@given(ways)
def test_distinct_ways_have_distinct_names_and_equal_ones_the_same(found: list[tuple[NamePart, ...]]) -> None:
    names = build_short_names(found)
    assert all(names)
    for one, name in zip(found, names, strict=True):
        for other, its in zip(found, names, strict=True):
            assert (name == its) == ([part.label for part in one] == [part.label for part in other])


@given(ways)
def test_what_all_share_is_left_out(found: list[tuple[NamePart, ...]]) -> None:
    places = find_differing_parts(found)
    for way, shown in zip(found, choose_short_parts(found), strict=True):
        assert all(word in ("", part.label) for word, part in zip(shown, way, strict=True))
        assert not places or not any(word for place, word in enumerate(shown) if place not in places)


def test_only_what_differs_and_is_not_usual_is_said() -> None:
    assert build_short_names([said("Hanako", "Happy", "-1×"), said("Hanako", "Sad", "1.2×")]) == ["Happy", f"Sad{SEPARATOR}1.2×"]
    assert build_short_names([said("Hanako", "Happy", "-1×"), said("Hanako", "Happy", "1.2×")]) == ["1×", "1.2×"]
    assert build_short_names([said("Hanako", "Happy", "-1×")]) == [f"Hanako{SEPARATOR}Happy"]
    assert build_short_names([said("a", "-b"), said("-a", "b")]) == [f"a{SEPARATOR}b"] * 2  # the same words are the same way


def test_the_usual_is_said_where_two_would_have_the_same_name_without() -> None:
    assert build_short_names([said("x", "-y"), said("-z", "x")]) == [f"x{SEPARATOR}y", f"z{SEPARATOR}x"]
