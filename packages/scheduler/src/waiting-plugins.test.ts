/** Plugins that have to wait: what goes on meanwhile, and what does not. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CONFIG_MAPS, NODES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { createSeededRandom, Scope, silentLogger, silentTrace, VirtualClock } from '@binnacle/base';
import type { CallContext, Trace } from '@binnacle/base';
import { createClient } from '@binnacle/client';
import type { ResourceClient } from '@binnacle/client';
import { createMemoryApi } from '@binnacle/apiserver/testing';
import type { MemoryApi } from '@binnacle/apiserver/testing';
import { overFaultyNetwork } from '@binnacle/client/testing';
import type { NetworkedServer } from '@binnacle/client/testing';
import { status } from '@binnacle/machinery';
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
  /** Somebody else than the scheduler. */
  readonly people: ResourceClient<Pod>;
  /** How many bindings the scheduler asked for. */
  readonly bindings: () => number;
}

async function withPlugin(
  factory: PluginFactory,
  check: (world: World) => Promise<void>,
  trace: Trace = silentTrace,
): Promise<void> {
  const clock = new VirtualClock();
  const random = createSeededRandom(1);
  const wire = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
  const scope = new Scope('test');
  wire.seed(NODES, makeNode('a', { cpu: '1' }));
  const scheduler = startScheduler({
    client: createClient(wire.connect()),
    world: { clock, random, log: silentLogger, trace },
    scope,
    profiles: [defaultProfile(undefined, [factory])],
  });
  await clock.advance(10);
  const nodeOf = (pod: string): string | undefined =>
    wire.objects(PODS).find((p) => p.metadata.name === pod)?.spec.nodeName;
  const people = createClient(wire).resource(PODS, 'default');
  const bindings = (): number => wire.calls.filter((call) => call.subresource === 'binding').length;
  await check({ wire, clock, scheduler, nodeOf, people, bindings });
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
    // Nobody else is in line: it is tried again at once.
    assert.equal(typeof nodeOf('p'), 'string');
    assert.deepEqual(scheduler.waiting, { active: 0, backoff: 0, unschedulable: 0 });
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

test('a decision that failed is told as one', async () => {
  let failures = 1;
  const plugin = waitsInPreFilter(async () => {
    if (failures-- > 0) throw new RangeError('broken');
    return undefined;
  });
  const told: string[] = [];
  const trace: Trace = {
    on: true,
    now: () => 0,
    record: ({ kind, name, waitedMs }) => void (kind === 'decision' && told.push(`${name} (${String(waitedMs)})`)),
  };
  const check = async ({ wire, clock }: World): Promise<void> => {
    wire.seed(PODS, makePod('p', { cpu: '100m' }));
    await clock.advance(20_000);
    const [failed, bound, ...more] = told;
    assert.match(failed ?? '', /^schedule default\/p: broken \(\d/);
    assert.match(bound ?? '', /^schedule default\/p: bound to a \(1000/);
    assert.deepEqual(more, []);
  };
  await withPlugin(plugin, check, trace);
});

for (const [what, resource, tells] of [
  ['something that a plugin looked for', 'resourceclaims', true],
  ['the pod itself, as one server says,', 'pods', false],
] as const) {
  test(`a pod is not forgotten because ${what} was gone while it was bound`, async () => {
    let failures = 1;
    const plugin: PluginFactory = {
      name: 'Preparing',
      create: () => ({
        name: 'Preparing',
        preBind: async () => {
          if (failures-- > 0) throw status.notFound({ group: '', resource }, 'c');
        },
      }),
    };
    await withPlugin(plugin, async ({ wire, clock, nodeOf, bindings }) => {
      wire.seed(PODS, makePod('p', { cpu: '100m' }));
      await clock.advance(500);
      assert.equal(nodeOf('p'), undefined);
      const { conditions = [] } = wire.objects(PODS).find((p) => p.metadata.name === 'p')?.status ?? {};
      const said = conditions.map((c) => [c.type, c.reason, c.message]);
      assert.deepEqual(said, tells ? [['PodScheduled', 'SchedulerError', `${resource} "c" not found`]] : []);
      await clock.advance(10_000);
      assert.deepEqual([nodeOf('p'), bindings()], ['a', 1]);
    });
  });
}

test('whoever waits no more for the scheduler leaves the others waiting', async () => {
  const clock = new VirtualClock();
  const random = createSeededRandom(1);
  const wire = overFaultyNetwork(createMemoryApi({ clock, random }), clock);
  const scope = new Scope('test');
  const world = { clock, random, log: silentLogger };
  const scheduler = startScheduler({ client: createClient(wire.connect()), world, scope });
  const [patient, impatient] = [new AbortController(), new AbortController()];
  const ready = scheduler.whenReady(patient.signal);
  const left = assert.rejects(scheduler.whenReady(impatient.signal), { name: 'AbortError' });
  impatient.abort();
  await left;
  await clock.advance(10);
  await ready;
  await scope.close();
  await wire.close();
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

describe('a pod that changes while a plugin is asked about it', () => {
  const NOBODY = { active: 0, backoff: 0, unschedulable: 0 };
  const LABELLED = { metadata: { labels: { new: 'label' } } };

  /** Asks once and waits; the pod comes in, and is asked about. */
  function askedOnce(): { readonly plugin: PluginFactory; readonly asked: string[]; readonly answer: Answer } {
    const answer = Promise.withResolvers<PreFilterResult | undefined>();
    const asked: string[] = [];
    const plugin = waitsInPreFilter((pod) => {
      asked.push(pod);
      return asked.length === 1 ? answer.promise : undefined;
    });
    return { plugin, asked, answer };
  }

  type Answer = PromiseWithResolvers<PreFilterResult | undefined>;

  const answers: readonly [name: string, give: (answer: Answer) => void][] = [
    ['let through', (answer) => answer.resolve(undefined)],
    ['refused', (answer) => answer.resolve({ refusal: REFUSAL })],
    ['tripped over', (answer) => answer.reject(new RangeError('broken'))],
  ];
  for (const [name, give] of answers) {
    test(`deleted, then ${name}: it is tried no more`, async () => {
      const { plugin, asked, answer } = askedOnce();
      await withPlugin(plugin, async ({ wire, clock, scheduler, people, bindings }) => {
        wire.seed(PODS, makePod('gone'));
        await clock.advance(100);
        await people.delete('gone', { gracePeriodSeconds: 0 });
        await clock.advance(100);
        give(answer);
        await clock.advance(600_000);
        assert.deepEqual([asked, bindings(), scheduler.waiting], [['gone'], 0, NOBODY]);
      });
    });

    test(`made anew under its name, then ${name}: the new one is tried, once`, async () => {
      const { plugin, asked, answer } = askedOnce();
      await withPlugin(plugin, async ({ wire, clock, scheduler, people, bindings, nodeOf }) => {
        wire.seed(PODS, makePod('p'));
        await clock.advance(100);
        await people.delete('p', { gracePeriodSeconds: 0 });
        await people.create(makePod('p'));
        await clock.advance(100);
        give(answer);
        await clock.advance(600_000);
        assert.deepEqual([asked, bindings(), nodeOf('p'), scheduler.waiting], [['p', 'p'], 1, 'a', NOBODY]);
      });
    });

    test(`bound by somebody else, then ${name}: it is left alone, and takes its room once`, async () => {
      const { plugin, asked, answer } = askedOnce();
      await withPlugin(plugin, async ({ wire, clock, scheduler, people, bindings, nodeOf }) => {
        wire.seed(PODS, makePod('p', { cpu: '500m' }));
        await clock.advance(100);
        const binding = {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name: 'p' },
          target: { kind: 'Node', name: 'a' },
        };
        await people.subresource('create', 'p', 'binding', binding);
        await clock.advance(100);
        give(answer);
        await clock.advance(600_000);
        assert.deepEqual([asked, bindings(), scheduler.waiting], [['p'], 1, NOBODY]);
        wire.seed(PODS, makePod('beside', { cpu: '500m' }));
        await clock.advance(1_000);
        assert.equal(nodeOf('beside'), 'a');
      });
    });
  }

  test('updated, then let through: it is bound once, and takes its room once', async () => {
    const { plugin, answer } = askedOnce();
    await withPlugin(plugin, async ({ wire, clock, people, bindings, nodeOf }) => {
      wire.seed(PODS, makePod('p', { cpu: '500m' }));
      await clock.advance(100);
      await people.patch('p', 'merge', LABELLED);
      await clock.advance(100);
      wire.faults.call = (call) => (call.subresource === 'binding' ? { kind: 'delay', ms: 200 } : undefined);
      answer.resolve(undefined);
      await clock.advance(1_000);
      assert.deepEqual([nodeOf('p'), bindings()], ['a', 1]);
      await people.delete('p', { gracePeriodSeconds: 0 });
      wire.seed(PODS, makePod('whole', { cpu: '1' }));
      await clock.advance(1_000);
      assert.equal(nodeOf('whole'), 'a', 'all of the room of the first is free again');
    });
  });

  test('updated, then tripped over: the next try sees it as it is by then', async () => {
    const answer = Promise.withResolvers<undefined>();
    const seen: (string | undefined)[] = [];
    const plugin: PluginFactory = {
      name: 'Waiting',
      create: () => ({
        name: 'Waiting',
        preFilter: ({ pod }) => (seen.push(pod.metadata.labels?.['new']) === 1 ? answer.promise : undefined),
      }),
    };
    await withPlugin(plugin, async ({ wire, clock, people, nodeOf }) => {
      wire.seed(PODS, makePod('p'));
      await clock.advance(100);
      await people.patch('p', 'merge', LABELLED);
      await clock.advance(100);
      answer.reject(new RangeError('broken'));
      await clock.advance(20_000);
      assert.deepEqual([seen, nodeOf('p')], [[undefined, 'label'], 'a']);
    });
  });

  test('updated, then refused: the update is an event that it may have waited for', async () => {
    const answer = Promise.withResolvers<PreFilterResult>();
    let tries = 0;
    const plugin: PluginFactory = {
      name: 'Waiting',
      create: () => ({
        name: 'Waiting',
        wakesOn: [{ resource: 'pendingpods', actions: ['update'] }],
        preFilter: () => (++tries === 1 ? answer.promise : undefined),
      }),
    };
    await withPlugin(plugin, async ({ wire, clock, people, nodeOf }) => {
      wire.seed(PODS, makePod('p'));
      await clock.advance(100);
      await people.patch('p', 'merge', LABELLED);
      await clock.advance(100);
      answer.resolve({ refusal: REFUSAL });
      await clock.advance(20_000);
      assert.deepEqual([tries, nodeOf('p')], [2, 'a']);
    });
  });

  test('deleted while a plugin makes room for it: it is tried no more', async () => {
    const answer = Promise.withResolvers<{ readonly message: string; readonly nominatedNode: string }>();
    const plugin: PluginFactory = {
      name: 'Pondering',
      create: () => ({ name: 'Pondering', postFilter: () => answer.promise }),
    };
    await withPlugin(plugin, async ({ wire, clock, scheduler, people, nodeOf }) => {
      wire.seed(PODS, makePod('large', { cpu: '64', priority: 10 }));
      await clock.advance(100);
      await people.delete('large', { gracePeriodSeconds: 0 });
      await clock.advance(100);
      answer.resolve({ message: 'room is made.', nominatedNode: 'a' });
      await clock.advance(600_000);
      assert.deepEqual(scheduler.waiting, NOBODY);
      wire.seed(PODS, makePod('small', { cpu: '1' }));
      await clock.advance(1_000);
      assert.equal(nodeOf('small'), 'a', 'no room is kept for it');
    });
  });
});

describe('many pods that wait for others on the way to their node', () => {
  /** As many as may be bound at once. */
  const MANY = 512;
  const untilTheEnd = ({ signal }: CallContext): Promise<never> =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  const ways: readonly [name: string, plugin: PluginFactory][] = [
    [
      'a permission',
      {
        name: 'Gang',
        create: () => ({
          name: 'Gang',
          permit: ({ key }, _node, context) => (isGang(key) ? untilTheEnd(context) : undefined),
        }),
      },
    ],
    [
      'a volume',
      {
        name: 'Disk',
        create: () => ({
          name: 'Disk',
          preBind: ({ key }, _node, context) => (isGang(key) ? untilTheEnd(context) : undefined),
        }),
      },
    ],
  ];
  const isGang = (key: string): boolean => key.startsWith('default/gang');
  for (const [name, plugin] of ways) {
    test(`${name}: nobody else waits for them`, async () => {
      await withPlugin(plugin, async ({ wire, clock, nodeOf }) => {
        wire.seed(NODES, makeNode('large', { cpu: '1000', pods: '1000' }));
        for (let i = 0; i < MANY; i++) wire.seed(PODS, makePod(`gang-${i}`));
        await clock.advance(1_000);
        wire.seed(PODS, makePod('other'));
        await clock.advance(1_000);
        assert.notEqual(nodeOf('other'), undefined);
        assert.equal(nodeOf('gang-0'), undefined);
      });
    });
  }
});

test('what a pod needs is gone when it goes to its node: it is tried again, and says what was missing', async () => {
  let isThere = false;
  const missing = status.notFound({ group: '', resource: 'persistentvolumeclaims' }, 'c');
  const plugin: PluginFactory = {
    name: 'Disk',
    create: () => ({ name: 'Disk', preBind: () => (isThere ? undefined : Promise.reject(missing)) }),
  };
  await withPlugin(plugin, async ({ wire, clock, nodeOf }) => {
    wire.seed(PODS, makePod('p'));
    await clock.advance(100);
    const { conditions = [] } = wire.objects(PODS)[0]?.status ?? {};
    assert.deepEqual(
      conditions.map(({ type, reason, message }) => [type, reason, message]),
      [['PodScheduled', 'SchedulerError', 'persistentvolumeclaims "c" not found']],
    );
    isThere = true;
    await clock.advance(2_000);
    assert.equal(nodeOf('p'), 'a');
  });
});

test('a plugin that refuses at once on the way to the node: its pod waits for what the plugin listens to', async () => {
  for (const point of ['reserve', 'permit'] as const) {
    let tries = 0;
    const plugin: PluginFactory = {
      name: 'Quota',
      create(handle) {
        const maps = handle.lister(CONFIG_MAPS);
        const ask = (): Refusal | undefined => {
          tries++;
          if (maps.get('default/open') !== undefined) return undefined;
          return { plugin: 'Quota', reasons: ['the quota is used up'], unresolvable: true };
        };
        const wakesOn = [
          { resource: 'configmaps', actions: ['add'] },
          // Its own room, given back, is none that came.
          { resource: 'pods', actions: ['delete'] },
        ] as const;
        return { name: 'Quota', wakesOn, [point]: ask };
      },
    };
    await withPlugin(plugin, async ({ wire, clock, scheduler, nodeOf }) => {
      wire.seed(PODS, makePod('p'));
      await clock.advance(60_000);
      assert.deepEqual([nodeOf('p'), tries, scheduler.waiting.unschedulable], [undefined, 1, 1], point);
      const { conditions = [] } = wire.objects(PODS)[0]?.status ?? {};
      assert.deepEqual(
        conditions.map(({ reason, message }) => [reason, message]),
        [['Unschedulable', 'the quota is used up']],
      );
      wire.seed(CONFIG_MAPS, { metadata: { name: 'open', namespace: 'default' } });
      await clock.advance(100);
      assert.deepEqual([nodeOf('p'), tries], ['a', 2], point);
    });
  }
});

describe('a pod that waits for others on the way to its node', () => {
  const answers: readonly [what: string, give: (answer: PromiseWithResolvers<void>) => void][] = [
    ['is bound', (answer) => answer.resolve()],
    ['comes to nothing', (answer) => answer.reject(new RangeError('broken'))],
  ];
  for (const [what, give] of answers) {
    test(`says which node that will be once it has waited, until it ${what}`, async () => {
      const [answer, later] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let tries = 0;
      const plugin: PluginFactory = {
        name: 'Disk',
        create: () => ({
          name: 'Disk',
          preBind: ({ key }) => (key === 'default/slow' ? [answer, later][tries++]?.promise : undefined),
        }),
      };
      await withPlugin(plugin, async ({ wire, clock, nodeOf }) => {
        const nominated = (name: string): string | undefined =>
          wire.objects(PODS).find(({ metadata }) => metadata.name === name)?.status?.nominatedNodeName;
        wire.seed(PODS, makePod('slow', { cpu: '500m' }));
        wire.seed(PODS, makePod('quick', { cpu: '500m' }));
        await clock.advance(900);
        assert.deepEqual([nominated('slow'), nodeOf('slow')], [undefined, undefined]);
        await clock.advance(200);
        assert.deepEqual([nominated('slow'), nodeOf('slow')], ['a', undefined]);
        assert.deepEqual([nominated('quick'), nodeOf('quick')], [undefined, 'a']);
        const patches = (): number => wire.calls.filter(({ subresource }) => subresource === 'status').length;
        assert.equal(patches(), 1, 'who waits for nobody has no node written twice');
        give(answer);
        await clock.advance(100);
        const isBound = what === 'is bound';
        assert.equal(nodeOf('slow'), isBound ? 'a' : undefined);
        if (!isBound) assert.equal(nominated('slow') ?? '', '');
        later.resolve();
        await clock.advance(10_000);
        assert.equal(nodeOf('slow'), 'a');
        assert.equal(patches(), isBound ? 1 : 2);
      });
    });
  }

  test('tells nobody where others are quick', async () => {
    const answer = Promise.withResolvers<void>();
    const plugin: PluginFactory = { name: 'Disk', create: () => ({ name: 'Disk', preBind: () => answer.promise }) };
    await withPlugin(plugin, async ({ wire, clock, nodeOf }) => {
      wire.seed(PODS, makePod('p', { cpu: '500m' }));
      await clock.advance(900);
      answer.resolve();
      await clock.advance(10_000);
      assert.equal(nodeOf('p'), 'a');
      assert.equal(wire.calls.filter(({ subresource }) => subresource === 'status').length, 0);
    });
  });
});
