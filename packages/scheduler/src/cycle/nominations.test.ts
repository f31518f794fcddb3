import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterState } from '../plan/cluster-state.ts';
import { demandOf } from '../plan/demand.ts';
import type { PodDemand } from '../plan/demand.ts';
import type { PreemptionEvent } from '../plan/preemption-tale.ts';
import { makePod } from '../testing/objects.ts';
import { Nominations } from './nominations.ts';

const LOW = demandOf(makePod('low', { priority: 1 }));
const HIGH = demandOf(makePod('high', { priority: 2 }));

const ROWS: readonly (readonly [
  name: string,
  act: (nominations: Nominations) => unknown,
  told: readonly PreemptionEvent[],
  node: string | undefined,
])[] = [
  ['found again', (n) => n.found(LOW, 'a'), [], 'a'],
  ['nothing said', (n) => n.found(LOW, undefined), [], 'a'],
  ['no room any more', (n) => n.found(LOW, ''), [{ what: 'nowhere' }], undefined],
  ['as it was decided here', (n) => n.seen(LOW, 'a'), [], 'a'],
  ['taken out of the status', (n) => n.seen(LOW, ''), [{ what: 'cleared', node: '' }], undefined],
  ['another node in the status', (n) => n.seen(LOW, 'b'), [{ what: 'cleared', node: 'b' }], 'b'],
  [
    'a more important pod comes',
    (n) => n.withdraw('a', HIGH),
    [{ what: 'withdrawn', pod: { namespace: 'default', name: 'high' } }],
    undefined,
  ],
  ['to another node', (n) => n.withdraw('b', HIGH), [], 'a'],
  ['one as important', (n) => n.withdraw('a', LOW), [], 'a'],
];
for (const [name, act, told, node] of ROWS)
  test(`a pod waits for room: ${name}`, () => {
    const state = new ClusterState();
    const notes: PreemptionEvent[] = [];
    const withdrawn: PodDemand[] = [];
    const nominations = new Nominations({
      state,
      note: (demand, event) => demand === LOW && notes.push(event),
      withdrawn: (demand) => void withdrawn.push(demand),
    });
    nominations.found(LOW, 'a');
    assert.deepEqual(notes, []);
    act(nominations);
    assert.deepEqual([notes, state.nominationOf(LOW.uid)], [told, node]);
    assert.deepEqual(withdrawn, told[0]?.what === 'withdrawn' ? [LOW] : []);
    nominations.seen(LOW, '');
    assert.equal(notes.length, node === undefined ? told.length : told.length + 1, 'what is gone does not end again');
  });
