import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError, status } from '@binnacle/machinery';
import type { PodExplanation } from '@binnacle/trace';
import { earlierNote, explanationText, whyUnknown } from './explain.ts';

const EXPLANATION: PodExplanation = {
  apiVersion: 'trace.binnacle.dev/v1',
  kind: 'Explanation',
  metadata: { name: 'p', namespace: 'a', creationTimestamp: '' },
  ...{ scheduler: 'default-scheduler', hop: '1', atMs: 1, durationMs: 0.25, node: 'n1', isComplete: true },
  refused: [{ plugin: 'NodeName', reasons: ["didn't match"], nodes: 2, names: ['n2', 'n3\u001b[2J'] }],
  scored: [{ node: 'n1', total: 142, by: { Fit: 92.004, Balanced: 50 } }],
};

test('an explanation says where, who fell and why, and all points', () => {
  assert.equal(
    explanationText(EXPLANATION),
    `a/p: on n1 (default-scheduler, 0.25 ms)
NodeName refused 2 nodes (didn't match): n2, n3\ufffd[2J

NODE   FIT   BALANCED   TOTAL
n1     92    50         142
`,
  );
});

test('names of nodes and plugins steer no terminal', () => {
  const scored = [{ node: 'n\u001b]0;x\u0007', total: 1, by: { 'F\u009b2J': 1 } }];
  assert.doesNotMatch(explanationText({ ...EXPLANATION, scored }), /[^\n\P{Cc}]/u);
});

test('what a plugin is called is nothing that every object has', () => {
  const by = JSON.parse('{"__proto__":7,"constructor":8}') as PodExplanation['scored'][number]['by'];
  const scored = [
    { node: 'n1', total: 15, by },
    { node: 'n2', total: 1, by: { Fit: 1 } },
  ];
  assert.match(explanationText({ ...EXPLANATION, scored }), /\nn2 +0 +0 +1 +1\n$/);
});

test('a pod that is nowhere, and what is not known of each node', () => {
  const { node: _node, ...nowhere } = EXPLANATION;
  const text = explanationText({ ...nowhere, message: '0/2 nodes are available', scored: [], isComplete: false });
  assert.match(text, /not scheduled: 0\/2 nodes are available/);
  assert.match(text, /forgotten, or not for your eyes/);
});

test('what preemption looked at stands behind the filters', () => {
  const { node: _node, ...nowhere } = EXPLANATION;
  const preemption = {
    ...{ atMs: 1, tried: 0, untried: 0, candidates: 0, victimsLeft: 0, obstacle: 'never\u001b[2J' },
    ...{ unsuitable: [], listed: [], extenders: [], choice: [], steps: [] },
  };
  const text = explanationText({ ...nowhere, message: 'no', scored: [], preemption });
  assert.match(text, /\nNodeName refused .*\npreemption: never\ufffd\[2J\n/);
});

test('who has no decision is told apart from who has no trace', () => {
  const unknown = status.notFound({ group: 'trace.binnacle.dev', resource: 'explanations' }, 'p');
  assert.match(whyUnknown(unknown, 'a/p'), /^no decision about pod a\/p/);
  // As a kube-apiserver answers at a path that it does not serve.
  const { status: said } = unknown;
  for (const details of [undefined, {}]) {
    assert.match(whyUnknown(new StatusError({ ...said, details } as typeof said), 'a/p'), /none of Binnacle/);
  }
});

for (const [name, podUid, now, note] of [
  ['the pod that is there', 'u1', '{"metadata":{"uid":"u1"}}', /^$/],
  ['an earlier one of its name', 'u1', '{"metadata":{"uid":"u2"}}', /^of an earlier pod/],
  ['one that is gone, or not for the viewer', 'u1', undefined, /^$/],
  ['one of which nobody said which', undefined, '{"metadata":{"uid":"u2"}}', /^$/],
] as const)
  test(`a decision about ${name}`, () => {
    const told = { ...EXPLANATION, ...(podUid === undefined ? {} : { podUid }) };
    assert.match(earlierNote(told, now), note);
  });
