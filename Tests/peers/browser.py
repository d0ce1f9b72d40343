"""Drives a headless Chromium over the DevTools protocol: opens pages, presses keys, clicks, and reads what a page shows."""

import asyncio
import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import urllib.request

import websockets


def program():
    """Returns the path of Chromium, or None."""
    names = [os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
    return next((path for path in map(shutil.which, filter(None, names)) if path), None)


class Browser:
    """A browser with its own profile, for `async with`."""

    async def __aenter__(self):
        self.folder = tempfile.mkdtemp()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        self.process = subprocess.Popen(
            [program(), *flags, "--remote-debugging-port=0", f"--user-data-dir={self.folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        place = os.path.join(self.folder, "DevToolsActivePort")
        await until(lambda: os.path.exists(place) and "\n" in open(place).read(), "Chromium did not start", 60)
        self.port = int(open(place).readline())
        return self

    async def __aexit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def page(self, url, width=1280, height=720, theme="light"):
        """Opens a page. With a width under 760, the browser behaves like a phone's."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        target = json.load(urllib.request.urlopen(request))
        page = Page(await websockets.connect(target["webSocketDebuggerUrl"], max_size=None))
        for domain in ("Page", "Runtime", "Log"):
            await page.call(f"{domain}.enable")
        await page.resize(width, height)
        await page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        await page.call("Page.navigate", url=url)
        return page


class Page:
    """A page. `errors` has the errors and warnings of its console, and its uncaught exceptions."""

    def __init__(self, socket):
        self.socket, self.errors, self.waiting, self.numbers = socket, [], {}, itertools.count(1)
        self.reader = asyncio.ensure_future(self.read())

    async def read(self):
        async for text in self.socket:
            message = json.loads(text)
            kind, values = message.get("method"), message.get("params", {})
            if "id" in message:
                self.waiting.pop(message["id"]).set_result(message)
            elif kind == "Runtime.exceptionThrown":
                self.errors.append(str(values["exceptionDetails"])[:1000])
            elif kind == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
                self.errors.append(str(values["args"])[:1000])
            elif kind == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
                self.errors.append(f"{values['entry']['text']} {values['entry'].get('url', '')}"[:1000])

    async def call(self, method, **values):
        number = next(self.numbers)
        # Kept here, because the answer may arrive, and remove it from `waiting`, before `send` returns.
        future = self.waiting[number] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"id": number, "method": method, "params": values}))
        answer = await asyncio.wait_for(future, 60)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    async def resize(self, width, height):
        is_phone = width < 760
        await self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                        deviceScaleFactor=2 if is_phone else 1, mobile=is_phone)

    async def value(self, expression):
        """Returns the value of a JavaScript expression."""
        answer = await self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    async def until(self, expression, words, seconds=20):
        """Waits until an expression is true, and returns its value."""
        return await until(lambda: self.value(expression), words, seconds)

    async def text(self, selector):
        return await self.value(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")

    async def click(self, selector):
        """Clicks the middle of an element, as with a mouse."""
        await self.value(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'nearest'}})")
        x, y = await self.value(
            f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [box.left + box.width / 2, box.top + box.height / 2]; })()")
        await self.click_at(x, y)

    async def click_at(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def key(self, name):
        await self.call("Input.dispatchKeyEvent", type="keyDown", key=name, text=name if len(name) == 1 else "")
        await self.call("Input.dispatchKeyEvent", type="keyUp", key=name)

    async def picture(self, path):
        answer = await self.call("Page.captureScreenshot", format="png")
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    async def close(self):
        await self.socket.close()


async def until(condition, words, seconds=20, pause=0.05):
    """Waits until a condition, which may be asynchronous, is true, and returns its value."""
    end = asyncio.get_running_loop().time() + seconds
    while True:
        found = condition()
        found = await found if asyncio.iscoroutine(found) else found
        if found:
            return found
        if asyncio.get_running_loop().time() > end:
            raise AssertionError(words)
        await asyncio.sleep(pause)
