/** Plugins that have to wait: what goes on meanwhile, and what does not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIG_MAPS, NODES, PODS } from '@binnacle/api';
import { createSeededRandom, Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import type { MemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import type { NetworkedServer } from '@binnacle/client/testing';
import type { PluginFactory } from './handle.ts';
import type { MaybePromise, PreFilterResult, Refusal } from './plan/framework.ts';
import { defaultProfile } from './profile.ts';
import { startScheduler } from './scheduler.ts';
import type { SchedulerHandle } from './scheduler.ts';
import { makeNode, makePod } from './testing/objects.ts';

interface World {
  readonly wire: NetworkedServer<MemoryApi>;
  readonly clock: VirtualClock;
  readonly scheduler: SchedulerHandle;
  readonly nodeOf: (pod: string) => string | undefined;
}

async function withPlugin(factory: PluginFactory, check: (world: World) => Promise<void>): Promise<void> {
  const clock = new VirtualClock();
  const random = createSeededRandom(1);
  const wire = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
  const scope = new Scope('test');
  wire.seed(NODES, makeNode('a', { cpu: '1' }));
  const scheduler = startScheduler({
    client: createClient(wire.connect()),
    world: { clock, random, log: silentLogger },
    scope,
    profiles: [defaultProfile(undefined, [factory])],
  });
  await clock.advance(10);
  const nodeOf = (pod: string): string | undefined =>
    wire.objects(PODS).find((p) => p.metadata.name === pod)?.spec.nodeName;
  await check({ wire, clock, scheduler, nodeOf });
  await scope.close();
  await wire.close();
}

const REFUSAL: Refusal = { plugin: 'Waiting', reasons: ['not yet'], unresolvable: true };

function waitsInPreFilter(ask: (pod: string) => MaybePromise<PreFilterResult | undefined>): PluginFactory {
  return {
    name: 'Waiting',
    create: () => ({
      name: 'Waiting',
      wakesOn: [{ resource: 'nodes', actions: ['add'] }],
      preFilter: ({ pod }) => ask(pod.metadata.name ?? ''),
    }),
  };
}

test('while one pod is asked about, no other is decided; then both are', async () => {
  const answer = Promise.withResolvers<undefined>();
  const asked: string[] = [];
  const plugin = waitsInPreFilter((pod) => {
    asked.push(pod);
    return pod === 'slow' ? answer.promise : undefined;
  });
  await withPlugin(plugin, async ({ wire, clock, nodeOf }) => {
    wire.seed(PODS, makePod('slow', { cpu: '500m', priority: 10 }));
    wire.seed(PODS, makePod('quick', { cpu: '500m' }));
    await clock.advance(1_000);
    assert.deepEqual([asked, nodeOf('quick')], [['slow'], undefined]);
    answer.resolve(undefined);
    await clock.advance(1_000);
    assert.deepEqual([nodeOf('slow'), nodeOf('quick')], ['a', 'a']);
  });
});

test('what happens while a plugin is asked is not missed', async () => {
  const answers = [Promise.withResolvers<PreFilterResult | undefined>()];
  const plugin = waitsInPreFilter(() => answers.shift()?.promise);
  const [first] = answers;
  await withPlugin(plugin, async ({ wire, clock, scheduler, nodeOf }) => {
    wire.seed(PODS, makePod('p'));
    await clock.advance(100);
    wire.seed(NODES, makeNode('late'));
    await clock.advance(100);
    first?.resolve({ refusal: REFUSAL });
    await clock.advance(100);
    assert.deepEqual(scheduler.waiting, { active: 0, backoff: 1, unschedulable: 0 });
    await clock.advance(1_000);
    assert.equal(typeof nodeOf('p'), 'string');
  });
});

test('a plugin that fails costs its pod a try, and nobody else anything', async () => {
  let failures = 1;
  const plugin = waitsInPreFilter(async (pod) => {
    if (pod === 'unlucky' && failures-- > 0) throw new RangeError('broken');
    return undefined;
  });
  await withPlugin(plugin, async ({ wire, clock, nodeOf }) => {
    wire.seed(PODS, makePod('unlucky', { cpu: '100m' }));
    wire.seed(PODS, makePod('other', { cpu: '100m' }));
    await clock.advance(500);
    assert.deepEqual([nodeOf('unlucky'), nodeOf('other')], [undefined, 'a']);
    const { conditions = [] } = wire.objects(PODS).find((p) => p.metadata.name === 'unlucky')?.status ?? {};
    assert.deepEqual(
      conditions.map((c) => [c.type, c.reason, c.message]),
      [['PodScheduled', 'SchedulerError', 'broken']],
    );
    await clock.advance(1_000);
    assert.equal(nodeOf('unlucky'), 'a');
  });
});

test('a pod waits at the gate of a plugin until something that it listens to changes', async () => {
  const plugin: PluginFactory = {
    name: 'Gate',
    create(handle) {
      const maps = handle.lister(CONFIG_MAPS);
      return {
        name: 'Gate',
        wakesOn: [{ resource: 'configmaps', actions: ['add'] }],
        preEnqueue: () =>
          maps.get('default/open') === undefined
            ? { plugin: 'Gate', reasons: ['the gate is closed'], unresolvable: true }
            : undefined,
      };
    },
  };
  await withPlugin(plugin, async ({ wire, clock, scheduler, nodeOf }) => {
    wire.seed(PODS, makePod('p'));
    await clock.advance(60_000);
    assert.deepEqual([nodeOf('p'), scheduler.waiting.unschedulable], [undefined, 1]);
    wire.seed(CONFIG_MAPS, { metadata: { name: 'open', namespace: 'default' } });
    await clock.advance(100);
    assert.equal(nodeOf('p'), 'a');
  });
});

test('a plugin that waits in postFilter holds up nobody', async () => {
  const answer = Promise.withResolvers<{ readonly message: string }>();
  const plugin: PluginFactory = {
    name: 'Pondering',
    create: () => ({ name: 'Pondering', postFilter: () => answer.promise }),
  };
  await withPlugin(plugin, async ({ wire, clock, scheduler, nodeOf }) => {
    wire.seed(PODS, makePod('large', { cpu: '64', priority: 10 }));
    wire.seed(PODS, makePod('small', { cpu: '100m' }));
    await clock.advance(100);
    assert.equal(nodeOf('small'), 'a');
    assert.deepEqual(scheduler.waiting, { active: 0, backoff: 0, unschedulable: 0 });
    answer.resolve({ message: 'nothing came to mind.' });
    await clock.advance(100);
    assert.match(scheduler.explain('default/large')?.message ?? '', /Insufficient cpu\. .*, nothing came to mind\.$/);
  });
});
