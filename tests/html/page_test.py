#!/usr/bin/env python3
"""Opens the pages of `davsim run --html` and `davsim compare --html` in a headless Chromium and uses
them as a reader does: nothing may go wrong in the console, nothing may be fetched, what is drawn has
the shares that the report has, everything works by keyboard. Screenshots of all views at 800 and 1400
pixels, light, dark and on paper, stay behind as artefacts.

usage: page_test.py DAVSIM FOLDER use|screenshots|million"""

import base64
import json
import pathlib
import re
import subprocess
import sys
import time

try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("skipped: python3-selenium is not installed")
    sys.exit(77)

# A comment with uPlot's home is no link.
HARMLESS = {"http://www.w3.org/2000/svg", "https://github.com/leeoniya/uPlot"}


def browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1400,1000", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options)


def errors_of(driver):
    """What the console says, but for Chromium's advice to those who read a canvas often, as this test does."""
    return [entry for entry in driver.get_log("browser") if "willReadFrequently" not in entry["message"]]


def open_page(driver, page):
    driver.get(page.as_uri())
    ready = driver.execute_script("return document.documentElement.dataset.ready")
    errors = errors_of(driver)
    assert not errors, errors
    assert ready == "true", "the page did not come to its end"
    fetched = driver.execute_script("return performance.getEntriesByType('resource').map(r => r.name)")
    assert fetched == [], fetched
    links = set(re.findall(r"https?://[^\"' )]+", page.read_text())) - HARMLESS
    assert not links, links


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.S).group(1))


def headings(driver):
    return [h.text for h in driver.find_elements(By.TAG_NAME, "h2")]


def shown(driver):
    view = driver.find_element(By.ID, "view")
    return float(view.get_attribute("data-from")), float(view.get_attribute("data-to"))


def pixels(driver):
    return driver.execute_script("return document.getElementById('lanes').toDataURL()")


def screenshots(driver, folder, name):
    """The whole page at both widths, light and dark, and as it is printed."""
    for width in (1400, 800):
        for theme in ("light", "dark"):
            driver.execute_script(f"document.documentElement.dataset.theme = '{theme}'; redrawAll()")
            driver.set_window_size(width, 1000)
            driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
            height = driver.execute_script("return document.documentElement.scrollHeight")
            wide = driver.execute_script("return document.documentElement.scrollWidth")
            assert wide <= width, f"{name}: {wide} pixels of {width}"
            driver.set_window_size(width, height + 160)
            driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
            driver.save_screenshot(str(folder / f"{name}_{width}_{theme}.png"))
    driver.execute_script("delete document.documentElement.dataset.theme")
    paper = driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    (folder / f"{name}.pdf").write_bytes(base64.b64decode(paper["data"]))
    driver.set_window_size(1400, 1000)
    errors = errors_of(driver)
    assert not errors, errors


def check_headline(driver, data):
    bound = driver.find_element(By.ID, "bound").text.replace("\u00a0", " ")
    assert bound == data["headline"]["text"], bound
    first = data["path"]["causes"][0]
    assert data["headline"]["pipe"] in {c["pipe"] for c in data["path"]["causes"][:3]}, first
    rows = driver.find_elements(By.CSS_SELECTOR, "#path table:first-of-type tbody tr")
    assert rows, "no cause"
    shares = sum(c["share"] for c in data["path"]["causes"])
    assert abs(shares - 1) < 1e-6, f"the causes of the path are {shares} of the launch"


def check_wheel(driver):
    canvas = driver.find_element(By.ID, "lanes")
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
    canvas = driver.find_element(By.ID, "lanes")
    tip = driver.find_element(By.ID, "tip")
    size = canvas.size
    for y in range(34, size["height"], 8):
        ActionChains(driver).move_to_element_with_offset(canvas, 0, y - size["height"] // 2).perform()
        if tip.is_displayed() and "cycles" in tip.text:
            return
    raise AssertionError("no instruction of the timeline explains itself")


def check_keyboard(driver):
    canvas, status = driver.find_element(By.ID, "lanes"), driver.find_element(By.ID, "status")
    whole = shown(driver)
    canvas.send_keys("+", "+", Keys.ARROW_RIGHT)
    near = shown(driver)
    assert near[1] - near[0] < 0.3 * (whole[1] - whole[0]) and near[0] > 0, near
    assert " of " in status.get_attribute("textContent")
    canvas.send_keys(Keys.HOME)
    assert shown(driver) == whole
    canvas.send_keys(Keys.ARROW_DOWN, "n")
    first = driver.find_element(By.ID, "detail").text
    assert " on " in first and "cycles" in first, first
    canvas.send_keys("n")
    assert driver.find_element(By.ID, "detail").text != first
    assert status.get_attribute("textContent"), "a screen reader hears nothing"
    before = pixels(driver)
    canvas.send_keys("f")
    assert driver.find_element(By.ID, "flags").is_selected() and pixels(driver) != before, "no flags"
    canvas.send_keys("f")
    for label in driver.execute_script("""
        return [...document.querySelectorAll('canvas, svg[role=img], button, select, input, [role=img]')].filter(e =>
          !e.parentElement.closest('[role=img]')).map(e =>
          e.getAttribute('aria-label') || e.textContent || (e.labels && e.labels[0] && e.labels[0].textContent) || e.outerHTML)"""):
        assert not label.startswith("<"), f"without a name: {label}"


def check_cards(driver):
    """Columns of a card end near each other; the tensors that the short table leaves out come at a click."""
    for card in ("path", "roofline", "memory"):
        heights = driver.execute_script(
            f"return [...document.querySelectorAll('#{card} .columns > .block')].map(e => e.offsetHeight)")
        assert len(heights) == 2 and max(heights) - min(heights) <= 0.4 * max(heights), (card, heights)
    rows = "return [...document.querySelectorAll('#memory table')[1].rows].filter(r => r.offsetHeight).length"
    hidden = driver.find_elements(By.CSS_SELECTOR, "#memory tr.more")
    short, buttons = driver.execute_script(rows), driver.find_elements(By.CSS_SELECTOR, "#memory button.all")
    assert bool(hidden) == bool(buttons), (len(hidden), len(buttons))
    for button in buttons:
        button.click()
        assert driver.execute_script(rows) == short + len(hidden) and button.get_attribute("aria-expanded") == "true"
        button.click()
        assert driver.execute_script(rows) == short


def check_search(driver, data):
    search = driver.find_element(By.ID, "search")
    for words in (data["timeline"]["tensors"][0]["name"], "MMAD", "product.h"):
        search.clear()
        search.send_keys(words)
        found = driver.find_element(By.ID, "found").text
        assert "on this core" in found and not found.startswith("0"), (words, found)
    search.send_keys(Keys.ENTER)
    assert "1 of" in driver.find_element(By.ID, "found").text
    search.clear()
    search.send_keys("no such thing")
    assert driver.find_element(By.ID, "found").text == "not found"
    search.clear()
    search.send_keys(Keys.SPACE)
    driver.execute_script("davsim.view.all()")


def check_cores(driver):
    overview = driver.find_element(By.ID, "overview")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", overview)
    before = driver.find_element(By.ID, "core").get_attribute("value")
    size = overview.size
    ActionChains(driver).move_to_element_with_offset(overview, 0, 12 - size["height"] // 2).click().perform()
    first = driver.find_element(By.ID, "core").get_attribute("value")
    assert first == "core0.cubecore0", first
    overview.send_keys(Keys.ARROW_DOWN)
    assert driver.find_element(By.ID, "core").get_attribute("value") != first
    rows = before_pixels = driver.execute_script("return document.getElementById('overview').toDataURL()")
    driver.execute_script("""const s = document.getElementById('overview-pipe'); s.value = 'FIX';
                             s.dispatchEvent(new Event('change'))""")
    rows = driver.execute_script("return document.getElementById('overview').toDataURL()")
    assert rows != before_pixels, "the rows of another pipe look the same"
    assert before


DRAWN = """
const {timeline, model, view} = davsim, [from, to] = arguments, lanes = {};
view.show(from, to);
const ratio = devicePixelRatio || 1, g = timeline.canvas.getContext('2d');
const colors = classColors().map(hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)));
for (const lane of timeline.lanes) {
  // Drawn once more without names and borders, which lie over it.
  g.fillStyle = style('card');
  g.fillRect(timeline.left, lane.y, timeline.width, LANE);
  paintShares(g, sharesOf(lane.track, view.from, view.to, timeline.width), timeline.left, lane.y, timeline.width, LANE, classColors());
  const image = g.getImageData(timeline.left * ratio, lane.y * ratio, timeline.width * ratio, LANE * ratio).data;
  const counts = new Array(CLASS_COUNT).fill(0);
  for (let i = 0; i < image.length; i += 4) {
    let best = 0, least = Infinity;
    colors.forEach((c, k) => {
      const d = (c[0] - image[i]) ** 2 + (c[1] - image[i + 1]) ** 2 + (c[2] - image[i + 2]) ** 2;
      if (d < least) least = d, best = k;
    });
    ++counts[best];
  }
  lanes[lane.pipe] = counts.map(count => count / (image.length / 4));
}
view.all();
return lanes;
"""


def unpacked(text):
    numbers, value, shift = [], 0, 0
    for byte in base64.b64decode(text):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    return numbers


def expected_shares(states, start, end):
    """Of each class, its share of the cycles from start to end."""
    shares, at = [0.0] * 12, 0
    for number in unpacked(states):
        cycles, klass = divmod(number, 16)
        inside = max(0, min(at + cycles, end) - max(at, start))
        shares[klass] += inside / (end - start)
        at += cycles
    return shares


def check_area(driver, data):
    """What is on the screen has the shares that the data have, at every zoom."""
    cycles = data["timeline"]["end"] - data["timeline"]["start"]
    name = driver.find_element(By.ID, "core").get_attribute("value")
    core = next(c for c in data["timeline"]["cores"] if c["name"] == name)
    for start, end in ((0, cycles), (cycles * 0.2, cycles * 0.5), (cycles * 0.4, cycles * 0.41)):
        drawn = driver.execute_script(DRAWN, start, end)
        for pipe, shares in drawn.items():
            expected = expected_shares(core["pipes"][pipe]["states"], start, end)
            for klass, (a, b) in enumerate(zip(shares, expected)):
                assert abs(a - b) < 0.02, f"{pipe}, class {klass}: {a:.3f} drawn, {b:.3f} expected"


def check_run(driver, davsim, folder):
    page = folder / "run.html"
    subprocess.run([davsim, "run", "matmul", "--case", "MM-1024", "--quiet", "--html", page], check=True)
    open_page(driver, page)
    data = data_of(page)
    expected = ["What bounds the launch", "Critical path", "Timeline", "Where the cycles went", "Ceilings",
                "Memory", "Source lines"]
    assert headings(driver) == expected, headings(driver)
    check_headline(driver, data)
    check_wheel(driver)
    check_hover(driver)
    check_keyboard(driver)
    check_search(driver, data)
    check_cores(driver)
    check_area(driver, data)
    check_cards(driver)
    ceilings = driver.find_element(By.ID, "roofline").text
    for part in ("ports GM → L1", "HBM", "L2", "cubes"):
        assert part in ceilings, part
    tensors = driver.find_element(By.CSS_SELECTOR, "#memory table[aria-label='Bytes by tensor']").text
    assert {"a", "b", "c"} <= {line.split()[0] for line in tensors.splitlines()}, tensors
    source = driver.find_element(By.ID, "source").text
    assert "Mmad" in source or "DataCopy" in source, source[:200]


def compare(davsim, page, socs, bandwidths):
    arguments = [part for soc in socs for part in ("--soc", soc)]
    subprocess.run([davsim, "compare", "matmul", "--case", "MM-1024", *arguments, "--set",
                    f"hbm.bandwidth={bandwidths}", "--html", page], check=True, stdout=subprocess.DEVNULL)


def check_comparison(driver, davsim, folder):
    page = folder / "compare.html"
    compare(davsim, page, ["Ascend910B3", "Ascend910_9392"], "0.4TB/s")
    open_page(driver, page)
    assert headings(driver) == ["What the comparison says", "Side by side", "Time and roofline"], headings(driver)
    table = driver.find_element(By.CSS_SELECTOR, "#comparison table").text
    for part in ("Ascend910B3", "Ascend910_9392", "400 GB/s", "cycles", "AIC M busy %"):
        assert part in table, part
    assert len(driver.find_elements(By.CSS_SELECTOR, "#times .stack")) == 4
    roofs = " ".join(e.get_attribute("textContent") for e in driver.find_elements(By.CSS_SELECTOR, "#roofline svg text"))
    for part in ("1.60 TB/s", "400 GB/s", "295 TFLOP/s", "364 TFLOP/s"):
        assert part in roofs, (part, roofs)


def check_screenshots(driver, davsim, folder):
    """Every view at both widths; nothing may be wider than the window, nine columns too."""
    for name, arguments in (("run", ["matmul", "--case", "MM-1024"]), ("mixed", ["mla_prolog_quant", "--case", "MPQ-7"]),
                            ("short", ["rope_quant_kvcache", "--case", "RQK-3"])):
        page = folder / f"{name}.html"
        subprocess.run([davsim, "run", *arguments, "--no-check", "--quiet", "--html", page], check=True,
                       stdout=subprocess.DEVNULL)
        open_page(driver, page)
        check_cards(driver)
        screenshots(driver, folder, name)
    driver.execute_script("davsim.view.show(davsim.view.last * 0.4, davsim.view.last * 0.46)")
    driver.execute_script("davsim.timeline.flagBox.click()")
    driver.find_element(By.ID, "timeline").screenshot(str(folder / "near.png"))
    page = folder / "compare.html"
    compare(davsim, page, ["Ascend910B3", "Ascend910_9392", "Ascend910B1"], "0.4TB/s,0.8TB/s")
    open_page(driver, page)
    assert len(driver.find_elements(By.CSS_SELECTOR, "#times .stack")) == 9
    screenshots(driver, folder, "compare")


def copies(text, count):
    """Packed numbers, so many times over; the bytes of whole numbers can be put in a row."""
    return base64.b64encode(base64.b64decode(text) * count).decode()


def million_page(davsim, folder):
    """The page of a launch, its pipes as often in a row as makes a million instructions."""
    page = folder / "million.html"
    subprocess.run([davsim, "run", "mla_prolog_quant", "--case", "MPQ-7", "--no-check", "--quiet", "--html", page],
                   check=True, stdout=subprocess.DEVNULL)
    data = data_of(page)
    timeline = data["timeline"]
    pipes = [p for core in timeline["cores"] for p in core["pipes"].values()]
    times = -(-1_000_000 // sum(p["event_count"] for p in pipes))
    timeline["end"] = timeline["start"] + times * (timeline["end"] - timeline["start"])
    cycles = (timeline["end"] - timeline["start"]) // times
    for pipe in pipes:
        numbers = unpacked(pipe["events"])
        rest = cycles - sum(numbers[0::5])  # the first event of the next copy is that much later
        first, again = base64.b64decode(pipe["events"]), bytearray()
        if numbers:
            head = [numbers[0] + rest, *numbers[1:]]
            for number in head:
                while number > 127:
                    again.append(number & 127 | 128)
                    number >>= 7
                again.append(number)
        pipe["events"] = base64.b64encode(first + bytes(again) * (times - 1)).decode()
        pipe["event_count"] *= times
        pipe["states"] = copies(pipe["states"], times)
        pipe["state_count"] *= times
    timeline["path"]["steps"] = copies(timeline["path"]["steps"], times)
    timeline["path"]["step_count"] *= times
    text = page.read_text()
    start = text.index('id="data">') + len('id="data">')
    page.write_text(text[:start] + json.dumps(data).replace("<", "\\u003c") + text[text.index("</script>", start):])
    return page


TIMED = """
const {view, timeline} = davsim, times = [];
for (const [from, to] of [[0, 1], [0.1, 0.9], [0.3, 0.6], [0.5, 0.51], [0.5, 0.5001], [0, 1]]) {
  const start = performance.now();
  view.show(from * view.last, to * view.last);
  timeline.canvas.getContext('2d').getImageData(0, 0, 1, 1);  // waits until all is drawn
  times.push(performance.now() - start);
}
return times;
"""


def check_million(driver, davsim, folder):
    page = million_page(davsim, folder)
    driver.get(page.as_uri())
    assert not errors_of(driver)
    count = driver.execute_script("return davsim.model.eventCount")
    assert count >= 1_000_000, count
    paint = driver.execute_script("""
        const paints = performance.getEntriesByType('paint').map(p => p.startTime);
        return Math.max(...paints, performance.timing.loadEventEnd - performance.timing.navigationStart)""")
    zooms = driver.execute_script(TIMED)
    print(f"{count} instructions: shown after {paint:.0f} ms, zooms {', '.join(f'{z:.0f}' for z in zooms)} ms")
    assert paint < 2000, paint
    assert max(zooms) < 100, zooms
    started = time.monotonic()
    driver.find_element(By.ID, "search").send_keys("MMAD")
    assert "cores" in driver.find_element(By.ID, "found").text
    print(f"search: {time.monotonic() - started:.2f} s")
    page.unlink()


def main():
    davsim, folder, part = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    folder.mkdir(parents=True, exist_ok=True)
    driver = browser()
    try:
        if part == "use":
            check_run(driver, davsim, folder)
            check_comparison(driver, davsim, folder)
        elif part == "screenshots":
            check_screenshots(driver, davsim, folder)
        else:
            check_million(driver, davsim, folder)
    finally:
        driver.quit()
    print(f"screenshots are in {folder}")


main()
