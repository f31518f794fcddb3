import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { PODS } from '@binnacle/api';
import { post, virtualWorld } from '../../../testing/handlers.ts';
import { createEvictionHandler } from './eviction.ts';

const BUDGETS = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
const READY = [{ type: 'Ready', status: 'True' }];
const at = { namespace: 'a', name: 'p' };
let world: ReturnType<typeof virtualWorld>;

describe('evictions', () => {
  beforeEach(() => {
    world = virtualWorld();
  });

  function pod(status: object): void {
    world.cache.put(PODS, { metadata: { ...at, uid: 'u', labels: { app: 'x' } }, spec: {}, status } as never);
  }

  function budget(status: object, spec: object = {}, name = 'b'): void {
    const object = {
      metadata: { namespace: 'a', name, generation: 1 },
      spec: { selector: { matchLabels: { app: 'x' } }, ...spec },
    };
    world.cache.put(BUDGETS, {
      ...object,
      status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, ...status },
    } as never);
  }

  function evict(more: object = {}, dryRun = false): Promise<unknown> {
    return post(createEvictionHandler(world), 'pods/eviction', { ...at, dryRun, body: { metadata: at, ...more } });
  }

  const isGone = (): boolean => world.cache.get(PODS, 'a', 'p') === undefined;

  describe('the budget does not matter', () => {
    const rows: readonly (readonly [string, object, object])[] = [
      ['for a pending pod', { phase: 'Pending' }, {}],
      ['for one that ended', { phase: 'Failed' }, {}],
      ['for one that is not ready, while enough are', { phase: 'Running' }, {}],
      [
        'for one that is not ready, where the policy says so',
        { phase: 'Running' },
        { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      ],
    ];
    for (const [name, status, spec] of rows) {
      test(name, async () => {
        pod(status);
        budget(name.endsWith('so') ? { currentHealthy: 0 } : {}, spec);
        await evict();
        assert.equal(isGone(), true);
      });
    }
  });

  test('the budget is used up, then it says no', async () => {
    budget({ disruptionsAllowed: 1 });
    pod({ phase: 'Running', conditions: READY });
    await evict();
    assert.equal(isGone(), true);
    pod({ phase: 'Running', conditions: READY });
    await assert.rejects(evict(), (error: unknown) => {
      const { status } = error as { status: { code: number; details: { causes: unknown } } };
      assert.equal(status.code, 429);
      assert.deepEqual(status.details.causes, [
        { reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 1 currently' },
      ]);
      return true;
    });
    assert.equal(isGone(), false);
  });

  test('a pod of another life is neither marked as a target nor deleted', async () => {
    pod({ phase: 'Running', conditions: READY });
    const deleteOptions = { preconditions: { uid: 'another' } };
    await assert.rejects(evict({ deleteOptions }), /\(another\) does not match the UID in record \(u\)/);
    const { status } = world.cache.get(PODS, 'a', 'p') as { status?: { conditions?: unknown } };
    assert.deepEqual(status?.conditions, READY);
  });

  test('the last that may go leaves a budget that says so', async () => {
    const enough = { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', lastTransitionTime: 'then' };
    budget({ disruptionsAllowed: 1, conditions: [enough] });
    pod({ phase: 'Running', conditions: READY });
    await evict();
    const { status } = world.cache.get(BUDGETS, 'a', 'b') as { status?: { conditions?: { reason: string }[] } };
    assert.deepEqual(
      status?.conditions?.map(({ reason }) => reason),
      ['InsufficientPods'],
    );
  });

  describe('why no pod may go now', () => {
    const of = (reason: string, message: string) => [{ type: 'DisruptionAllowed', status: 'False', reason, message }];
    for (const [conditions, currentHealthy, why] of [
      [of('SyncFailed', 'no scale'), 5, 'does not allow evicting pods currently because it failed sync: no scale'],
      [of('InsufficientPods', ''), 1, 'needs 1 healthy pods and has 1 currently'],
      [of('Paused', 'not today'), 5, 'does not allow evicting pods currently (Paused): not today'],
      [[], 5, 'does not allow evicting pods currently'],
    ] as const)
      test(why, async () => {
        budget({ currentHealthy, conditions });
        pod({ phase: 'Running', conditions: READY });
        await assert.rejects(evict(), (error: unknown) => {
          const { status } = error as { status: { details: { causes: { message: string }[] } } };
          assert.equal(status.details.causes[0]?.message, `The disruption budget b ${why}`);
          return true;
        });
      });
  });

  test('a budget that its controller has not seen yet: try later', async () => {
    budget({ observedGeneration: 0, disruptionsAllowed: 1 });
    pod({ phase: 'Running', conditions: READY });
    await assert.rejects(evict(), (error: unknown) => {
      const { status } = error as { status: { details: { retryAfterSeconds: number } } };
      assert.equal(status.details.retryAfterSeconds, 10);
      return true;
    });
  });

  test('a budget whose selector cannot be read, stored as it was, keeps nobody from being evicted', async () => {
    budget({}, { selector: { matchExpressions: [{ key: 'app', operator: 'Near', values: ['x'] }] } }, 'aged');
    pod({ phase: 'Running', conditions: READY });
    await evict();
    assert.equal(isGone(), true);
  });

  test('two budgets for one pod are not supported', async () => {
    budget({ disruptionsAllowed: 1 });
    budget({ disruptionsAllowed: 1 }, {}, 'second');
    pod({ phase: 'Running', conditions: READY });
    await assert.rejects(evict(), /more than one PodDisruptionBudget/);
  });

  test('the deletion is of this life of the pod, with the options of the eviction', async () => {
    pod({ phase: 'Running', conditions: READY });
    await evict({ deleteOptions: { gracePeriodSeconds: 3 } });
    assert.deepEqual(world.loopback.calls.at(-1)?.body, {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 3,
      preconditions: { uid: 'u' },
    });
  });

  test('a dry run changes nothing', async () => {
    budget({ disruptionsAllowed: 1 });
    pod({ phase: 'Running', conditions: READY });
    await evict({}, true);
    assert.equal(isGone(), false);
    const kept = world.cache.get(BUDGETS, 'a', 'b') as { status?: { disruptionsAllowed: number } } | undefined;
    assert.equal(kept?.status?.disruptionsAllowed, 1);
  });

  describe('a pod that changes while it is looked at', () => {
    const of = (resourceVersion: string, status: object) =>
      ({ metadata: { ...at, uid: 'u', resourceVersion, labels: { app: 'x' } }, spec: {}, status }) as never;
    /** Who looks at the cache first sees how the pod was. */
    function lookedAt(was: object, is: object): void {
      world.cache.put(PODS, of('2', is));
      const { cache } = world;
      const get = cache.get.bind(cache);
      let looks = 0;
      cache.get = (ref, namespace, name) =>
        ref.resource === 'pods' && looks++ === 0 ? of('1', was) : get(ref, namespace, name);
    }
    const READY_POD = { phase: 'Running', conditions: READY };
    const isMarked = (): boolean => JSON.stringify(world.cache.get(PODS, 'a', 'p')).includes('DisruptionTarget');

    test('one that was pending and runs by now is guarded by its budget', async () => {
      budget({});
      lookedAt({ phase: 'Pending' }, READY_POD);
      await assert.rejects(evict(), { code: 'TooManyRequests' });
      assert.deepEqual([isGone(), isMarked()], [false, false]);
    });

    test('one that was not ready and is by now: try again', async () => {
      budget({});
      lookedAt({ phase: 'Running' }, READY_POD);
      await assert.rejects(evict(), (error: unknown) => {
        const { status } = error as { status: { code: number; details: { causes: unknown } } };
        const message = 'The disruption budget b is still being processed by the server.';
        assert.deepEqual([status.code, status.details.causes], [429, [{ reason: 'DisruptionBudget', message }]]);
        return true;
      });
      assert.deepEqual([isGone(), isMarked()], [false, false]);
    });

    test('one that has ended goes, whatever it was', async () => {
      lookedAt({ phase: 'Pending' }, { phase: 'Succeeded' });
      await evict();
      assert.equal(isGone(), true);
    });

    test('who asks for a version gets no other', async () => {
      lookedAt({ phase: 'Pending' }, { phase: 'Pending' });
      const deleteOptions = { preconditions: { resourceVersion: '1' } };
      await assert.rejects(evict({ deleteOptions }), { code: 'Conflict' });
      assert.deepEqual([isGone(), isMarked()], [false, false]);
    });
  });
});
