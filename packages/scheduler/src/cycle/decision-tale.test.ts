import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detailOf } from '@binnacle/base';
import type { Hop, Trace } from '@binnacle/base';
import type { PodDemand } from '../plan/demand.ts';
import type { Explanation } from '../plan/explanation.ts';
import { PreemptionTale } from '../plan/preemption-tale.ts';
import { DecisionTale } from './decision-tale.ts';

const DEMAND = {
  key: 'a/p',
  uid: 'u1',
  pod: { metadata: { namespace: 'a', name: 'p', uid: 'u1', resourceVersion: '7' }, spec: { containers: [] } },
} as unknown as PodDemand;

function scene(explanation: Explanation | undefined) {
  const hops: Hop[] = [];
  let now = 1000.5;
  const trace: Trace = { on: true, now: () => (now += 0.5), record: (hop) => void hops.push(hop) };
  const tale = new DecisionTale(trace, { explain: () => explanation });
  tale.begin(DEMAND, 12);
  tale.end(DEMAND, 'bound to n1');
  const [hop] = hops;
  assert.ok(hop !== undefined);
  return hop;
}

const names = Array.from({ length: 150 }, (_, at) => `n${at}`);
const WHY: Explanation = {
  pod: 'a/p',
  uid: 'u1',
  at: 1001,
  node: 'n1',
  isComplete: true,
  refused: [{ plugin: 'NodeName', reasons: ['no'], nodes: 150, names }],
  scored: names.map((node) => ({ node, total: 1, by: {} })),
};

test('a decision is told with the name that its binding gives as its cause, and why when somebody asks', () => {
  const hop = scene(WHY);
  assert.deepEqual(
    [hop.id, hop.name, hop.revision, hop.durationMs, hop.waitedMs],
    ['default-scheduler/a/p@7', 'schedule a/p: bound to n1', '7', 0.5, 12],
  );
  const detail = detailOf(hop) as { node: string; refused: { nodes: number; names: string[] }[]; scored: object[] };
  assert.deepEqual(
    [detail.node, detail.refused[0]?.nodes, detail.refused[0]?.names.length, detail.scored.length],
    ['n1', 150, 100, 100],
  );
});

test('what preemption looked at is told as it is when somebody asks', () => {
  const preemption = new PreemptionTale({ atMs: 1001, obstacle: 'never' }).told(() => false);
  assert.equal(detailOf(scene({ ...WHY, preemption }))?.['preemption'], preemption);
  assert.equal('preemption' in (detailOf(scene(WHY)) ?? {}), false);
});

test('the explanation of another decision about the same pod is none of this one', () => {
  assert.equal(detailOf(scene({ ...WHY, at: 5000 })), undefined);
  assert.equal(detailOf(scene({ ...WHY, at: 10 })), undefined);
  assert.equal(detailOf(scene(undefined)), undefined);
});

test('nothing is kept of a decision that nobody heard of, as the trace was switched off meanwhile', () => {
  const hops: Hop[] = [];
  let on = true;
  const trace: Trace = {
    get on() {
      return on;
    },
    now: () => 1000,
    record: (hop) => void hops.push(hop),
  };
  const tale = new DecisionTale(trace, { explain: () => undefined });
  tale.begin(DEMAND, 12);
  on = false;
  tale.end(DEMAND, 'bound to n1');
  on = true;
  tale.end(DEMAND, 'bound to n2');
  assert.deepEqual(
    hops.map((hop) => [hop.name, hop.waitedMs]),
    [['schedule a/p: bound to n2', undefined]],
  );
});
