import { strict as assert } from 'node:assert';
import { randomBelow } from '@binnacle/base';
import { isPodActive, JOBS, PODS } from '@binnacle/api';
import type { JobSpec } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { Allowance, LIFE_SECONDS_MAX, losePod, retried, survive } from '../test-crash.ts';
import type { TestWorld } from '../test-world.ts';
import { INDEX_FAILURES } from './index-failures.ts';

export const WHICH = ['job-controller'];
export const spec = (more: Partial<JobSpec> = {}): JobSpec => ({
  parallelism: 2,
  completions: 3,
  backoffLimit: 6,
  manualSelector: true,
  selector: { matchLabels: { job: 'j' } },
  template: {
    metadata: { labels: { job: 'j' } },
    spec: { containers: [{ name: 'c', image: 'x' }], restartPolicy: 'Never' },
  },
  ...more,
});
export const jobs = (world: TestWorld) => world.client.resource(JOBS, 'default');
export const job = (world: TestWorld) => world.api.objects(JOBS)[0];
export const pods = (world: TestWorld) => world.api.objects(PODS);
export const indexOf = (pod: Pod): string =>
  pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ?? '';

interface Seen {
  readonly succeeded: Set<string>;
  readonly failed: Set<string>;
}

/** Every pod that ever ended, by a watch of the test's own. */
function watchEnds(world: TestWorld): Seen {
  const seen: Seen = { succeeded: new Set(), failed: new Set() };
  const note = (pod: Pod): void => {
    const uid = pod.metadata.uid ?? '';
    if (seen.succeeded.has(uid) || seen.failed.has(uid)) return;
    if (pod.status?.phase === 'Succeeded') seen.succeeded.add(uid);
    else if (pod.status?.phase === 'Failed' || pod.metadata.deletionTimestamp !== undefined) seen.failed.add(uid);
  };
  world.observer.resource(PODS).watch(
    { sendInitialEvents: true, timeoutSeconds: LIFE_SECONDS_MAX },
    {
      events: (batch) => batch.forEach((event) => event.type !== 'BOOKMARK' && note(event.object)),
      end: () => undefined,
    },
  );
  return seen;
}

/** Killed and restarted at random: no pod counted twice, none lost, never one too many. */
export async function live(mode: 'NonIndexed' | 'Indexed' | 'limits per index', seed: number): Promise<void> {
  const perIndex = mode === 'limits per index' ? { backoffLimitPerIndex: 1000 } : {};
  const completionMode = mode === 'NonIndexed' ? mode : 'Indexed';
  let seen: Seen | undefined;
  let parallelism = 3;
  const allowance = new Allowance(parallelism, 0);
  const world = await survive({
    seed,
    which: WHICH,
    steps: 30,
    node: (node) => (node.ends = () => 'Succeeded'),
    prepare: async (at) => {
      seen = watchEnds(at);
      const of = spec({ completionMode, completions: 8, parallelism, backoffLimit: 1000, ...perIndex });
      await jobs(at).create({ metadata: { name: 'j' }, spec: of });
    },
    disturb: async (at, random) => {
      // What a pod that is too many knew of its index goes with it: with limits per index none is.
      if (randomBelow(random, 2) === 0 || mode === 'limits per index') return losePod(at, random);
      parallelism = 1 + randomBelow(random, 4);
      allowance.wish(parallelism, at.clock.now());
      await retried(() => jobs(at).patch('j', 'merge', { spec: { parallelism } }));
    },
    never: (all, at) => {
      const active = all.filter(isPodActive);
      allowance.check(active.length, at.clock.now());
      if (completionMode === 'NonIndexed') return;
      assert.equal(new Set(active.map(indexOf)).size, active.length, 'an index twice');
    },
  });
  const { status } = job(world) ?? {};
  const told = `seed ${seed}: ${JSON.stringify(status)}`;
  assert.equal(
    status?.conditions?.some((one) => one.type === 'Complete' && one.status === 'True'),
    true,
    told,
  );
  assert.equal(status?.succeeded, 8, told);
  assert.equal(seen?.succeeded.size, 8, told);
  assert.ok((status?.failed ?? 0) <= (seen?.failed.size ?? 0), told);
  assert.deepEqual(status?.uncountedTerminatedPods, {}, told);
  const kept = pods(world).filter((pod) => (pod.metadata.finalizers ?? []).length > 0);
  assert.equal(kept.length, 0, told);
  if (mode !== 'limits per index') return;
  const last = pods(world).filter((pod) => pod.status?.phase === 'Succeeded');
  const known = last.map((pod) => Number(pod.metadata.annotations?.[INDEX_FAILURES]));
  const sum = known.reduce((a, b) => a + b, 0);
  assert.equal(sum, status?.failed ?? 0, `${told}: each failure is known to who takes the place`);
}
