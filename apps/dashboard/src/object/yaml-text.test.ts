import { deepEqual, equal, match, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { readDocuments, readYaml, yamlOf } from './yaml-text.ts';

const OBJECT = { kind: 'Pod', metadata: { name: 'a', managedFields: [{}] } };

test('managed fields only when asked for', () => {
  equal(yamlOf(OBJECT), 'kind: Pod\nmetadata:\n  name: a\n');
  equal(yamlOf(OBJECT, { managedFields: true }).includes('managedFields'), true);
});

test('what is written is read; what is none is refused', () => {
  deepEqual(readYaml('a: 1'), { a: 1 });
  for (const text of ['', '1', '- a', 'a: [']) throws(() => readYaml(text), text);
});

test('strings of megabytes are written, and read as they were', () => {
  const data = { lines: 'line <b>\n'.repeat(500_000), flat: '"\\'.repeat(500_000), short: 'a\nb\n' };
  const text = yamlOf({ kind: 'ConfigMap', data });
  match(text, /short: \|\n {4}a\n {4}b\n/);
  deepEqual(readYaml(text), { kind: 'ConfigMap', data });
});

const A = { kind: 'A' };
const B = { kind: 'B' };
const DOCUMENTS: readonly (readonly [what: string, text: string, found: readonly object[]])[] = [
  ['one', 'kind: A', [A]],
  ['several, in their order', '---\nkind: B\n---\nkind: A\n', [B, A]],
  ['empty ones and comments between them', '# first\n---\n---\nkind: A\n---\n# nothing\n---\nkind: B\n---\n', [A, B]],
  ['JSON', '{"kind":"A"}', [A]],
  ['the items of a List', 'apiVersion: v1\nkind: List\nitems: [{kind: A}, {kind: B}]\n---\nkind: A', [A, B, A]],
  [
    "a kind of one's own that is called List",
    'apiVersion: a/v1\nkind: List\nitems: [1]',
    [{ apiVersion: 'a/v1', kind: 'List', items: [1] }],
  ],
  ['anchors are of one document', 'kind: &k A\n---\nkind: B', [A, B]],
];
for (const [what, text, found] of DOCUMENTS) test(`documents: ${what}`, () => deepEqual(readDocuments(text), found));

const NO_DOCUMENTS: readonly (readonly [what: string, text: string])[] = [
  ['nothing', ''],
  ['nothing but separators', '---\n---\n'],
  ['a text among objects', 'kind: A\n---\nhello'],
  ['a list', '- kind: A'],
  ['a List of texts', 'apiVersion: v1\nkind: List\nitems: [a]'],
  ['one that is broken', 'kind: A\n---\na: ['],
  ['too many', '---\nkind: A\n'.repeat(501)],
];
for (const [what, text] of NO_DOCUMENTS) test(`no documents: ${what}`, () => throws(() => readDocuments(text)));
