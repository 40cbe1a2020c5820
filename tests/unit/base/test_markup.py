"""What a page is filled with is text."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from motiform.base.markup import Html, escape, html, join, page


class Seen(HTMLParser):
    """What a reader of HTML takes from a page: its tags, their attributes, its text."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])))
def test_any_text_is_the_same_text_on_the_page_and_inside_quotes(text):
    seen = Seen(html('<p title="{}">{}</p>', text, text))
    assert (seen.tags, seen.attributes, seen.text) == (["p"], [("title", text)], text)


def test_what_is_html_already_stays_and_nothing_else_does():
    inner = html("<b>{}</b>", "<i>")
    assert html("<p>{}</p>", inner) == "<p><b>&lt;i&gt;</b></p>"
    assert join([inner, "<i>"], " ") == "<b>&lt;i&gt;</b> &lt;i&gt;"
    assert escape(escape("<")) == "&lt;"
    assert html("{:.{digits}f}{!r}", 0.125, "<", digits=1) == "0.1&#x27;&lt;&#x27;"
    assert isinstance(html("{}", 1), Html)
    assert type(page("<b>{}</b>", "<")) is str
