import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HopKind } from '@binnacle/base';
import { laneOfHop } from './arrows.ts';
import type { Arrow } from './arrows.ts';
import type { TraceHop } from './hop.ts';
import { StepFinder, stepsOf } from './steps.ts';
import { terminalLine } from './terminal.ts';

function hop(name: string, type: HopKind, more: Partial<TraceHop> = {}): TraceHop {
  return {
    ...{ apiVersion: 'trace.binnacle.dev/v1', kind: 'Hop', type, component: 'c', title: '', atMs: 0, durationMs: 0 },
    metadata: { name, resourceVersion: name, creationTimestamp: '' },
    cause: { type: 'client' },
    ...more,
  } as TraceHop;
}

const POD = { group: '', resource: 'pods', namespace: 'n', name: 'p' };
const RC = { group: '', resource: 'replicationcontrollers', namespace: 'n', name: 'r' };
const CREATE = { detail: { verb: 'create' } };
const MANAGER = 'system:kube-controller-manager';
const make = (name: string, user: string, object: object = POD): TraceHop =>
  hop(name, 'request', { user, object, title: 'POST /x', ...CREATE } as Partial<TraceHop>);
const commit = (name: string, of: string): TraceHop => hop(name, 'commit', { cause: { type: 'hop', hop: of } });
const show = (name: string, user: string, object: object = POD): TraceHop =>
  hop(name, 'delivery', { user, object } as Partial<TraceHop>);
const bind = (name: string): TraceHop =>
  hop(name, 'request', { user: 'system:kube-scheduler', title: 'POST /api/v1/namespaces/n/pods/p/binding', ...CREATE });
const start = (name: string, more: Partial<TraceHop> = {}): TraceHop =>
  hop(name, 'runtime', { title: 'start container c', ...more });
const tell = (name: string): TraceHop =>
  hop(name, 'request', { user: 'system:node:n1', title: 'PATCH /api/v1/namespaces/n/pods/p/status' });

describe('the steps of the story of a pod', () => {
  const end = [bind('7'), commit('8', '7'), show('9', 'system:node:n1'), start('10'), tell('11')];
  const whole = [
    make('1', 'alice', RC),
    commit('2', '1'),
    show('3', MANAGER, RC),
    make('4', 'system:serviceaccount:kube-system:replication-controller'),
    commit('5', '4'),
    show('6', 'system:kube-scheduler'),
    ...end,
  ];
  const told = (hops: readonly TraceHop[]): string =>
    [...stepsOf(hops)].map(([name, step]) => `${name}=${step}`).join(' ');

  test('all eleven', () => assert.equal(told(whole), '1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8 9=9 10=10 11=11'));
  test('a pod without a controller has no third to fifth', () => {
    assert.equal(
      told([make('a', 'alice'), commit('b', 'a'), show('s', 'system:kube-scheduler'), ...end]),
      'a=1 b=2 s=6 7=7 8=8 9=9 10=10 11=11',
    );
  });
  test('who applies asks as who creates', () => {
    const patch = { ...make('1', 'alice', RC), title: 'PATCH /x', detail: { verb: 'patch' } };
    const made = { ...commit('2', '1'), detail: { operation: 'create' } };
    assert.equal(told([patch, made, ...whole.slice(2)]), '1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8 9=9 10=10 11=11');
    assert.equal(told([patch, commit('2', '1'), ...end]), '7=7 8=8 9=9 10=10 11=11', 'a change of what was there');
  });
  test('who scales asks for the pods that come of it', () => {
    const scale = { ...make('1', 'alice', RC), title: 'PATCH /x/scale', detail: { verb: 'patch' } };
    assert.equal(told([scale, ...whole.slice(1)]), '1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8 9=9 10=10 11=11');
  });
  test('nothing has none', () => assert.equal(told([]), ''));
  test('what failed is no step', () => {
    const failed = { ...make('x', 'alice', RC), error: 'no' };
    assert.equal(told([failed, make('1', 'alice', RC), commit('2', '1'), start('s', { error: 'no' })]), '1=1 2=2');
  });
  test('a commit of another request is no step', () =>
    assert.equal(told([make('1', 'alice', RC), commit('2', 'other')]), '1=1'));
  test('what came before its step is none', () =>
    assert.equal(told([commit('2', '1'), make('1', 'alice', RC)]), '1=1'));
  test('a binding is not the making of a pod', () => {
    for (const path of ['pods/p/binding', 'bindings', 'bindings?fieldManager=kubectl-create']) {
      const title = `POST /api/v1/namespaces/n/${path}`;
      assert.equal(told([{ ...bind('b'), user: 'alice', title }]), 'b=7', path);
    }
  });
  test('what a kubelet says with a query is said all the same', () => {
    const last = tell('b');
    assert.equal(told([{ ...last, title: `${last.title}?fieldManager=kubelet` }]), 'b=11');
  });
});

test('in a story that goes on each step is one hop too, whatever comes again', () => {
  const finder = new StepFinder();
  const hops = [
    make('a', 'alice'),
    commit('b', 'a'),
    show('s', 'system:kube-scheduler'),
    bind('7'),
    show('again', 'system:kube-scheduler'),
    commit('8', '7'),
    show('9', 'system:node:n1'),
    start('10'),
    show('again', 'system:node:n1'),
    tell('11'),
    tell('again'),
  ];
  assert.deepEqual(
    hops.map((one) => finder.stepOf(one)),
    [1, 2, 6, 7, undefined, 8, 9, 10, undefined, 11, undefined],
  );
});

describe('the lane of who acts', () => {
  const rows: readonly (readonly [type: HopKind, more: Partial<TraceHop>, lane: string])[] = [
    ['request', { user: 'alice', component: 'kubelet n1' }, 'client'],
    ['request', { user: 'system:node:n1' }, 'kubelet'],
    ['watch', { user: 'system:kube-scheduler' }, 'scheduler'],
    ['delivery', { user: MANAGER }, 'controllers'],
    ['delivery', { component: 'kubelet n1' }, 'client'],
    ['runtime', { user: 'alice', component: 'kubelet n1' }, 'runtime'],
    ['commit', {}, 'store'],
    ['event', { component: 'kubelet n1' }, 'kubelet'],
    ['event', { component: 'system:node:n1' }, 'kubelet'],
    ['event', { component: 'constructor' }, 'client'],
  ];
  for (const [type, more, lane] of rows) {
    test(`${type} of ${JSON.stringify(more)}`, () => assert.equal(laneOfHop(hop('x', type, more)), lane));
  }
});

describe('one line of the picture', () => {
  const arrow = (more: Partial<Arrow>): Arrow =>
    ({
      from: 'client',
      to: 'store',
      label: 'l',
      afterMs: 1,
      durationMs: 0,
      failed: false,
      lines: [],
      hop: hop('x', 'request'),
      ...more,
    }) as Arrow;
  const lanes = ['client', 'store'] as const;
  const rows: readonly (readonly [name: string, more: Partial<Arrow>, line: string])[] = [
    ['to the right', {}, `     +1.0 ms        ├───────────▶      l`],
    ['to the left', { from: 'store', to: 'client' }, `     +1.0 ms        ◀───────────┤      l`],
    ['a note', { to: 'client' }, `     +1.0 ms        ●           │      l`],
    ['a step', { step: 11 }, `⑪    +1.0 ms        ├───────────▶      l`],
    ['before the story', { afterMs: -1 }, `      before        ├───────────▶      l`],
    ['later', { afterMs: 10_000 }, `     +10.0 s        ├───────────▶      l`],
    ['what took time', { durationMs: 0.05 }, `     +1.0 ms        ├───────────▶      l (0.1 ms)`],
    ['what took none worth telling', { durationMs: 0.049 }, `     +1.0 ms        ├───────────▶      l`],
    ['what took long', { durationMs: 12.3 }, `     +1.0 ms        ├───────────▶      l (12 ms)`],
  ];
  for (const [name, more, line] of rows) test(name, () => assert.equal(terminalLine(arrow(more), lanes), line));

  test('a long label is cut', () => {
    assert.ok(terminalLine(arrow({ label: 'x'.repeat(161) }), lanes).endsWith(` ${'x'.repeat(159)}…`));
    assert.ok(terminalLine(arrow({ label: 'x'.repeat(160) }), lanes).endsWith(` ${'x'.repeat(160)}`));
  });
});
