/** The dashboard's page, as it is bundled, in a DOM without a browser: nothing is laid out, everything is drawn. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Window } from 'happy-dom';
import type { HTMLElement, HTMLInputElement } from 'happy-dom';

/** What is not the window's but Node's own: it reaches the network, and timers that a test may wait for. */
const OF_NODE = new Set([
  ...['fetch', 'Headers', 'Request', 'Response', 'FormData', 'AbortController', 'AbortSignal', 'Blob', 'WebSocket'],
  ...['URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'performance', 'crypto', 'console', 'process', 'Buffer'],
  ...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'],
  ...['queueMicrotask', 'structuredClone', 'globalThis', 'global', 'self', 'eval', 'undefined', 'NaN', 'Infinity'],
]);
/** A window of this size, as lists see it that draw only what can be seen. */
const SIZE = { offsetWidth: 1400, offsetHeight: 900, clientWidth: 1400, clientHeight: 900 };
const DEADLINE_MS = 30_000;

/** A page that somebody looks at. */
export interface PageInDom {
  readonly window: Window;
  /** All that is drawn, as text. */
  text(): string;
  /** The first element that a selector finds, once there is one whose text matches. */
  find(selector: string, text?: RegExp): Promise<HTMLElement>;
  /** Clicks it. */
  click(selector: string, text?: RegExp): Promise<void>;
  /** Types into a field, as React hears it. */
  fill(selector: string, value: string): Promise<void>;
  /** Goes to a place of the page, as its own links do. */
  goTo(path: string): void;
  close(): Promise<void>;
}

/** Opens the page of a folder as if it came from `url`. One at a time: it takes the process's globals. */
export async function openInDom(folder: string, url: string): Promise<PageInDom> {
  const window = new Window({ url, width: SIZE.offsetWidth, height: SIZE.offsetHeight });
  const restore = takeGlobals(window, url);
  window.document.body.innerHTML = '<div id="root"></div>';
  const [, script = ''] =
    /type="module" src="\/(assets\/[^"]+)"/.exec(readFileSync(join(folder, 'index.html'), 'utf8')) ?? [];
  await import(pathToFileURL(join(folder, script)).href);
  const { body } = window.document;
  const found = (selector: string, text?: RegExp): HTMLElement | undefined =>
    ([...body.querySelectorAll(selector)] as unknown as HTMLElement[]).find(
      ({ textContent }) => text === undefined || text.test(textContent),
    );
  const find: PageInDom['find'] = (selector, text) =>
    new Promise((resolve, reject) => {
      const observer = new window.MutationObserver(() => look());
      const timer = setTimeout(() => {
        observer.disconnect();
        reject(new RangeError(`no ${selector} ${text ?? ''} in\n${body.querySelector('#root')?.textContent}`));
      }, DEADLINE_MS);
      const look = (): void => {
        const element = found(selector, text);
        if (element === undefined) return;
        clearTimeout(timer);
        observer.disconnect();
        resolve(element);
      };
      observer.observe(body, { childList: true, subtree: true, characterData: true, attributes: true });
      look();
    });
  return {
    window,
    find,
    text: () => body.querySelector('#root')?.textContent ?? '',
    async click(selector, text) {
      (await find(selector, text)).dispatchEvent(new window.MouseEvent('click', { bubbles: true, cancelable: true }));
    },
    async fill(selector, value) {
      const field = (await find(selector)) as unknown as HTMLInputElement;
      // Past React, which watches the property itself to tell what is new.
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
      field.dispatchEvent(new window.Event('input', { bubbles: true }));
    },
    goTo(path) {
      window.history.pushState(null, '', path);
      window.dispatchEvent(new window.PopStateEvent('popstate'));
    },
    async close() {
      await window.happyDOM.close();
      restore();
    },
  };
}

/** Makes the window's names the process's; what is returned takes them back. */
function takeGlobals(window: Window, url: string): () => void {
  for (const [name, value] of Object.entries(SIZE)) {
    Object.defineProperty(window.HTMLElement.prototype, name, { configurable: true, get: () => value });
  }
  const { fetch } = globalThis;
  const own: { [name: string]: unknown } = {
    window: globalThis,
    fetch: (path: string, init?: RequestInit) => fetch(new URL(path, url), init),
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
    dispatchEvent: window.dispatchEvent.bind(window),
  };
  const before = new Map<string, PropertyDescriptor | undefined>();
  const take = (name: string, value: unknown): void => {
    before.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    Object.defineProperty(globalThis, name, { configurable: true, writable: true, value });
  };
  const names = new Set<string>();
  for (
    let level: object | null = window;
    level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level) as object | null
  )
    for (const name of Object.getOwnPropertyNames(level)) names.add(name);
  for (const name of names) {
    if (OF_NODE.has(name) || Object.hasOwn(own, name) || (name in globalThis && /^[A-Z]/.test(name) && !isOfDom(name)))
      continue;
    const value = (window as unknown as { readonly [key: string]: unknown })[name];
    const isMethod = typeof value === 'function' && /^[a-z]/.test(name);
    take(name, isMethod ? (value.bind(window) as unknown) : value);
  }
  for (const [name, value] of Object.entries(own)) take(name, value);
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
    }
  };
}

/** Of the classes that Node has too, those which the DOM checks to be its own. */
function isOfDom(name: string): boolean {
  return /Event$|^EventTarget$|^Navigator$|^Storage$/.test(name);
}
