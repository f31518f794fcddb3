import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '@binnacle/base/testing';
import type { PodSummary } from '../cluster/pod-summary.ts';
import type { ApiObject } from '../live/rows.ts';
import { graphOf, reachOf } from './graph.ts';
import type { GraphInput } from './graph.ts';

const object = (kind: string, name: string, part: object = {}, namespace = 'n'): ApiObject => ({
  ...{ apiVersion: 'v1', kind, metadata: { name, namespace, resourceVersion: '1' } },
  ...part,
});
const pod = (name: string, node: string, labels: { readonly [key: string]: string } = {}): PodSummary => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'n', resourceVersion: '1', labels } },
  ...{ phase: 'Running', isReady: true, node, requests: { milliCpu: 0, memoryBytes: 0 } },
});
const slice = (name: string, service: string, pods: readonly string[]): ApiObject => ({
  ...{ apiVersion: 'v1', kind: 'EndpointSlice' },
  metadata: { name, namespace: 'n', resourceVersion: '1', labels: { 'kubernetes.io/service-name': service } },
  endpoints: pods.map((target) => ({ targetRef: { kind: 'Pod', name: target }, conditions: { ready: true } })),
});
const NODE = { metadata: { name: 'a', resourceVersion: '1' }, apiVersion: 'v1', kind: 'Node' };

const INPUT: GraphInput = {
  services: [object('Service', 'web'), object('Service', 'db')],
  slices: [slice('db-1', 'db', ['d']), slice('web-1', 'web', ['w1', 'w2', 'gone'])],
  pods: [pod('alone', 'a'), pod('d', 'a', { app: 'db' }), pod('w1', 'a'), pod('w2', '')],
  nodes: [NODE, { ...NODE, metadata: { name: 'unused', resourceVersion: '1' } }],
  policies: [
    object('NetworkPolicy', 'p', { spec: { podSelector: { matchLabels: { app: 'db' } }, policyTypes: ['Ingress'] } }),
    object('NetworkPolicy', 'odd', { spec: { podSelector: { matchExpressions: [{ key: 'a', operator: 'Odd' }] } } }),
    object('NetworkPolicy', 'other', { spec: {} }, 'elsewhere'),
  ],
};

const NOTHING_LEFT = { services: 0, networkpolicies: 0, endpointslices: 0, pods: 0, nodes: 0, lines: 0 };
const numbered = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));

test('who leads to whom', () => {
  const { edges, spots } = graphOf(INPUT);
  deepEqual(
    edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`),
    [
      'services/n/db serves endpointslices/n/db-1',
      'endpointslices/n/db-1 serves pods/n/d',
      'services/n/web serves endpointslices/n/web-1',
      'endpointslices/n/web-1 serves pods/n/w1',
      'endpointslices/n/web-1 serves pods/n/w2',
      'networkpolicies/n/p guards pods/n/d',
      'pods/n/d runs nodes//a',
      'pods/n/w1 runs nodes//a',
      'pods/n/alone runs nodes//a',
    ],
  );
  deepEqual(
    spots.filter(({ column }) => column !== 'entry').map(({ name, note }) => `${name} ${note}`),
    ['web-1 3 / 3', 'db-1 1 / 1', 'w1 Running', 'w2 Running', 'd Running', 'alone Running', 'a NotReady'],
  );
});

test('all that one thing has to do with', () => {
  const { edges } = graphOf(INPUT);
  deepEqual([...reachOf(edges, 'pods/n/w1')].toSorted(), [
    'endpointslices/n/web-1',
    'nodes//a',
    'pods/n/w1',
    'services/n/web',
  ]);
  deepEqual([...reachOf([{ from: 'a', to: 'a', kind: 'runs' }], 'a')], ['a']);
});

test('of many pods those that are served are shown, and how many are not', () => {
  const pods = Array.from({ length: 10_000 }, (_, at) => pod(`x${at}`, 'a'));
  const input = { ...INPUT, pods: [...pods, ...INPUT.pods] };
  const ms = cpuMs(() => graphOf(input));
  ok(ms < 2000, `${ms} ms`);
  const { spots, left } = graphOf(input);
  deepEqual(left, { ...NOTHING_LEFT, pods: 9854 });
  ok(spots.some(({ name }) => name === 'w2'));
});

test('of very many of everything a bounded part is drawn, those that belong together, and what is left out is said', () => {
  const names = numbered(1000, (at) => `pod-${at}`);
  const input: GraphInput = {
    services: numbered(1000, (at) => object('Service', `s${at}`)),
    // The slices of Services that are drawn come last.
    slices: numbered(1000, (at) => slice(`s${999 - at}-x`, `s${999 - at}`, names)),
    pods: numbered(10_000, (at) => pod(`pod-${at}`, `node-${at}`)),
    nodes: numbered(10_000, (at) => ({ ...NODE, metadata: { name: `node-${at}`, resourceVersion: '1' } })),
    policies: numbered(1000, (at) => object('NetworkPolicy', `p${at}`, { spec: { podSelector: {} } })),
  };
  const { spots, edges, left } = graphOf(input);
  ok(spots.length <= 700 && edges.length <= 2000, `${spots.length} boxes, ${edges.length} lines`);
  deepEqual(
    { ...left, lines: left.lines > 0 },
    {
      ...NOTHING_LEFT,
      ...{ services: 850, networkpolicies: 900, endpointslices: 850, pods: 9850, lines: true },
    },
  );
  const ids = new Set(spots.map(({ id }) => id));
  equal(ids.has('endpointslices/n/s0-x'), true, 'the slice of a Service that is drawn');
  ok(edges.every(({ from, to }) => ids.has(from) && ids.has(to)));
});

test('a pod that a slice names twice is led to once', () => {
  const { edges } = graphOf({ ...INPUT, slices: [slice('web-1', 'web', ['w1', 'w1'])] });
  equal(edges.filter(({ to }) => to === 'pods/n/w1').length, 1);
});

test('endpoints that are no pods, not ready, or of nobody lead nowhere, and are counted', () => {
  const endpoints = [
    { targetRef: { kind: 'Pod', name: 'w1' }, conditions: { ready: false } },
    { targetRef: { kind: 'Node', name: 'a' } },
    { conditions: { ready: null as never } },
  ];
  const odd: ApiObject = { ...slice('web-1', 'web', []), ...{ endpoints } };
  const { edges, spots } = graphOf({
    ...INPUT,
    slices: [odd, { ...slice('lost', 'web', []), ...{ endpoints: null } }],
  });
  deepEqual(
    spots.filter(({ column }) => column === 'slices').map(({ name, note, isWell }) => [name, note, isWell]),
    [
      ['web-1', '2 / 3', true],
      ['lost', '0 / 0', false],
    ],
  );
  deepEqual(
    edges.filter(({ from }) => from.startsWith('endpointslices/')).map(({ to }) => to),
    ['pods/n/w1'],
  );
});

test('a slice of no Service, or of one that is not there, stands alone; so do namesakes elsewhere', () => {
  const { metadata, ...rest } = slice('alone', 'x', ['w1']);
  const elsewhere = { ...rest, metadata: { ...metadata, name: 'far', namespace: 'm' } };
  const unlabelled = { ...rest, metadata: { ...metadata, name: 'bare', labels: {} } };
  const { edges } = graphOf({ ...INPUT, slices: [slice('gone', 'gone', ['w1']), elsewhere, unlabelled] });
  deepEqual(
    edges.filter(({ kind }) => kind === 'serves').map(({ from, to }) => `${from} ${to}`),
    ['endpointslices/n/gone pods/n/w1', 'endpointslices/n/bare pods/n/w1'],
  );
});

const GUARDED: readonly (readonly [selector: unknown, pods: string])[] = [
  [{}, 'alone d w1 w2'],
  [null, 'alone d w1 w2'],
  [{ matchLabels: { app: 'db' } }, 'd'],
  [{ matchExpressions: [{ key: 'app', operator: 'Exists' }] }, 'd'],
  [{ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['db'] }] }, 'alone w1 w2'],
  [{ matchLabels: { app: 'db' }, matchExpressions: [{ key: 'x', operator: 'Exists' }] }, ''],
];
for (const [podSelector, pods] of GUARDED) {
  test(`a policy of ${JSON.stringify(podSelector)} guards ${pods || 'nobody'}`, () => {
    const { edges } = graphOf({ ...INPUT, policies: [object('NetworkPolicy', 'p', { spec: { podSelector } })] });
    const guarded = edges.filter(({ kind }) => kind === 'guards').map(({ to }) => to.slice('pods/n/'.length));
    equal(guarded.toSorted().join(' '), pods);
  });
}

test('a pod on a node that the viewer may not see runs nowhere', () => {
  const { edges, spots } = graphOf({ ...INPUT, nodes: [] });
  equal(edges.filter(({ kind }) => kind === 'runs').length, 0);
  equal(
    spots.some(({ column }) => column === 'nodes'),
    false,
  );
});
