import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { listOf } from '../route/route.ts';
import { deedOf, routeAbove } from './keys.ts';
import type { KeyDeed } from './keys.ts';

const plain = { ctrlKey: false, metaKey: false, altKey: false };
const free = { isWriting: false, areOn: true };
const ROWS: readonly (readonly [what: string, key: object, where: object, deed: KeyDeed | undefined])[] = [
  ['Ctrl-K', { key: 'k', ctrlKey: true }, {}, 'search'],
  ['Cmd-K, with capitals on', { key: 'K', metaKey: true }, {}, 'search'],
  ['Ctrl-K while writing', { key: 'k', ctrlKey: true }, { isWriting: true }, 'search'],
  ['a colon', { key: ':' }, {}, 'kinds'],
  ['a slash', { key: '/' }, {}, 'filter'],
  ['a letter', { key: 'l' }, {}, { tab: 'logs' }],
  ['a letter while writing', { key: 'l' }, { isWriting: true }, undefined],
  ['a letter where nobody wants single keys', { key: 'l' }, { areOn: false }, undefined],
  ['a letter of the browser', { key: 'l', ctrlKey: true }, {}, undefined],
  ['an arrow', { key: 'ArrowDown' }, {}, 'next'],
  ['Escape in a filter', { key: 'Escape' }, { isWriting: true, isFilter: true }, 'leave'],
  ['Enter in a filter', { key: 'Enter' }, { isWriting: true, isFilter: true }, 'next'],
  [
    'Enter in a filter, while a letter is made',
    { key: 'Enter', isComposing: true },
    { isWriting: true, isFilter: true },
    undefined,
  ],
  ['a letter in a filter', { key: 'j' }, { isWriting: true, isFilter: true }, undefined],
  ['Enter in another field', { key: 'Enter' }, { isWriting: true }, undefined],
  ['what objects inherit', { key: 'constructor' }, {}, undefined],
];
for (const [what, key, where, deed] of ROWS) {
  test(what, () => deepEqual(deedOf({ key: '', ...plain, ...key }, { ...free, ...where }), deed));
}

test('one step up', () => {
  const gvr = { group: '', version: 'v1', resource: 'pods' };
  const object = { page: 'object', gvr, namespace: 'n', name: 'p', tab: 'logs' } as const;
  deepEqual(routeAbove(object), { ...object, tab: 'summary' });
  const list = listOf(gvr, 'n');
  deepEqual(routeAbove({ ...object, tab: 'summary' }), list);
  deepEqual(routeAbove({ ...list, filter: 'a', labels: 'b=c' }), { ...list, labels: 'b=c' });
  deepEqual(routeAbove(list), undefined);
  deepEqual(routeAbove({ page: 'overview' }), undefined);
});
