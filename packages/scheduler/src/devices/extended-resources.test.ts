/** Extended resources as claims, and who gets which of their devices. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isClaimForResources, podOfResources } from '@binnacle/api';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { Container, Pod } from '@binnacle/api/core/v1';
import type { DeviceClass } from '@binnacle/api/resource/v1';
import { makeClaim } from '../testing/devices.ts';
import { makePod } from '../testing/objects.ts';
import { wishFor } from './extended-resources.ts';

const SEEDS = Number(process.env['SCHEDULER_SEEDS'] ?? 300);
const GPU = 'example.com/gpu';

const classOf = (name: string): DeviceClass => ({
  metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {},
});

interface Toy {
  readonly gpus?: number;
  readonly more?: { readonly [resource: string]: string };
  /** An init container; `stays`: a sidecar. */
  readonly kind?: 'passes' | 'stays';
}

function podOf(...containers: readonly Toy[]): Pod {
  const made = containers.map(({ gpus, more = {}, kind }, i): Container => {
    const requests = { ...(gpus === undefined ? {} : { [GPU]: String(gpus) }), ...more };
    const base = { name: `c${i}`, image: 'i', resources: { requests } };
    return kind === 'stays' ? { ...base, restartPolicy: 'Always' } : base;
  });
  const isFirst = (_: unknown, i: number): boolean => containers[i]?.kind !== undefined;
  const [initContainers, rest] = [made.filter(isFirst), made.filter((_, i) => !isFirst(_, i))];
  return makePod('p', { initContainers, containers: rest });
}

/** Requests as `name=count`, uses as `container request`. */
function asked(pod: Pod, resources: readonly string[] = [GPU]): readonly [readonly string[], readonly string[]] {
  const classes = new Map(resources.map((resource) => [resource, classOf(resource.replace('/', '.'))]));
  const { claim, mappings } = wishFor(pod, classes, 'u');
  return [
    (claim.spec.devices.requests ?? []).map(({ name, exactly }) => `${name}=${exactly?.count ?? ''}`),
    mappings.map(({ containerName, requestName }) => `${containerName} ${requestName}`),
  ];
}

const FIRST = 'container-0-request-0';
for (const [name, pod, requests, uses] of [
  ['one container', podOf({ gpus: 2 }), [`${FIRST}=2`], [`c0 ${FIRST}`]],
  ['nothing of it', podOf({ gpus: 0 }, {}), [], []],
  [
    'the place of the resource among all that is asked for',
    podOf({}, { gpus: 1, more: { cpu: '1', 'a.com/x': '1' } }),
    ['container-1-request-2=1'],
    ['c1 container-1-request-2'],
  ],
  [
    'side by side each has its own',
    podOf({ gpus: 1 }, { gpus: 2 }),
    [`${FIRST}=1`, 'container-1-request-0=2'],
    [`c0 ${FIRST}`, 'c1 container-1-request-0'],
  ],
  [
    'who ends first uses what later ones get',
    podOf({ gpus: 2, kind: 'passes' }, { gpus: 1 }, { gpus: 2 }),
    ['container-1-request-0=1', 'container-2-request-0=2'],
    ['c1 container-1-request-0', 'c2 container-2-request-0', 'c0 container-1-request-0', 'c0 container-2-request-0'],
  ],
  [
    'and has more of its own where that is not enough',
    podOf({ gpus: 4, kind: 'passes' }, { gpus: 1 }),
    [`${FIRST}=3`, 'container-1-request-0=1'],
    ['c1 container-1-request-0', 'c0 container-1-request-0', `c0 ${FIRST}`],
  ],
  [
    'those that end one after the other share what they have more',
    podOf({ gpus: 2, kind: 'passes' }, { gpus: 3, kind: 'passes' }, { gpus: 1, kind: 'passes' }),
    ['container-1-request-0=3'],
    ['c0 container-1-request-0', 'c1 container-1-request-0', 'c2 container-1-request-0'],
  ],
  [
    'what a sidecar has that runs already is not for those after it',
    podOf({ gpus: 1, kind: 'stays' }, { gpus: 1, kind: 'passes' }),
    [`${FIRST}=1`, 'container-1-request-0=1'],
    [`c0 ${FIRST}`, 'c1 container-1-request-0'],
  ],
  [
    'what a sidecar will have is for those before it',
    podOf({ gpus: 1, kind: 'passes' }, { gpus: 1, kind: 'stays' }),
    ['container-1-request-0=1'],
    ['c1 container-1-request-0', 'c0 container-1-request-0'],
  ],
] as const)
  test(`extended resources as requests: ${name}`, () => assert.deepEqual(asked(pod), [requests, uses]));

test('several resources are asked for by name, one after the other; the claim is the pod’s own', () => {
  const pod = podOf({ gpus: 1, more: { 'a.com/nic': '2' } });
  assert.deepEqual(asked(pod, [GPU, 'a.com/nic']), [
    ['container-0-request-0=2', 'container-0-request-1=1'],
    ['c0 container-0-request-0', 'c0 container-0-request-1'],
  ]);
  const { claim } = wishFor(pod, new Map([[GPU, classOf('gpus')]]), 'u');
  assert.equal(claim.metadata.generateName, 'p-extended-resources-');
  assert.equal(claim.spec.devices.requests?.[0]?.exactly?.deviceClassName, 'gpus');
  assert.ok(isClaimForResources(claim, pod));
  assert.deepEqual(podOfResources(claim), [pod.metadata.uid]);
  assert.ok(!isClaimForResources({ ...claim, metadata: { ...claim.metadata, annotations: {} } }, pod));
  assert.ok(!isClaimForResources(claim, makePod('other')));
  assert.deepEqual(podOfResources(makeClaim('c', [])), []);
});

test(`property: each container has what it asks for, no two at once the same, and not one device more than needed (${SEEDS} seeds)`, () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = createSeededRandom(seed);
    const first = Array.from({ length: randomBelow(random, 4) }, (): Toy => {
      const kind = randomBelow(random, 3) === 0 ? 'stays' : 'passes';
      return { gpus: randomBelow(random, 4), kind };
    });
    const toys: readonly Toy[] = [
      ...first,
      ...Array.from({ length: 1 + randomBelow(random, 3) }, () => ({ gpus: randomBelow(random, 4) })),
    ];
    const { claim, mappings } = wishFor(podOf(...toys), new Map([[GPU, classOf('gpus')]]), 'u');
    const counts = new Map((claim.spec.devices.requests ?? []).map((one) => [one.name, one.exactly?.count ?? 0]));
    const of = (i: number): readonly string[] =>
      mappings.filter(({ containerName }) => containerName === `c${i}`).map(({ requestName }) => requestName);
    const about = `seed ${seed}: ${JSON.stringify(toys)}`;
    const passes = (i: number): boolean => toys[i]?.kind === 'passes';
    for (const [i, { gpus = 0 }] of toys.entries()) {
      assert.ok(
        of(i).every((name) => counts.has(name)),
        about,
      );
      const sum = of(i).reduce((total, name) => total + (counts.get(name) ?? 0), 0);
      assert.ok(sum >= gpus && (gpus > 0 || sum === 0), about);
      // Whoever runs beside it: sidecars before it, and all that stay where it stays.
      for (const j of toys.keys()) {
        const isBeside = j !== i && !passes(j) && (!passes(i) || j < i);
        if (isBeside)
          assert.deepEqual(
            of(i).filter((name) => of(j).includes(name)),
            [],
            about,
          );
      }
    }
    const staying = (from: number): number =>
      toys.reduce((total, { gpus = 0 }, i) => total + (passes(i) || i < from ? 0 : gpus), 0);
    const needed = toys.map(({ gpus = 0 }, i) => (passes(i) ? gpus - staying(i) : 0));
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    assert.equal(total, staying(0) + Math.max(0, ...needed), about);
    assert.equal(new Set(mappings.map((one) => JSON.stringify(one))).size, mappings.length, about);
  }
});
