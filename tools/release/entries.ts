/**
 * Entry points of the bundle by the name they have in the package: the program, what is imported from it, and each
 * thread's file, as a thread is started by the path of its file.
 */
export const ENTRIES = {
  main: 'apps/binnacle/src/packaged.ts',
  scheduler: 'apps/binnacle/src/scheduler.ts',
  'store-worker': 'packages/store/src/sqlite/worker.ts',
  'yaml-worker': 'packages/apiserver/src/node/yaml-worker.ts',
} as const;

/** What a program may import from the package, by its name there: code and types. */
export const DOORS = { scheduler: ENTRIES.scheduler } as const;

/** What `up` runs, in one file: `lib/whole.cjs`. */
export const WHOLE = 'apps/binnacle/src/main.ts';

/** A program's text without a byte beyond ASCII, which esbuild leaves in patterns: V8 keeps such a text in half the memory. */
export function inAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * A bundled program whose modules have one name: esbuild makes each an object of one property, called as its file. V8 keeps what may follow an
 * object without properties in one sorted list, so that the 600 names of a program cost each start more than 8 of its 300 ms.
 */
export function withOneModuleName(program: string): string {
  return program.replace(/\b(__esm|__commonJS)\(\{"[^"\\]+"\(/g, '$1({body(');
}

/** A program of CommonJS as the one function that apps/binnacle/src/host/kept-code.ts runs. */
export function asFunction(program: string): string {
  return `(function (exports, require, module, __filename) {"use strict";${program}\n})`;
}
