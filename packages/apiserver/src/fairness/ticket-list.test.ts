import assert from 'node:assert/strict';
import test from 'node:test';
import { TicketList } from './ticket-list.ts';
import type { Listed } from './ticket-list.ts';

class Named implements Listed<Named> {
  readonly name: string;
  before: Named | undefined = undefined;
  behind: Named | undefined = undefined;

  constructor(name: string) {
    this.name = name;
  }
}

function listOf(text: string): { list: TicketList<Named>; entries: Map<string, Named> } {
  const list = new TicketList<Named>();
  const entries = new Map(text.split('').map((name) => [name, new Named(name)] as const));
  for (const entry of entries.values()) list.add(entry);
  return { list, entries };
}

function textOf(list: TicketList<Named>): string {
  return [...list].map(({ name }) => name).join('');
}

for (const [leaves, rest] of [
  ['', 'abcd'],
  ['a', 'bcd'],
  ['d', 'abc'],
  ['bc', 'ad'],
  ['dcba', ''],
  ['abcd', ''],
] as const) {
  test(`of abcd ${leaves === '' ? 'nobody' : leaves} leaves`, () => {
    const { list, entries } = listOf('abcd');
    for (const name of leaves) {
      const entry = entries.get(name);
      assert.ok(entry !== undefined);
      list.delete(entry);
      assert.deepEqual([entry.before, entry.behind], [undefined, undefined], 'it knows nobody any more');
    }
    assert.deepEqual([textOf(list), list.size, list.first?.name], [rest, rest.length, rest[0]]);
    list.add(new Named('e'));
    assert.equal(textOf(list), `${rest}e`);
  });
}

test('who left may come again, at the end', () => {
  const { list, entries } = listOf('abc');
  const a = entries.get('a') ?? new Named('a');
  list.delete(a);
  list.add(a);
  assert.equal(textOf(list), 'bca');
});

test('who is in no list cannot leave', () => {
  const { list } = listOf('ab');
  assert.throws(() => list.delete(new Named('c')), /of this list/);
});
