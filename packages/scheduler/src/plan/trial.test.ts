import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { runPreFilters } from '../cycle/pre-filter.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';
import { demandOf } from './demand.ts';
import { fitsNow, leftRoom } from './trial.ts';

const ZONE = 'kubernetes.io/hostname';
const term = (app: string) => ({ topologyKey: ZONE, labelSelector: { matchLabels: { app } } });
const pod = (name: string, cpu: string, priority: number, more: Parameters<typeof makePod>[1] = {}): Pod =>
  makePod(name, { cpu, priority, ...more });
const beside = (app: string): Parameters<typeof makePod>[1] => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] } },
});
const apartFrom = (app: string): Parameters<typeof makePod>[1] => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term(app)] } },
});

interface Row {
  readonly name: string;
  readonly asks: Pod;
  readonly placed?: readonly Pod[];
  /** Pods that wait for room on the node. */
  readonly waiting?: readonly Pod[];
  readonly fits: boolean;
}

// One node of two CPUs.
const ROWS: readonly Row[] = [
  { name: 'an empty node', asks: pod('p', '2', 0), fits: true },
  { name: 'no room', asks: pod('p', '2', 0), placed: [pod('x', '1', 0)], fits: false },
  { name: 'room for who waits and for it', asks: pod('p', '1', 0), waiting: [pod('w', '1', 0)], fits: true },
  { name: 'one as important waits for the room', asks: pod('p', '2', 5), waiting: [pod('w', '1', 5)], fits: false },
  { name: 'one that is more important waits', asks: pod('p', '2', 5), waiting: [pod('w', '1', 6)], fits: false },
  { name: 'one that is less important waits', asks: pod('p', '2', 5), waiting: [pod('w', '1', 4)], fits: true },
  { name: 'it waits itself', asks: pod('p', '2', 5), waiting: [pod('p', '2', 5)], fits: true },
  {
    name: 'who waits must not be leant on',
    asks: pod('p', '1', 0, beside('db')),
    waiting: [pod('w', '1', 0, { labels: { app: 'db' } })],
    fits: false,
  },
  {
    name: 'who is there may be',
    asks: pod('p', '1', 0, beside('db')),
    placed: [pod('x', '1', 0, { labels: { app: 'db' } })],
    fits: true,
  },
  {
    name: 'who waits is kept apart from',
    asks: pod('p', '1', 0, apartFrom('db')),
    waiting: [pod('w', '1', 0, { labels: { app: 'db' } })],
    fits: false,
  },
];
for (const { name, asks, placed = [], waiting = [], fits } of ROWS)
  test(`a pod fits now: ${name}`, () => {
    const scene = new Scene().nodes(makeNode('n', { cpu: '2' }));
    for (const one of placed) scene.placed(one, 'n');
    for (const one of waiting) scene.state.nominate(demandOf(one), 'n');
    const demand = demandOf(asks);
    const input = { plugins: scene.plugins, demand, state: scene.state };
    const narrowed = runPreFilters({ plugins: scene.plugins, demand, snapshot: scene.state });
    assert.ok(!(narrowed instanceof Promise), 'no default plugin has to wait here');
    const slot = scene.state.nodes.slotOf('n') ?? -1;
    const before = scene.state.podsOn(slot).length;
    assert.equal(fitsNow(input, slot) === undefined, fits);
    assert.equal(scene.state.podsOn(slot).length, before, 'a trial leaves nothing behind');
  });

const SHORT = { plugin: 'NodeResourcesFit', reasons: ['Insufficient cpu'], unresolvable: false };
for (const [name, waiting, wanted] of [
  ['nobody waits', [], {}],
  ['they leave enough', [pod('w', '1', 5)], {}],
  ['they leave too little', [pod('w', '2', 5)], { refusal: SHORT }],
  ['they are less important', [pod('w', '2', 4)], {}],
  ['what they are apart from is not known from the node alone', [pod('w', '1', 5, apartFrom('x'))], { isUnsure: true }],
] as const)
  test(`what is left of a node by those who wait: ${name}`, () => {
    const scene = new Scene().nodes(makeNode('n', { cpu: '2' }));
    for (const one of waiting) scene.state.nominate(demandOf(one), 'n');
    const input = { plugins: scene.plugins, demand: demandOf(pod('p', '1', 5)), state: scene.state };
    const { version } = scene.state.nodes;
    const hasRoom = (slot: number) => (scene.state.nodes.requested[0]![slot]! > 1000 ? SHORT : undefined);
    assert.deepEqual(leftRoom(input, scene.state.nodes.slotOf('n') ?? -1, [hasRoom]), wanted);
    assert.equal(scene.state.nodes.version, version, 'a trial leaves nothing behind');
  });
