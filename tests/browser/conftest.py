"""A headless Chromium, and a studio for it to look at."""

import os
import shutil
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--use-angle=swiftshader",  # WebGL without a graphics card
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 120_000  # [ms] without a graphics card the first picture can take half a minute on a busy machine

SCENE = """
[scene]
title = "Browser test"
description = "A red box that turns."
duration = 2
rate = 100

[[body]]
name = "box"
shape = { box = [0.8, 0.4, 0.6], density = 500 }
color = [0.9, 0.05, 0.05]
pose = { at = [0, 1, 0] }
spin = [0.3, 3, 0.2]

[environment]
gravity = [0, 0, 0]

[motion]
step = 1e-3

[image]
camera = { from = [1.5, 2, 2], to = [0, 1, 0] }
plot = ["box.angular_velocity", "energy"]
"""


def missing(reason):
    """Skip with the reason; in CI a skipped browser test is a failed one."""
    if os.environ.get("CI"):
        pytest.fail(f"in CI the browser tests must run: {reason}")
    pytest.skip(reason)


def chromium():
    wanted = os.environ.get("MOTIFORM_CHROMIUM")
    names = [wanted] if wanted else ["/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome", "chrome"]
    found = next((path for path in map(shutil.which, names) if path), None)
    return found or missing(f"no Chromium found ({', '.join(names)}); MOTIFORM_CHROMIUM names one")


@dataclass
class Watched:
    """A page and all that it said and asked for."""

    page: object
    errors: list = field(default_factory=list)
    addresses: list = field(default_factory=list)

    def watch(self):
        page = self.page
        page.on("console", lambda said: said.type == "error" and self.errors.append(said.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.addresses.append(request.url))
        page.on("websocket", lambda socket: self.addresses.append(socket.url))
        page.on("requestfailed", lambda request: self.errors.append(f"failed: {request.url}"))

    def foreign(self, url):
        """Return the addresses on another host than that of the page."""
        own = urlsplit(url).netloc
        plain = [a.removeprefix("blob:") for a in self.addresses if not a.startswith("data:")]
        return [address for address in plain if urlsplit(address).netloc != own]


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api") if not os.environ.get("CI") else None
    if playwright is None:
        from playwright import sync_api as playwright
    path = chromium()
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, headless=True, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    from motiform.studio import serve

    path = tmp_path_factory.mktemp("scene") / "box.toml"
    path.write_text(SCENE, "utf-8")
    studio = serve(scene=path, port=0, open_browser=False, block=False)
    studio.runner.join(300)
    studio.player.pause()
    studio.player.seek(0.0)
    yield studio
    studio.close()


@pytest.fixture(scope="module")
def watched(browser, studio):
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.set_default_timeout(PATIENCE)
    watched = Watched(page)
    watched.watch()
    page.goto(studio.url)
    page.wait_for_selector("#motiform-time", state="attached")
    # The page is ready when it draws: its frames tick.
    page.wait_for_function("() => (window.ticks = (window.ticks || 0) + 1) > 20", polling="raf", timeout=PATIENCE)
    page.set_default_timeout(PATIENCE / 4)
    return watched


@pytest.fixture
def page(watched):
    return watched.page
