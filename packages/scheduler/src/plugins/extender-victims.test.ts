import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demandOf } from '../plan/demand.ts';
import type { VictimsLeft } from '../plan/extender.ts';
import { makePod } from '../testing/objects.ts';
import { acceptVictims } from './extender-victims.ts';

const there = new Map([
  ['a', ['low', 'lower', 'equal'].map((name, i) => demandOf(makePod(name, { priority: [5, 1, 10][i] ?? 0 })))],
  ['b', [demandOf(makePod('other'))]],
]);
const left = (node: string, ...names: readonly string[]): [string, VictimsLeft] => [
  node,
  { uids: names.map((name) => `pod-${name}`), budgetViolations: 0 },
];

const ROWS: readonly {
  name: string;
  left: readonly [string, VictimsLeft][];
  ignorable?: boolean;
  victims?: { readonly [node: string]: readonly string[] };
  refused?: RegExp;
}[] = [
  { name: 'no candidate stays', left: [], victims: {} },
  { name: 'some stay', left: [left('a', 'low')], victims: { a: ['low'] } },
  { name: 'the most important comes first', left: [left('a', 'lower', 'low')], victims: { a: ['low', 'lower'] } },
  { name: 'one that is named twice goes once', left: [left('a', 'low', 'low')], victims: { a: ['low'] } },
  { name: 'a node that is no candidate', left: [left('z', 'low')], refused: /claims a candidate "z" which is none$/ },
  { name: 'a node named as an object has it', left: [left('__proto__', 'low')], refused: /"__proto__" which is none$/ },
  { name: 'nobody', left: [left('a')], refused: /expected at least one victim pod on node "a"$/ },
  {
    name: 'nobody, but it may be ignored',
    left: [left('a'), left('b', 'other')],
    ignorable: true,
    victims: { b: ['other'] },
  },
  {
    name: 'a pod of another node',
    left: [left('a', 'other')],
    refused: /claims to preempt pod \(UID: "pod-other"\) on node "a", but the pod is not found on that node$/,
  },
  { name: 'a pod as important', left: [left('a', 'equal')], refused: /is as important as the one that needs room$/ },
  { name: 'a uid without an end', left: [left('a', 'x'.repeat(2 ** 20))], refused: /UID: "pod-x{252}"/ },
];

for (const row of ROWS) {
  test(`victims of an extender: ${row.name}`, () => {
    const extender = { name: 'http://e', ignorable: row.ignorable === true };
    const question = { demand: demandOf(makePod('p', { priority: 10 })), extender, there, nowMs: 0 };
    if (row.refused !== undefined) {
      assert.throws(() => acceptVictims(question, new Map(row.left)), row.refused);
      return;
    }
    const accepted = acceptVictims(question, new Map(row.left));
    const names = accepted.map((c) => [c.node, c.victims.map((v) => v.pod.metadata.name)]);
    assert.deepEqual(Object.fromEntries(names), row.victims);
  });
}
