import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Scope, silentLogger } from '@binnacle/base';
import { ExtenderError } from '../errors.ts';
import type { BindingSink, Plugin, Refusal } from '../plan/framework.ts';
import { demandOf } from '../plan/demand.ts';
import type { Extender } from '../plan/extender.ts';
import type { PluginSet } from '../plan/plugin-set.ts';
import { makePod } from '../testing/objects.ts';
import { queuedPod } from '../testing/queued.ts';
import { Binder } from './binder.ts';
import { PermitRoom } from './permit-room.ts';

/** Promises that wait for nobody settle. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const NO: Refusal = { plugin: 'x', reasons: ['no'], unresolvable: false };

interface Row {
  readonly name: string;
  /** Plugins by name; each says what it was asked. */
  readonly plugins: (said: string[]) => readonly Plugin[];
  readonly extenders?: (said: string[]) => readonly Extender[];
  readonly said: readonly string[];
  /** The code of the error. */
  readonly fails?: string;
}

const noting = (name: string, said: string[], more: Partial<Plugin> = {}): Plugin => ({
  name,
  reserve: () => void said.push(`${name} reserve`),
  unreserve: () => void said.push(`${name} unreserve`),
  preBind: () => void said.push(`${name} preBind`),
  postBind: () => void said.push(`${name} postBind`),
  ...more,
});

const binder = (said: string[], isDone = true): Plugin => ({
  name: 'binder',
  bind: () => {
    said.push(`binder bind ${isDone}`);
    return isDone;
  },
});

const broken = (): never => {
  throw new RangeError('broken');
};

const ROWS: readonly Row[] = [
  {
    name: 'all points in order',
    plugins: (said) => [noting('a', said), noting('b', said), binder(said)],
    said: ['a reserve', 'b reserve', 'a preBind', 'b preBind', 'binder bind true', 'a postBind', 'b postBind'],
  },
  {
    name: 'the first plugin that binds is the last one asked',
    plugins: (said) => [binder(said, false), binder(said), binder(said)],
    said: ['binder bind false', 'binder bind true'],
  },
  {
    name: 'nobody binds',
    plugins: (said) => [noting('a', said), binder(said, false)],
    said: ['a reserve', 'a preBind', 'binder bind false', 'a unreserve'],
    fails: 'no-binder',
  },
  {
    name: 'a reservation that fails is undone with those before it, the last first',
    plugins: (said) => [noting('a', said), noting('b', said, { reserve: () => NO }), noting('c', said), binder(said)],
    said: ['a reserve', 'b unreserve', 'a unreserve'],
    fails: 'held-back',
  },
  {
    name: 'a pod that is not permitted',
    plugins: (said) => [noting('a', said, { permit: async () => NO }), binder(said)],
    said: ['a reserve', 'a unreserve'],
    fails: 'held-back',
  },
  {
    name: 'an extender binds in the place of the plugins',
    plugins: (said) => [binder(said)],
    extenders: (said) => [
      {
        name: 'e',
        ignorable: false,
        weight: 1,
        isInterested: () => true,
        bind: async () => void said.push('extender bind'),
      },
    ],
    said: ['extender bind'],
  },
  {
    name: 'an extender without interest in the pod',
    plugins: (said) => [binder(said)],
    extenders: (said) => [
      {
        name: 'e',
        ignorable: false,
        weight: 1,
        isInterested: () => false,
        bind: async () => void said.push('extender bind'),
      },
    ],
    said: ['binder bind true'],
  },
  ...[true, false].map((ignorable) => ({
    name: `an extender that fails to bind and ${ignorable ? 'may' : 'may not'} be ignored`,
    plugins: (said: string[]) => [noting('a', said), binder(said)],
    extenders: (said: string[]): readonly Extender[] => [
      {
        name: 'e',
        ignorable,
        weight: 1,
        isInterested: () => true,
        bind: async () => {
          said.push('extender bind');
          throw new ExtenderError('e', 'not today');
        },
      },
    ],
    said: [
      ...['a reserve', 'a preBind', 'extender bind'],
      ...(ignorable ? ['binder bind true', 'a postBind'] : ['a unreserve']),
    ],
    ...(ignorable ? {} : { fails: 'extender' }),
  })),
  {
    name: 'a plugin that fails to undo its own keeps nobody else from it, and hides nothing of what failed',
    plugins: (said) => [noting('a', said), noting('b', said, { unreserve: broken }), binder(said, false)],
    said: ['a reserve', 'b reserve', 'a preBind', 'b preBind', 'binder bind false', 'a unreserve'],
    fails: 'no-binder',
  },
  {
    name: 'what fails once the pod is bound undoes nothing, and the others hear of it',
    plugins: (said) => [noting('a', said, { postBind: broken }), noting('b', said), binder(said)],
    said: ['a reserve', 'b reserve', 'a preBind', 'b preBind', 'binder bind true', 'b postBind'],
  },
];

function setOf(plugins: readonly Plugin[]): PluginSet {
  const at = (point: keyof Plugin): Plugin[] => plugins.filter((p) => p[point] !== undefined);
  return {
    schedulerName: 's',
    byName: new Map(plugins.map((p) => [p.name, p])),
    preEnqueue: [],
    queueSort: [],
    preFilter: [],
    filter: [],
    postFilter: [],
    score: [],
    reserve: at('reserve'),
    permit: at('permit'),
    preBind: at('preBind'),
    bind: at('bind'),
    postBind: at('postBind'),
  };
}

/** A binder of pods, and what became of each: how often it was told bound, and why it was not. */
function binderOf(extenders: readonly Extender[] = [], room = new PermitRoom()) {
  const scope = new Scope('test');
  const told: string[] = [];
  const waiting: string[] = [];
  const errors: unknown[] = [];
  let free = 0;
  const own = new Binder({
    scope,
    extenders,
    room,
    onFree: () => void free++,
    log: silentLogger,
    onBound: ({ queued, node }) => void told.push(`${queued.demand.key} on ${node}`),
    onWaiting: ({ queued, node }) => void waiting.push(`${queued.demand.key} for ${node}`),
    onFailed: ({ queued }, error) => {
      told.push(`${queued.demand.key} not`);
      errors.push(error);
    },
  });
  const bind = (name: string, plugins: readonly Plugin[]): void =>
    own.bind({ queued: queuedPod(demandOf(makePod(name))), node: 'n', plugins: setOf(plugins) });
  return { scope, told, waiting, errors, bind, freed: () => free };
}

for (const row of ROWS) {
  test(`binding: ${row.name}`, async () => {
    const said: string[] = [];
    const { scope, told, errors, bind } = binderOf(row.extenders?.(said));
    bind('p', row.plugins(said));
    // Waits for what is under way.
    await settled();
    assert.deepEqual(said, row.said);
    assert.deepEqual(told, [row.fails === undefined ? 'default/p on n' : 'default/p not']);
    assert.equal((errors[0] as { code?: string } | undefined)?.code, row.fails);
    await scope.close();
  });
}

test('who waits for a permission can be turned away', async () => {
  const said: string[] = [];
  const room = new PermitRoom();
  const never = new Promise<undefined>(() => undefined);
  const { bind, errors } = binderOf([], room);
  bind('p', [noting('a', said, { permit: () => never }), binder(said)]);
  assert.equal(room.reject('pod-other', NO), false);
  assert.equal(room.reject('pod-p', NO), true);
  await settled();
  assert.equal((errors[0] as { code?: string }).code, 'held-back');
  assert.deepEqual(said, ['a reserve', 'a unreserve']);
});

describe('pods of one turn', () => {
  const failure = { error: new RangeError('no') };
  /** Binds together what it is asked; `tell` says what becomes of it. */
  const together = (said: string[], tell: (told: BindingSink) => Promise<void> | void): Plugin => ({
    ...binder(said),
    bindAll: async (bindings, told) => {
      said.push(`together ${bindings.map(({ demand }) => demand.key).join()}`);
      await tell(told);
    },
  });

  test('go in one call, in order, and each is told its own', async () => {
    const said: string[] = [];
    const { bind, told, freed } = binderOf();
    const plugins = [
      together(said, (tell) => {
        tell(1, failure);
        tell(0);
        tell(2);
      }),
    ];
    for (const name of ['a', 'b', 'c']) bind(name, plugins);
    await settled();
    bind('d', plugins);
    await settled();
    assert.deepEqual(said, ['together default/a,default/b,default/c', 'together default/d']);
    assert.deepEqual(told.slice(0, 3), ['default/b not', 'default/a on n', 'default/c on n']);
    assert.equal(freed(), 4);
  });

  test('who has to be waited for, and whom an extender binds, goes alone', async () => {
    const said: string[] = [];
    const extender: Extender = {
      name: 'e',
      ignorable: false,
      weight: 1,
      isInterested: ({ key }) => key === 'default/theirs',
      bind: async () => void said.push('extender bind'),
    };
    const { bind, told, waiting } = binderOf([extender]);
    const own = together(said, (tell) => tell(0));
    bind('waits', [noting('a', [], { preBind: async () => undefined }), own]);
    bind('theirs', [own]);
    bind('plain', [own]);
    await settled();
    assert.deepEqual(said.toSorted(), ['binder bind true', 'extender bind', 'together default/plain']);
    assert.equal(told.length, 3);
    assert.deepEqual(waiting, ['default/waits for n']);
  });

  test('are told once, whatever a plugin says and does not say', async () => {
    const twice = binderOf();
    const saysTwice = [
      together([], (tell) => {
        tell(0);
        tell(0, failure);
        tell(7);
      }),
    ];
    for (const name of ['a', 'b']) twice.bind(name, saysTwice);
    await settled();
    assert.deepEqual(twice.told, ['default/a on n', 'default/b not']);
    assert.equal((twice.errors[0] as { code?: string }).code, 'no-binder');
    assert.equal(twice.freed(), 2);
    const breaks = binderOf();
    breaks.bind('a', [together([], () => Promise.reject(failure.error))]);
    await settled();
    assert.deepEqual([breaks.told, breaks.errors], [['default/a not'], [failure.error]]);
  });
});
