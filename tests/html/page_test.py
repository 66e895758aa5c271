#!/usr/bin/env python3
"""Opens the pages of `davsim run --html` and `davsim compare --html` in a headless Chromium and uses
them as a reader does: nothing may go wrong in the console, nothing may be fetched, the wheel zooms
the timeline, the pointer explains what it is on. Screenshots stay behind as artefacts.

usage: page_test.py DAVSIM FOLDER"""

import pathlib
import re
import subprocess
import sys

try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
    from selenium.webdriver.common.by import By
except ImportError:
    print("skipped: python3-selenium is not installed")
    sys.exit(77)


def browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1320,2200", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options)


def open_page(driver, page):
    driver.get(page.as_uri())
    ready = driver.execute_script("return document.documentElement.dataset.ready")
    errors = driver.get_log("browser")
    assert not errors, errors
    assert ready == "true", "the page did not come to its end"
    fetched = driver.execute_script("return performance.getEntriesByType('resource').map(r => r.name)")
    assert fetched == [], fetched
    links = set(re.findall(r"https?://[^\"' )]+", page.read_text())) - {"http://www.w3.org/2000/svg"}
    assert not links, links


def headings(driver):
    return [h.text for h in driver.find_elements(By.TAG_NAME, "h2")]


def shown(driver):
    view = driver.find_element(By.ID, "view")
    return float(view.get_attribute("data-from")), float(view.get_attribute("data-to"))


def pixels(driver):
    return driver.execute_script("return document.querySelector('#timeline canvas').toDataURL()")


def check_timeline(driver):
    canvas = driver.find_element(By.CSS_SELECTOR, "#timeline canvas")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", canvas)
    whole, before = shown(driver), pixels(driver)
    ActionChains(driver).scroll_from_origin(ScrollOrigin.from_element(canvas), 0, -600).perform()
    near = shown(driver)
    assert whole[0] < near[0] < near[1] < whole[1], (whole, near)
    assert near[1] - near[0] < 0.5 * (whole[1] - whole[0]), (whole, near)
    assert pixels(driver) != before, "the zoom shows nothing new"
    ActionChains(driver).drag_and_drop_by_offset(canvas, 120, 0).perform()
    moved = shown(driver)
    assert moved[0] < near[0] and abs((moved[1] - moved[0]) - (near[1] - near[0])) < 1e-6, (near, moved)
    ActionChains(driver).double_click(canvas).perform()
    assert shown(driver) == whole, shown(driver)


def check_hover(driver):
    canvas = driver.find_element(By.CSS_SELECTOR, "#timeline canvas")
    tip = driver.find_element(By.ID, "tip")
    size = canvas.size
    for y in range(30, size["height"], 8):
        ActionChains(driver).move_to_element_with_offset(canvas, 0, y - size["height"] // 2).perform()
        if tip.is_displayed() and "cycles" in tip.text:
            return
    raise AssertionError("no instruction of the timeline explains itself")


def check_cores(driver):
    select = driver.find_element(By.CSS_SELECTOR, "#timeline select")
    before = pixels(driver)
    names = [option.text for option in select.find_elements(By.TAG_NAME, "option")]
    assert len(names) > 1, names
    driver.execute_script(
        "arguments[0].selectedIndex = 1; arguments[0].dispatchEvent(new Event('change'))", select)
    assert pixels(driver) != before, "another core looks the same"


def check_run(driver, davsim, folder):
    page = folder / "run.html"
    subprocess.run([davsim, "run", "matmul", "--case", "MM-1024", "--quiet", "--html", page], check=True)
    open_page(driver, page)
    expected = ["Summary", "Roofline", "Where the cycles went", "Timeline", "Memory paths", "Cores",
                "Hot source lines"]
    assert headings(driver) == expected, headings(driver)
    check_timeline(driver)
    check_hover(driver)
    check_cores(driver)
    for section in ("roofline", "memory", "cores"):
        assert driver.find_elements(By.CSS_SELECTOR, f"#{section} svg"), section
    source = driver.find_element(By.ID, "source").text
    assert "Mmad" in source or "Fixpipe" in source, source[:200]
    dark = "return getComputedStyle(document.body).backgroundColor"
    driver.execute_script("scrollTo(0, 0)")
    driver.save_screenshot(str(folder / "run.png"))
    light = driver.execute_script(dark)
    driver.find_element(By.ID, "theme").click()
    assert driver.execute_script(dark) != light
    driver.save_screenshot(str(folder / "run_dark.png"))


def check_comparison(driver, davsim, folder):
    page = folder / "compare.html"
    subprocess.run([davsim, "compare", "matmul", "--case", "MM-1024", "--soc", "Ascend910B3", "--soc",
                    "Ascend910_9392", "--set", "hbm.bandwidth=0.4TB/s", "--html", page],
                   check=True, stdout=subprocess.DEVNULL)
    open_page(driver, page)
    assert headings(driver) == ["Side by side", "Time", "Roofline"], headings(driver)
    table = driver.find_element(By.CSS_SELECTOR, "#comparison table").text
    for part in ("Ascend910B3", "Ascend910_9392", "400 GB/s", "cycles", "AIC M busy %"):
        assert part in table, part
    assert len(driver.find_elements(By.CSS_SELECTOR, "#times .stack")) == 4
    driver.save_screenshot(str(folder / "compare.png"))


def main():
    davsim, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    driver = browser()
    try:
        check_run(driver, davsim, folder)
        check_comparison(driver, davsim, folder)
    finally:
        driver.quit()
    print(f"screenshots are in {folder}")


main()
