"""Tests the page of a run, as `pipectl run --serve` shows it, in a headless Chromium.

page_peer.py every PIPECTL FOLDER       for every configuration of a folder: the page shows the whole graph, the console no error, and
                                        after the run every counter equals that of the state
page_peer.py use PIPECTL CONFIG …       pauses, scrubs and steps while a run of `match` on strokes goes on; then compares the
                                        counters as above
page_peer.py why PIPECTL CONFIG …       asks for the explanation of a result of such a run
page_peer.py view PIPECTL RECORDING CONFIG
                                        plays, seeks and steps through a recording, and asks for the explanation of a result
page_peer.py hands PIPECTL RECORDING CONFIG
                                        checks that hands are drawn with the wrist below, before and after a stage that flips y, and
                                        in an explanation
page_peer.py templates PIPECTL RECORDING CONFIG
                                        checks that an explanation draws the nearest template and the hand the same way up as the
                                        hand of the camera
page_peer.py parts PIPECTL RECORDING    checks that the page asks for the rest if the server sends only a part of the frames or results
page_peer.py counts PIPECTL RECORDING   checks that large counts are shown with three digits and a unit
page_peer.py broken PIPECTL RECORDING   checks that an error of the page itself is in the console, and not shown as a lost connection
page_peer.py hostile PIPECTL            checks that names with markup, scripts and control characters are shown as text, and cut
page_peer.py picture URL FILE [WIDTH HEIGHT THEME [KEY|CSS-SELECTOR …]]
                                        writes a picture of a page, after pressing keys and clicking elements

Prints a line for each group of checks. The first failed check ends the program with 1.
"""

import asyncio
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request

from browser import Browser, program, until


def state(url):
    return json.load(urllib.request.urlopen(f"{url}/api/state"))


def said(words):
    print(words, flush=True)


def same(found, expected, words):
    assert found == expected, f"{words}: {found!r} instead of {expected!r}"


async def shown(page):
    """Waits for the page to show the graph."""
    await page.until("document.querySelectorAll('[data-node]').length > 0", "no graph is shown")


async def graph(page, url):
    """Checks that the page shows every node and every edge of the state under its name."""
    await shown(page)
    now = state(url)
    nodes = await page.value("[...document.querySelectorAll('[data-node]')].map((node) => node.dataset.node)")
    same(sorted(nodes), sorted(node["id"] for node in now["nodes"]), "nodes")
    edges = await page.value("[...document.querySelectorAll('[data-edge]')].map((edge) => edge.dataset.edge)")
    same(sorted(edges), sorted(edge["id"] for edge in now["edges"]), "edges")
    await page.until(f"document.title.startsWith({json.dumps(now['identity']['name'][:20])})", "the title is not the name of the run")
    crowded = await page.value(
        """(() => {
          const boxes = [...document.querySelectorAll('.card')].map((card) => card.getBoundingClientRect());
          return boxes.some((a, i) => boxes.some((b, k) => k > i && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom));
        })()""")
    assert not crowded, "cards overlap"
    await fits(page)
    said(f"graph: {len(nodes)} nodes, {len(edges)} edges")


async def fits(page):
    """Checks that the page is not wider than the screen of a phone or a computer."""
    for width, height in ((390, 844), (1280, 720)):
        await page.resize(width, height)
        await page.until("document.documentElement.scrollWidth <= innerWidth", f"the page is wider than {width}")


async def counters(page, url):
    """Waits for the end of the run, and checks that the table of each node shows the numbers of the state."""
    await until(lambda: state(url)["phase"] == "ended", "the run does not end", 120, pause=0.5)
    await page.until("document.querySelector('#phase').dataset.state === 'ended'", "the page does not say that the run has ended")
    now = state(url)
    number = 0
    for node in now["nodes"]:
        await page.click(f"[data-node={json.dumps(node['id'])}]")
        await page.until(f"document.querySelector('.inspector h2')?.textContent === {json.dumps(node['id'])}", f"{node['id']} is not shown")
        cells = await page.value(
            "Object.fromEntries([...document.querySelectorAll('[data-counter]')].map((cell) => [cell.dataset.counter, cell.textContent]))")
        expected = {key: node[key] for key in ("received", "passed", "absorbed", "emitted", "failed") if node.get(key) is not None}
        expected |= {f"dropped.{reason}": count for reason, count in (node.get("dropped") or {}).items() if count}
        for key, count in expected.items():
            same(cells.get(key), f"{count:,}", f"{key} of {node['id']}")
            number += 1
        await page.key("Escape")
    same(await page.text("#lost"), f"{now['losses']:,}", "losses")
    lossy = await page.value("[...document.querySelectorAll('.edge.lossy')].map((edge) => edge.dataset.edge)")
    losses = set(now["loss_reasons"])
    expected = [edge["id"] for edge in now["edges"] if edge.get("timed_out") or losses & set(edge.get("dropped") or {})]
    same(sorted(lossy), sorted(expected), "edges with losses")
    said(f"counters: {number} as in the state")


async def use(page, url):
    """Uses the page as a person does: selects a node, pauses, steps, scrubs, and presses keys."""
    await graph(page, url)
    await page.until("document.querySelectorAll('.result').length >= 6", "no results are shown", 60)
    node = "match"
    await page.click(f"[data-node={node}]")
    await page.until("Boolean(document.querySelector('.inspector .ranking .name'))", "no ranking is shown")
    said(f"a node: {await page.text('.inspector .caption')}")

    caption = "document.querySelector('.inspector .caption').textContent"
    await page.key(" ")
    await page.until("document.querySelector('#live').getAttribute('aria-pressed') === 'false'", "space does not pause")
    first = await page.value(caption)
    number = state(url)["nodes"][0]["emitted"]
    await until(lambda: state(url)["nodes"][0]["emitted"] > number, "the run does not go on while the page is paused", pause=0.5)
    same(await page.value(caption), first, "the frame while paused")
    said("pause: the frame stays")

    passed = [first]
    for _ in range(4):
        await page.key("ArrowLeft")
        await page.until(f"{caption} !== {json.dumps(passed[-1])}", "no step back")
        passed.append(await page.value(caption))
    same(len(set(passed)), 5, "frames on the way back")
    for expected in reversed(passed[:-1]):
        await page.key("ArrowRight")
        await page.until(f"{caption} === {json.dumps(expected)}", f"a step forward does not lead to {expected}")
    said("step: four frames back, and the same ones forward")

    left, top, width = await page.value(
        "(() => { const box = document.querySelector('.slider').getBoundingClientRect(); return [box.left, box.top, box.width]; })()")
    await page.click_at(left + width * 0.5, top + 60)
    await page.until("/−(29|30|31)/.test(document.querySelector('#time').textContent)", "a click on the timeline does not lead to its time")
    await page.key("Home")
    await page.until("/−60/.test(document.querySelector('#time').textContent)", "Home does not lead to the beginning")
    said(f"scrub: {await page.text('#time')}")

    await page.key("l")
    await page.until("document.querySelector('#live').getAttribute('aria-pressed') === 'true'", "L does not return to live frames")
    await page.key("Escape")
    for theme in ("dark", "light"):
        await page.key("t")
        same(await page.value("document.documentElement.dataset.theme"), theme, "theme")
    await page.key("?")
    await page.until("Boolean(document.querySelector('dialog[open]'))", "no help")
    await page.key("?")
    await page.until("!document.querySelector('dialog[open]')", "the help does not go away")
    said("keys: theme and help")


async def why(page, is_recording=False):
    """Checks that a click on a result shows its explanation, its steps through the stages, and the nearest templates."""
    await shown(page)
    await page.until("Boolean(document.querySelector('.result'))", "the results are not shown", 60)
    if not is_recording:
        await page.key(" ")
    # In one expression, because another result may become the first one meanwhile. Pausing draws the list again.
    label = await page.until(
        "(() => { const first = document.querySelector('.result'); first?.click(); return first?.querySelector('.name').textContent; })()",
        "a paused page shows no results")
    expected = "Rejected" if label == "None" else f"Accepted as {label}"
    await page.until("document.querySelector('.why .sentence')?.textContent", "Why? shows no explanation")
    sentence = await page.text(".why .sentence")
    assert sentence.startswith(expected), f"{sentence!r} instead of {expected}"
    assert await page.value("document.querySelectorAll('.why .steps li').length") >= 2, "the steps through the stages are not shown"
    assert await page.value("document.querySelectorAll('.why .overlays canvas').length") >= 1, "no template is shown"
    said(f"why: {sentence}")
    # A new theme redraws all pictures, also the one of the inspector, which is not shown now.
    await page.value("""(() => {
      window.hidden = new Set();
      const clear = CanvasRenderingContext2D.prototype.clearRect;
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        if (!this.canvas.isConnected) window.hidden.add(this.canvas);
        return clear.apply(this, box);
      };
    })()""")
    hidden = []
    for _ in range(4):
        await page.key("Escape")
        await page.until("!document.querySelector('.why')", "Escape does not close the explanation")
        await page.key("w")
        await page.until("document.querySelectorAll('.why .overlays canvas').length >= 1", "W does not show the explanation again")
        await page.until("[...document.querySelectorAll('.why canvas')].every((canvas) => canvas.width > 0)", "the pictures have no size")
        await page.value("window.hidden.clear()")
        await page.key("t")
        hidden.append(await page.value("window.hidden.size"))
    assert hidden[-1] <= hidden[0] + 1, f"pictures that are redrawn although they are not shown: {hidden}"
    said("why: pictures of earlier explanations are forgotten")


async def view(page, url):
    """Plays a recording, seeks and steps in it, and checks the explanation of a result."""
    await graph(page, url)
    length = state(url)["recording"]["to_ms"] / 1000
    await page.until("document.querySelectorAll('.result').length === 3", "the results at the beginning are not the first ones of three pens")
    time = "parseFloat(document.querySelector('#time').textContent)"
    await page.value("document.querySelector('#speed').value = '16'; document.querySelector('#speed').dispatchEvent(new Event('change'))")
    await page.key(" ")
    await page.until(f"{time} > 2", "the recording does not play")
    await page.key(" ")
    await page.until("document.querySelector('#play').getAttribute('aria-label').startsWith('Play')", "space does not pause")
    said("play: pauses")
    await page.key("End")
    await page.until(f"Math.abs({time} - {length}) < 0.1", "End does not lead to the end")
    results = await page.value("document.querySelectorAll('.result').length")
    assert results > 10, f"{results} results at the end"
    await page.key("Home")
    await page.until(f"{time} === 0", "Home does not lead to the beginning")
    await page.click("[data-node=match]")
    caption = "document.querySelector('.inspector .caption').textContent"
    await page.until("Boolean(document.querySelector('.inspector .ranking .name'))", "no ranking is shown")
    passed = [await page.value(caption)]
    for key in ["ArrowRight"] * 3 + ["ArrowLeft"] * 3:
        await page.key(key)
        await page.until(f"{caption} !== {json.dumps(passed[-1])}", "no step")
        passed.append(await page.value(caption))
    same(passed[3:], passed[:4][::-1], "frames on the way back")
    left, top, width = await page.value(
        "(() => { const box = document.querySelector('.slider').getBoundingClientRect(); return [box.left, box.top, box.width]; })()")
    await page.click_at(left + width * 0.5, top + 60)
    await page.until(f"Math.abs({time} - {length / 2}) < {length / 20}", "a click on the timeline does not lead to its time")
    said(f"seek and step: {results} results")
    await page.key("Escape")
    await why(page, is_recording=True)


async def hands(page):
    """Checks that the wrist is drawn below all other landmarks at the beginning, whichever way y points in the frames."""
    await shown(page)
    await note(page, "arc")
    # The dots of a drawing are circles; the first 21 are the landmarks of a hand, from the wrist on. The timeline also draws circles.
    wrist_is_lowest = """(() => {
      const lists = drawn("#panel canvas");
      return lists.length > 0 && lists.every((list) => list.length >= 21 && list[0] >= Math.max(...list.slice(0, 21)));
    })()"""
    for node in ("camera", "up", "down", "recognize_hand"):
        await page.value("notes.clear()")
        await page.click(f"[data-node={node}]")
        await page.until(wrist_is_lowest, f"the hand of {node} is upside down")
        said(f"{node}: the wrist is below")
    await page.value("notes.clear(); document.querySelector('.inspector .primary').click()")
    await page.until("document.querySelectorAll('.why .steps > li').length === 4", "the way through the stages is not shown")
    await page.until(wrist_is_lowest, "a hand is upside down in the steps")
    said("why: every wrist is below")


async def templates(page):
    """Checks that the camera's hand is drawn with the wrist above, and that the nearest template and the hand over it are, too."""
    await shown(page)
    await note(page, "arc")
    await page.click("[data-node=camera]")
    await page.until("drawn('#panel canvas').some((list) => list.length >= 21 && list[0] <= Math.min(...list.slice(0, 21)))",
                     "the hand of the camera is not drawn with the wrist above")
    await note(page, "moveTo", "lineTo")
    await page.click("[data-node=match]")
    await page.until("document.querySelector('.inspector .primary')?.hidden === false", "Why? is not offered")
    await page.value("document.querySelector('.inspector .primary').click()")
    # A hand has 21 bones of two ends each, the first end is the wrist. The template is drawn first, then the compared hand.
    hands = "drawn('.why .overlays canvas')[0]"
    await page.until(f"{hands}?.length >= 84", "the template and the hand are not both drawn")
    for name, first in (("template", 0), ("compared hand", 42)):
        ends = await page.value(f"{hands}.slice({first}, {first + 42})")
        same(ends[0], min(ends), f"height of the wrist of the {name}")
    said("why: the template and the hand are drawn like the hand of the camera")


async def note(page, *calls):
    """Makes a page record the y of these calls of drawing contexts. `drawn(selector)` returns a list for each canvas drawn on."""
    await page.value(f"""(() => {{
      window.notes = new Map();
      window.drawn = (selector) => [...window.notes].filter(([canvas]) => canvas.matches(selector)).map(([, list]) => list);
      for (const name of {json.dumps(calls)}) {{
        const call = CanvasRenderingContext2D.prototype[name];
        CanvasRenderingContext2D.prototype[name] = function (x, y, ...rest) {{
          const list = window.notes.get(this.canvas) ?? [];
          list.push(y);
          window.notes.set(this.canvas, list);
          return call.call(this, x, y, ...rest);
        }};
      }}
    }})()""")


async def parts(page):
    """Checks that a server that sends at most ten frames at once is asked for the rest, of a recording and of a paused run."""
    await shown(page)
    result = await page.value("""(async () => {
      const { Player } = await import("/player.js"), { Store } = await import("/store.js");
      const { LiveSource, RecordingSource } = await import("/source.js");
      const listener = { link() {}, hello() {}, state() {} };
      const found = { asked: 0 };
      for (const Source of [RecordingSource, LiveSource]) {
        const source = new Source(listener), begin = source.isRecording ? 0 : Date.now() - 60_000;
        if (source.isRecording) source.start({ recording: { from_ms: 0, to_ms: 60_000 } });
        const all = Array.from({ length: 600 }, (_, id) => ({ op: "frame", id: id + 1, node: "n", stream: "s", at_ms: begin + id * 100, payload: {} }));
        const fetched = window.fetch;
        window.fetch = async (path) => {
          found.asked += 1;
          const query = new URL(path, location).searchParams, [from, to] = ["from_ms", "to_ms"].map((name) => Number(query.get(name)));
          const items = query.has("events") ? [] : all.filter((one) => one.at_ms >= from && one.at_ms <= to);
          const part = query.get("keep") === "oldest" ? items.slice(0, 10) : items.slice(-10);
          return { ok: true, json: async () => ({ items: part, truncated: part.length < items.length }) };
        };
        const store = new Store(), player = new Player(source, store, () => {});
        const own = found[source.isRecording ? "recording" : "run"] = [];
        const note = async () => {
          while (player.loading) await player.loading;
          own.push((store.at("n", player.moment)?.at_ms ?? NaN) - begin);
        };
        player.look("n");
        player.pause(begin + 30_000);
        await note();
        for (const direction of [-1, -1, 1]) { await player.step(direction); await note(); }
        player.seek(begin + 12_345);
        await note();
        window.fetch = fetched;
      }
      return found;
    })()""")
    for kind in ("recording", "run"):
        same(result[kind], [30_000, 29_900, 29_800, 29_900, 12_300], f"frames of a {kind}")
    assert result["asked"] < 200, f"{result['asked']} requests"
    said("parts: the rest is loaded")

    events = await page.value("""(async () => {
      const { Player } = await import("/player.js"), { Store } = await import("/store.js");
      // A recording with 12,000 results, two each millisecond, of which the server sends at most 5,000 at once.
      const all = Array.from({ length: 12_000 }, (_, at) => ({ op: "result", id: at + 1, node: "n", stream: "s", at_ms: at >> 1 }));
      const source = {
        isRecording: true, now: () => 6000, span: () => ({ from: 0, to: 6000 }),
        range: async ({ from, to, limit, oldest }) => {
          const items = all.filter((one) => one.at_ms >= from && one.at_ms <= to), most = Math.min(limit, 5000);
          return { items: oldest ? items.slice(0, most) : items.slice(-most), isPart: items.length > most };
        },
      };
      const found = [];
      for (const limits of [{}, { events: 7000 }]) {
        const store = new Store(limits), player = new Player(source, store, () => {});
        for (let turn = 0; turn < 100; turn++) await null;
        found.push([store.results.length, store.results[0].id, store.step(null, player.moment, 1).id, player.isCut]);
      }
      return found;
    })()""")
    # The playhead at 0 ms is after the results 1 and 2.
    same(events, [[12_000, 1, 3, False], [7000, 1, 3, True]], "the number of results, the first, the next one, and whether they are cut")
    said("parts: all results are loaded, or the page knows that they are not")

    shown_at = await page.value("""(async () => {
      const { Player } = await import("/player.js"), { Store } = await import("/store.js");
      const frame = (run, at) => ({ op: "frame", id: 1000 * run + at, node: "n", stream: "s", at_ms: at, payload: { run } });
      // A live run of which the test answers every request when it likes.
      let now = 100, run = 1;
      const waiting = [];
      const answer = async () => {
        for (const { query, answered, run, end } of waiting.splice(0)) {
          const times = Array.from({ length: 10 }, (_, index) => (index + 1) * end / 10);
          const items = query.only === "events" ? [] : times.filter((at) => at >= query.from && at <= query.to).map((at) => frame(run, at));
          answered({ items, isPart: false });
        }
        for (let turn = 0; turn < 20; turn++) await null;
      };
      const source = {
        isRecording: false, isOver: false, now: () => now, span: () => ({ from: 0, to: now }),
        range: (query) => new Promise((answered) => waiting.push({ query, answered, run, end: now })),
      };
      const store = new Store(), player = new Player(source, store, () => {});
      const found = {};
      player.look("n");
      player.pause();
      player.follow();
      now = 200;
      player.pause();
      await answer();
      await answer();
      found.again = store.at("n", player.moment)?.at_ms;
      player.follow();
      player.pause();
      player.reset();
      run = 2;
      await answer();
      found.old = store.streams("n").length;
      player.pause();
      await answer();
      found.run = store.at("n", player.moment)?.payload.run;
      return found;
    })()""")
    same(shown_at, {"again": 200, "old": 0, "run": 2}, "frames after a pause while others are loaded")
    said("a late answer: belongs to the pause that asked for it")

    kept = await page.value("""(async () => {
      const { Store } = await import("/store.js");
      const store = new Store({ bytes: 1000 });
      for (let id = 1; id <= 100; id++) store.add({ op: "frame", id, node: "n", stream: "s", at_ms: id * 1000 }, 100);
      const { from, to } = store.trim(0, 50_000);
      const times = store.frames.get("n").map((one) => one.at_ms);
      return { bytes: store.bytes, isWhole: times.length > 3 && times.every((time) => time >= from && time <= to) };
    })()""")
    assert kept["bytes"] <= 1000 and kept["isWhole"], f"kept: {kept}"
    said("memory: frames far from the playhead are removed")


async def every(browser, pipectl, folder):
    """Opens the page for every configuration of a folder."""
    for path in sorted(glob.glob(os.path.join(folder, "*.yaml"))):
        if "PIPELINE_DATA" in open(path).read() and "PIPELINE_DATA" not in os.environ:
            continue
        said(os.path.basename(path))
        async with Run(pipectl, path) as url:
            page = await browser.page(f"{url}/")
            await graph(page, url)
            if state(url)["phase"] == "ended":
                await counters(page, url)
            same(page.errors, [], "errors of the console")
            await page.close()


async def counts(page):
    """Checks the short form of counts."""
    await shown(page)
    expected = {
        9_999: "9,999", 10_000: "10k", 12_345: "12.3k", 999_499: "999k", 999_950: "1M", 1_234_567: "1.23M", 999_900_000: "1G",
        1_000_000_000_000: "1T", 1_500_000_000_000: "1.50T", 2_000_000_000_000_000: "2,000T"}
    found = await page.value(f"import('/format.js').then((format) => {list(expected)}.map((number) => format.short(number)))")
    same(found, list(expected.values()), "counts")
    same(await page.value("import('/format.js').then((format) => format.rate(999_950))"), "1M/s", "a rate")
    said("counts: three digits and a unit")


async def broken(browser, url):
    """Breaks the page, and checks that the error is not shown as a lost connection."""
    page = await browser.page("about:blank")
    await page.call("Page.addScriptToEvaluateOnNewDocument", source="delete window.ResizeObserver")
    await page.call("Page.navigate", url=f"{url}/")
    await until(lambda: page.errors, "the console shows no error")
    assert "ResizeObserver" in page.errors[0], page.errors
    words = await page.text("#notice") + await page.text("#phase")
    assert "connection" not in words, words
    said("broken: the error is in the console")


async def hostile(browser, pipectl):
    """Checks that stream names and labels with markup, scripts, ANSI codes or very long text are shown as text, and cut."""
    nasty = '<img src=x onerror="window.harmed=1"><script>window.harmed=2</script>\u202e\x1b[31m' + "A" * 100_000
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/in.jsonl", "w") as file:
            for number in range(60):
                stroke = {"kind": "stroke", "stream": nasty[:200] + str(number % 3), "t_us": number * 500_000 + 1,
                          "fields": "xy", "pts": [0, 0, 50, 90, 120, 10], "label": nasty, nasty[:90]: nasty}
                file.write(json.dumps(stroke) + "\n")
        library = os.path.join(os.path.dirname(__file__), "../../Samples/shapes.json")
        with open(f"{folder}/in.yaml", "w") as file:
            json.dump({"version": 1, "name": nasty[:200], "sources": [{"file": {"path": "in.jsonl", "rate": 1}}],
                       "stages": [{"match": {"library": os.path.abspath(library), "subject": True}}], "sinks": ["discard"]}, file)
        async with Run(pipectl, f"{folder}/in.yaml") as url:
            page = await browser.page(f"{url}/")
            await shown(page)
            await page.until("document.querySelectorAll('.result').length >= 3", "no results are shown", 60)
            for step in ("[data-node=file]", "[data-node=match]"):
                await page.click(step)
                title = step.removeprefix("[data-node=").removesuffix("]")
                await page.until(f"document.querySelector('.inspector h2')?.textContent === {json.dumps(title)}", f"{title} is not shown")
                await page.until("document.querySelector('.inspector .caption')?.textContent", f"no frame of {title} is shown")
                await fits(page)
                same(await page.value("document.querySelectorAll('img, script:not([src]), [onerror]').length"), 0, "elements created from names")
                assert "<img" in await page.value("document.body.textContent"), "the name is not shown as text"
                assert await page.value("document.body.textContent.length") < 30_000, "texts are not cut"
                assert not await page.value(r"/[\u202e\x1b]/.test(document.body.innerText)"), "invisible characters are not marked"
            same(await page.value("window.harmed ?? null"), None, "scripts that have run")
            same(page.errors, [], "errors of the console")
            said("hostile names: shown as text")


async def picture(browser, url, file, width="1280", height="720", theme="light", *steps):
    page = await browser.page(f"{url}/", int(width), int(height), theme)
    await shown(page)
    await asyncio.sleep(1.5)
    for step in steps:
        await (page.click(step) if step[0] in ".#[" and len(step) > 1 else page.key(step))
        await asyncio.sleep(1)
    await page.picture(file)
    said(file)


class Run:
    """A served run, for `async with`, which gives its address."""

    def __init__(self, pipectl, *arguments, verb=("run", "--keep-serving")):
        self.command = [pipectl, *verb, "--serve=127.0.0.1:0", *arguments]

    async def __aenter__(self):
        self.messages = tempfile.NamedTemporaryFile("r")
        with open(self.messages.name, "w") as messages:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=messages)
        found = await until(self.address, f"{' '.join(self.command)} serves nothing")
        return found.group(0).rstrip("/")

    def address(self):
        text = open(self.messages.name).read()
        assert self.process.poll() is None, text
        return re.search(r"http://\S+", text)

    async def __aexit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        try:
            await until(lambda: self.process.poll() is not None, f"{' '.join(self.command)} does not end after an interrupt", 30)
        finally:
            self.process.kill()
            self.process.wait()


async def main(verb, *rest):
    async with Browser() as browser:
        if verb == "picture":
            return await picture(browser, rest[0].rstrip("/"), *rest[1:])
        if verb == "every":
            return await every(browser, *rest)
        if verb == "hostile":
            return await hostile(browser, *rest)
        if verb == "broken":
            async with Run(*rest, verb=("view",)) as url:
                return await broken(browser, url)
        if verb in ("hands", "templates", "parts", "counts"):
            async with Run(*rest, verb=("view",)) as url:
                page = await browser.page(f"{url}/")
                await globals()[verb](page)
                return same(page.errors, [], "errors of the console")
        if verb == "view":
            async with Run(*rest, verb=("view",)) as url:
                page = await browser.page(f"{url}/")
                await view(page, url)
                return same(page.errors, [], "errors of the console")
        async with Run(*rest) as url:
            page = await browser.page(f"{url}/")
            if verb == "why":
                await why(page)
                return same(page.errors, [], "errors of the console")
            await use(page, url)
            await counters(page, url)
            same(page.errors, [], "errors of the console")
            said("console: no error")


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in (
            "every", "use", "why", "view", "hands", "templates", "parts", "counts", "broken", "hostile", "picture"):
        sys.exit(__doc__)
    if not program():
        sys.exit("Chromium is not there")
    try:
        asyncio.run(main(*sys.argv[1:]))
    except AssertionError as problem:
        sys.exit(f"wrong: {problem}")
