import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { linkDeclarations } from './declarations.ts';

/** Links a small house from its door on; `@binnacle/api` is its one room with an index. */
function link(files: Readonly<Record<string, string>>): Record<string, string> {
  const linked = linkDeclarations(['apps/x/src/door.d.ts'], {
    read: (file) => files[file] ?? assert.fail(`${file} is read`),
    resolve: (from, specifier) => {
      if (specifier === '@binnacle/api') return 'packages/api/src/index.d.ts';
      if (!specifier.startsWith('.')) return undefined;
      return posix.join(posix.dirname(from), specifier).replace(/\.ts$/, '.d.ts');
    },
  });
  return Object.fromEntries([...linked].map(([path, text]) => [path, text.trim()]));
}

const A = 'export interface A {}';
const B = 'export interface B {}';
const ROOM = { 'packages/api/src/a.d.ts': A, 'packages/api/src/deep/b.d.ts': B };

interface Row {
  readonly name: string;
  readonly door: string;
  readonly index: string;
  readonly linked: Readonly<Record<string, string>>;
}

const ROWS: readonly Row[] = [
  {
    name: 'a name is taken from the file that declares it, and nothing else of the room comes along',
    door: "import type { A } from '@binnacle/api';",
    index: "export type { A } from './a.ts';\nexport type { B } from './deep/b.ts';",
    linked: { 'door.d.ts': "import { type A } from './api/a.js';", 'api/a.d.ts': A },
  },
  {
    name: 'names of two files become two statements, values stay values',
    door: "export { A, type B } from '@binnacle/api';",
    index: "export { A } from './a.ts';\nexport type { B } from './deep/b.ts';",
    linked: {
      'door.d.ts': "export { A } from './api/a.js';\nexport { type B } from './api/deep/b.js';",
      'api/a.d.ts': A,
      'api/deep/b.d.ts': B,
    },
  },
  {
    name: 'another name on the way, and another here',
    door: "import type { Alpha as First } from '@binnacle/api';",
    index: "export type { A as Alpha } from './a.ts';",
    linked: { 'door.d.ts': "import { type A as First } from './api/a.js';", 'api/a.d.ts': A },
  },
  {
    name: 'through all of a file',
    door: "import type { B } from '@binnacle/api';",
    index: "export type * from './a.ts';\nexport * from './deep/b.ts';",
    linked: { 'door.d.ts': "import { type B } from './api/deep/b.js';", 'api/deep/b.d.ts': B },
  },
  {
    name: 'imported and exported in two statements',
    door: "import type { A } from '@binnacle/api';",
    index: "import type { A } from './a.ts';\nexport type { A };",
    linked: { 'door.d.ts': "import { type A } from './api/a.js';", 'api/a.d.ts': A },
  },
  {
    name: 'a type named in its place',
    door: 'export declare const a: import("@binnacle/api").A;',
    index: "export type { A } from './a.ts';",
    linked: { 'door.d.ts': "export declare const a: import('./api/a.js').A;", 'api/a.d.ts': A },
  },
  {
    name: 'a type named in its place, which its file calls otherwise: the index comes along',
    door: 'export declare const a: import("@binnacle/api").Alpha;',
    index: "export type { A as Alpha } from './a.ts';",
    linked: {
      'door.d.ts': "export declare const a: import('./api/index.js').Alpha;",
      'api/index.d.ts': "export { type A as Alpha } from './a.js';",
      'api/a.d.ts': A,
    },
  },
  {
    name: 'a whole room under one name',
    door: "import type * as api from '@binnacle/api';",
    index: "export * from './a.ts';",
    linked: {
      'door.d.ts': "import type * as api from './api/index.js';",
      'api/index.d.ts': "export * from './a.js';",
      'api/a.d.ts': A,
    },
  },
  {
    name: 'two files that take each other in whole',
    door: "import type { A } from '@binnacle/api';",
    index: "export * from './index.ts';\nexport * from './a.ts';",
    linked: { 'door.d.ts': "import { type A } from './api/a.js';", 'api/a.d.ts': A },
  },
];

for (const { name, door, index, linked } of ROWS) {
  test(name, () => {
    const files = { ...ROOM, 'apps/x/src/door.d.ts': door, 'packages/api/src/index.d.ts': index };
    assert.deepEqual(link(files), linked);
  });
}

test('what a user would have to install is refused', () => {
  const door = "import type { Stream } from 'node:stream';";
  assert.throws(() => link({ 'apps/x/src/door.d.ts': door }), /door\.d\.ts names types of node:stream/);
});

test('a name that nobody exports is refused', () => {
  const files = {
    'apps/x/src/door.d.ts': "import type { C } from '@binnacle/api';",
    'packages/api/src/index.d.ts': '',
  };
  assert.throws(() => link(files), /exports no C/);
});
