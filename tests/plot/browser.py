# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

"""browser.py FOLDER PAGE...: opens pages in Chromium, driven by chromedriver, and prints TAP lines
without a plan on what a reader sees: at the widths of a phone and a desk, light and dark. FOLDER
keeps the browser's profile and a picture of each page (PAGE-WIDTH-SCHEME.png)."""

import base64
import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

STARTS_WITHIN_S = 30

# Returns a list of sentences on what is wrong. ratio: the contrast of two colours as in WCAG 2.
LOOK = r"""
const wrong = [];
const html = document.documentElement;
if (html.scrollWidth > html.clientWidth)
    wrong.push(`the page is ${html.scrollWidth} wide, the window ${html.clientWidth}`);
const numbers = text => (text.match(/[\d.]+/g) || []).map(Number);
const light = text => {
    const [r, g, b] = numbers(text).slice(0, 3).map(v => v / 255)
        .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ratio = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
};
const background = element => {
    for (; element; element = element.parentElement) {
        const colour = getComputedStyle(element).backgroundColor;
        if (numbers(colour).length < 4 || numbers(colour)[3] > 0) return colour;
    }
    return 'rgb(255, 255, 255)';
};
for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!own || element.closest('svg') && element.localName !== 'text') continue;
    const style = getComputedStyle(element);
    const ink = element.localName === 'text' ? style.fill : style.color;
    const got = ratio(ink, background(element));
    if (got < 4.5) wrong.push(`contrast ${got.toFixed(2)} of "${element.textContent.trim()}"`);
}
for (const svg of document.querySelectorAll('svg')) {
    if (!svg.querySelector(':scope > title') || !svg.querySelector(':scope > desc'))
        wrong.push('a picture has no title or no description');
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim())
        .map(t => ({ text: t.textContent.trim(), box: t.getBoundingClientRect() }));
    if (texts.length < 3) wrong.push('a picture has no texts');
    for (const { text, box } of texts) {
        if (box.left < frame.left - 0.5 || box.right > frame.right + 0.5 ||
            box.top < frame.top - 0.5 || box.bottom > frame.bottom + 0.5)
            wrong.push(`"${text}" lies outside the picture`);
        const turned = box.height > box.width && text.length > 2;
        // On paper a tall picture is made as small as a page, and letters may be smaller.
        if ((turned ? box.width : box.height) < (matchMedia('print').matches ? 6 : 10))
            wrong.push(`"${text}" is too small`);
    }
    // A box has room above and below its letters: 3 tenths of it may overlap.
    for (let i = 0; i < texts.length; i++)
        for (let j = 0; j < i; j++) {
            const a = texts[i].box, b = texts[j].box;
            const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (x > 0.5 && y > 0.3 * Math.min(a.height, b.height))
                wrong.push(`"${texts[i].text}" and "${texts[j].text}" overlap`);
        }
}
return wrong;
"""


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Browser:
    def __init__(self, folder):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + STARTS_WITHIN_S
        while True:
            try:
                self.ask("GET", "/status")
                break
            except (urllib.error.URLError, ConnectionError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic",
                            "--no-first-run", "--disable-background-networking",
                            "--disable-component-update", "--disable-sync", "--hide-scrollbars",
                            "--disable-dev-shm-usage", f"--user-data-dir={folder}/profile"]}
        self.session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})["sessionId"]

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method, headers={
            "Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def do(self, method, path, body=None):
        return self.ask(method, f"/session/{self.session}{path}", body)

    def tell(self, command, **values):
        return self.do("POST", "/goog/cdp/execute", {"cmd": command, "params": values})

    def end(self):
        try:
            self.do("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()


def check(browser, folder, page, width, scheme):
    browser.tell("Emulation.setDeviceMetricsOverride", width=width, height=800,
                 deviceScaleFactor=1, mobile=False)
    browser.tell("Emulation.setEmulatedMedia",
                 media="print" if scheme == "print" else "",
                 features=[{"name": "prefers-color-scheme",
                            "value": "dark" if scheme == "dark" else "light"}])
    browser.do("POST", "/url", {"url": pathlib.Path(page).resolve().as_uri()})
    wrong = browser.do("POST", "/execute/sync", {"script": LOOK, "args": []})
    wrong += ["console: " + entry["message"]
              for entry in browser.do("POST", "/se/log", {"type": "browser"})]
    shot = browser.tell("Page.captureScreenshot", captureBeyondViewport=True)["data"]
    name = os.path.splitext(os.path.basename(page))[0]
    with open(f"{folder}/{name}-{width}-{scheme}.png", "wb") as file:
        file.write(base64.b64decode(shot))
    return wrong


def main(folder, *pages):
    browser = Browser(folder)
    try:
        for page in pages:
            for width, scheme in ((360, "light"), (360, "dark"), (1280, "light"), (1280, "dark"),
                                  (700, "print")):
                wrong = check(browser, folder, page, width, scheme)
                print("not ok" if wrong else "ok", "-", os.path.basename(page), width, scheme)
                for sentence in wrong[:20]:
                    print("#", sentence)
    finally:
        browser.end()


main(*sys.argv[1:])
