"""The collision stories of the paper."""

from __future__ import annotations

from sixpoint.bench.stories import forward_reach, sideways_reach


def test_a_reach_ahead_ends_in_a_box_behind():  # S3.45, Fig. 14
    story = forward_reach()
    events = story.contacts.events()
    assert {event.part for event in events} <= {"pelvis", "belly", "l_thigh", "r_thigh"}
    assert events
    assert events[0].first > 10
    assert not story.contacts.highlight[0].any()
    assert story.contacts.highlight[-1].any()


def test_an_elbow_ends_in_a_box_beside():  # S3.46, Figs. 15 and 16
    story = sideways_reach()
    parts = {event.part for event in story.contacts.events()}
    assert parts == {"l_upper_arm", "l_forearm"}  # and not the hand, which the user watches
    assert not story.contacts.highlight[0].any()
