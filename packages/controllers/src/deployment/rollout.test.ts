import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Deployment, ReplicaSet } from '@binnacle/api/apps/v1';
import { limitsOf } from './limits.ts';
import { growNewSet, shrinkOldSets, sizeForNewSet } from './rollout.ts';
import type { Resize } from './rollout.ts';
import { scaleSets } from './scaling.ts';

interface Numbers {
  readonly wanted: number;
  readonly surge: number | string;
  readonly unavailable: number | string;
  /** Size and available pods of the new set, then of the old ones from oldest to youngest. */
  readonly sets: readonly (readonly [size: number, available: number] | undefined)[];
}

function deploymentOf(numbers: Numbers): Deployment {
  const rollingUpdate = { maxSurge: numbers.surge, maxUnavailable: numbers.unavailable };
  const template = { metadata: {}, spec: { containers: [] } };
  const spec = { replicas: numbers.wanted, template, strategy: { type: 'RollingUpdate' as const, rollingUpdate } };
  return { metadata: { name: 'd' }, spec };
}

function seenOf(numbers: Numbers) {
  const [newSet, ...oldSets] = numbers.sets.map((one, i): ReplicaSet | undefined => {
    if (one === undefined) return undefined;
    const metadata = { name: String(i), uid: String(i), creationTimestamp: `2026-01-0${i + 1}T00:00:00Z` };
    return { metadata, spec: { replicas: one[0] }, status: { replicas: one[0], availableReplicas: one[1] } };
  });
  return { deployment: deploymentOf(numbers), newSet, oldSets: oldSets.filter((set) => set !== undefined) };
}

const shown = (changes: readonly Resize[]): string =>
  changes.map(({ set, size }) => `${set.metadata.name}:${size}`).join(' ');

const limits: { surge: number | string; unavailable: number | string; wanted: number; is: [number, number] }[] = [
  { surge: '25%', unavailable: '25%', wanted: 10, is: [3, 2] },
  { surge: '25%', unavailable: '25%', wanted: 1, is: [1, 0] },
  { surge: 0, unavailable: 0, wanted: 5, is: [0, 1] },
  { surge: 0, unavailable: '10%', wanted: 5, is: [0, 1] },
  { surge: 0, unavailable: 9, wanted: 3, is: [0, 3] },
  { surge: '100%', unavailable: 0, wanted: 4, is: [4, 0] },
];
for (const row of limits) {
  test(`limits: surge ${row.surge}, unavailable ${row.unavailable} of ${row.wanted}`, () => {
    const { surge, unavailable } = limitsOf(deploymentOf({ ...row, sets: [] }));
    assert.deepEqual([surge, unavailable], row.is);
  });
}

const rows: { name: string; numbers: Numbers; first?: number; grow?: string; shrink?: string }[] = [
  { name: 'first rollout', numbers: n(3, 1, 0, [undefined]), first: 3 },
  { name: 'a new set beside a full old one', numbers: n(4, 1, 1, [undefined, [4, 4]]), first: 1 },
  { name: 'no room before something goes', numbers: n(4, 0, 1, [undefined, [4, 4]]), first: 0 },
  {
    name: 'grows by what surge leaves',
    numbers: n(10, 3, 2, [
      [3, 3],
      [8, 8],
    ]),
    grow: '0:5',
  },
  {
    name: 'shrinks by what availability leaves',
    numbers: n(10, 3, 2, [
      [5, 5],
      [8, 8],
    ]),
    shrink: '1:3',
  },
  {
    name: 'new pods that are not available hold the old ones',
    numbers: n(10, 3, 2, [
      [5, 0],
      [8, 8],
    ]),
    shrink: '',
  },
  {
    name: 'pods that are not available anyhow go first',
    numbers: n(4, 1, 1, [
      [1, 0],
      [2, 0],
      [2, 2],
    ]),
    shrink: '1:1',
  },
  { name: 'too large a new set shrinks', numbers: n(2, 1, 0, [[5, 5]]), grow: '0:2' },
  {
    name: 'done',
    numbers: n(4, 1, 1, [
      [4, 4],
      [0, 0],
    ]),
    grow: '',
    shrink: '',
  },
];
for (const row of rows) {
  test(`rollout: ${row.name}`, () => {
    const seen = seenOf(row.numbers);
    if (row.first !== undefined) assert.equal(sizeForNewSet(seen), row.first);
    if (row.grow !== undefined) assert.equal(shown(growNewSet(seen)), row.grow);
    if (row.shrink !== undefined) assert.equal(shown(shrinkOldSets(seen)), row.shrink);
  });
}

test('scaling a single set, and none at all', () => {
  assert.equal(
    shown(
      scaleSets(
        seenOf(
          n(7, 1, 0, [
            [4, 4],
            [0, 0],
          ]),
        ),
      ),
    ),
    '0:7',
  );
  assert.equal(shown(scaleSets(seenOf(n(7, 1, 0, [undefined, [0, 0], [0, 0]])))), '2:7');
  assert.equal(
    shown(
      scaleSets(
        seenOf(
          n(0, 1, 0, [
            [4, 4],
            [2, 2],
          ]),
        ),
      ),
    ),
    '0:0 1:0',
  );
});

function n(wanted: number, surge: number, unavailable: number, sets: Numbers['sets']): Numbers {
  return { wanted, surge, unavailable, sets };
}
