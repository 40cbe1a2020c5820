"""Make studio_gallery.png and studio_screen.png: the gallery, and a screen as motion, form and image over (K, Z).

Needs playwright (the extra dev) and a Chromium of the system. ``python docs/images/studio_pages.py``
"""

import shutil
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from motiform.studio import Studio

HERE = Path(__file__).parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
AFTER = 0.6  # [s] of the motion, after which a screen is photographed


def gallery(page: Page, url: str) -> None:
    """Photograph the tiles of matter, which are as many as fill a page."""
    page.goto(f"{url}/gallery")
    page.locator("h2", has_text="Matter").evaluate("h => { h.scrollIntoView(); scrollBy(0, -70); }")
    shown = "i => i.getBoundingClientRect().top > innerHeight || (i.complete && i.naturalWidth)"
    page.wait_for_function(f"[...document.images].every({shown})")
    page.wait_for_timeout(500)
    page.screenshot(path=HERE / "studio_gallery.png")


def screen(page: Page, url: str, scene: str) -> None:
    """Photograph a screen while it runs."""
    page.goto(f"{url}/screen")
    page.locator("#scene").select_option(scene)
    page.wait_for_function(
        f"() => {{ const s = motiformScreen; return s.head && s.about.scene === '{scene}' && s.head.time > {AFTER}; }}",
        timeout=120_000,
    )
    page.locator("#run").click()
    page.wait_for_timeout(800)
    page.screenshot(path=HERE / "studio_screen.png", clip={"x": 0, "y": 0, "width": 1280, "height": 680})


def main() -> None:
    """Start a studio and a browser, and photograph both pages."""
    program = next(found for name in BROWSERS if (found := shutil.which(name)))
    with sync_playwright() as play, Studio(port=0) as studio:
        browser = play.chromium.launch(executable_path=program, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        gallery(page, studio.url)
        screen(page, studio.url, "sand-screen")
        browser.close()


if __name__ == "__main__":
    main()
