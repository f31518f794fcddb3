import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '@binnacle/base/testing';
import { placeAt } from './yaml-place.ts';

/** `|` marks the place. */
function at(marked: string) {
  const offset = marked.indexOf('|');
  return placeAt(marked.replace('|', ''), offset);
}
const POD = 'apiVersion: v1\nspec:\n  containers:\n';

const ROWS: readonly (readonly [what: string, text: string, path: string, word: string])[] = [
  ['the root', 'api|', '', 'api'],
  ['below a key', 'spec:\n  rep|', 'spec', 'rep'],
  ['in an item', `${POD}    - name: c\n      im|`, 'spec.containers.[]', 'im'],
  ['at the first key of an item', `${POD}    - na|`, 'spec.containers.[]', 'na'],
  ['a list as far left as its key', `${POD}  - name: c\n    im|`, 'spec.containers.[]', 'im'],
  ['the key after such a list', `${POD}  - name: c\n  re|`, 'spec', 're'],
  ['lists in lists', 'a:\n  - - b|', 'a.[].[]', 'b'],
  ['after what is deeper', 'spec:\n  template:\n    spec:\n      x: 1\n  re|', 'spec', 're'],
  ['over empty lines and comments', 'spec:\n\n  # why\n  re|', 'spec', 're'],
  ['a quoted key', 'data:\n  "a.b":\n    c|', 'data.a.b', 'c'],
  ['in the second document', 'spec:\n---\nki|', '', 'ki'],
];
for (const [what, text, path, word] of ROWS) {
  test(what, () => {
    const place = at(text);
    deepEqual([place?.path.join('.'), place?.at, place?.word], [path, 'key', word]);
  });
}

test('at a value', () => {
  const place = at('spec:\n  restartPolicy: Ne|');
  deepEqual([place?.path, place?.at, place?.word], [['spec', 'restartPolicy'], 'value', 'Ne']);
});

test('keys that are there already, above and below, of this map alone', () => {
  deepEqual(at('a: 1\nspec:\n  x: 1\n  |\n  y:\n    z: 1\nb: 1')?.siblings, ['x', 'y']);
  deepEqual(at(`${POD}    - name: c\n      |\n      image: i\n    - name: d\n      args: []`)?.siblings, [
    'name',
    'image',
  ]);
});

test('no place in a comment; a long text takes no long time', () => {
  equal(at('# a|'), undefined);
  const ms = cpuMs(() => at(`${'a:\n  - b: c\n'.repeat(9000)}  - x|`));
  ok(ms < 500, `${ms} ms`);
});

test('what stands in another document is no sibling', () => {
  deepEqual(at('a: 1\n|\n---\nkind: B\nspec: 1')?.siblings, ['a']);
  deepEqual(at('a: 1\n---\nb: 1\n|')?.siblings, ['b']);
});

test('at the end of a key, behind its colon, and in an empty text', () => {
  deepEqual([at('|')?.path, at('|')?.at, at('|')?.siblings], [[], 'key', []]);
  deepEqual([at('spec:|')?.at, at('spec: |')?.at], ['value', 'value']);
  deepEqual(at('a:\n  url: http://x/y|')?.path, ['a', 'url']);
});
