/** Pods that name thousands of topology keys: it costs what nodes have of them, and nobody else anything. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodAffinityTerm } from '@binnacle/api/core/v1';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';

const KEYS = 5000;
const labelSelector = { matchLabels: { app: 'db' } };
const terms = (more: readonly PodAffinityTerm[] = []): PodAffinityTerm[] => [
  ...Array.from({ length: KEYS }, (_, at) => ({ topologyKey: `example.com/k${at}`, labelSelector })),
  ...more,
];
const ZONE = { topologyKey: 'zone', labelSelector };
const db = { labels: { app: 'db' } };

/** Three nodes of two zones, and how many columns were asked for since. */
function scene(): { readonly scene: Scene; readonly columns: () => number } {
  const made = new Scene().nodes(
    ...['one', 'one', 'two'].map((zone, at) => makeNode(`n${at}`, { labels: { zone, constructor: 'x' } })),
  );
  const { nodes } = made.state;
  const asked = new Set<string>();
  const topology = nodes.topology.bind(nodes);
  nodes.topology = (key) => {
    asked.add(key);
    return topology(key);
  };
  return { scene: made, columns: () => asked.size };
}

test('what placed pods refuse and wish by keys that no node has takes no column of those that come', () => {
  const { scene: made, columns } = scene();
  const preferred = terms().map((podAffinityTerm) => ({ weight: 1, podAffinityTerm }));
  made.placed(
    makePod('picky', {
      affinity: {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms([ZONE]) },
        podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred },
      },
    }),
    'n0',
  );
  assert.equal(made.decide(makePod('new', db)).node, 'n2', 'the other zone');
  assert.ok(columns() < 20, String(columns()));
  // A key that a node gets counts from then on.
  made.nodes(makeNode('n2', { labels: { zone: 'two', 'example.com/k7': 'x' } }));
  assert.equal(made.decide(makePod('new', db)).node, 'n2');
  made.nodes(makeNode('n0', { labels: { zone: 'one', 'example.com/k7': 'x' } }));
  assert.equal(made.decide(makePod('new', db)).node, undefined, 'it is where the one who refuses is');
  assert.ok(columns() < 20, String(columns()));
});

test('a pod that names thousands itself: far from by those that are there, near to by none that is not', () => {
  const { scene: made, columns } = scene();
  made.placed(makePod('there', db), 'n0');
  const far = (required: readonly PodAffinityTerm[]) => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
  });
  assert.equal(made.decide(makePod('far', far(terms([ZONE])))).node, 'n2');
  assert.notEqual(made.decide(makePod('anywhere', far(terms()))).node, undefined);
  const near = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [ZONE, ...terms()] } };
  assert.match(made.decide(makePod('near', { affinity: near })).message ?? '', /3 node\(s\) didn't match pod affinity/);
  assert.ok(columns() < 20, String(columns()));
});

test('keys named like what every object has are keys', () => {
  const { scene: made } = scene();
  made.placed(makePod('there', db), 'n0');
  const far = (topologyKey: string) => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector }] } },
  });
  assert.equal(made.decide(makePod('far', far('constructor'))).node, undefined);
  for (const key of ['__proto__', 'toString', 'hasOwnProperty'])
    assert.notEqual(made.decide(makePod('far', far(key))).node, undefined, key);
});

test('however many constraints, the node affinity of a pod is held against each node once', () => {
  const zones = Array.from({ length: 50 }, (_, at) => `zone-${at}`);
  let reads = 0;
  const labels = Object.fromEntries(zones.map((zone) => [zone, 'one']));
  const counted = Object.defineProperty({ ...labels }, 'disk', { get: () => (reads++, 'ssd'), enumerable: true });
  const made = new Scene().nodes(makeNode('n', { labels: counted as typeof labels }));
  const pod = makePod('spread', {
    ...db,
    nodeSelector: { disk: 'ssd' },
    topologySpreadConstraints: zones.map((topologyKey) => ({
      ...{ topologyKey, maxSkew: 1, labelSelector },
      whenUnsatisfiable: 'DoNotSchedule' as const,
    })),
  });
  reads = 0;
  assert.equal(made.decide(pod).node, 'n');
  assert.ok(reads <= 3, String(reads));
});
