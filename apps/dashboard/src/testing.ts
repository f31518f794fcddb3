import type { TestContext } from 'node:test';

/** Gives one test what a page has and Node has not, or not so; afterwards all is as it was. */
export function replaceGlobals(t: TestContext, globals: { readonly [name: string]: unknown }): void {
  for (const [name, value] of Object.entries(globals)) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    t.after(() => {
      if (before === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, before);
    });
  }
}
