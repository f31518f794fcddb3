import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { ExtenderError } from '../errors.ts';
import type { Plugin, Refusal } from '../plan/framework.ts';
import { demandOf } from '../plan/demand.ts';
import type { Extender } from '../plan/extender.ts';
import type { PluginSet } from '../plan/plugin-set.ts';
import { makePod } from '../testing/objects.ts';
import { runBindCycle } from './bind-cycle.ts';
import { PermitRoom } from './permit-room.ts';

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

for (const row of ROWS) {
  test(`binding: ${row.name}`, async () => {
    const said: string[] = [];
    const cycle = runBindCycle({
      plugins: setOf(row.plugins(said)),
      demand: demandOf(makePod('p')),
      node: 'n',
      extenders: row.extenders?.(said) ?? [],
      room: new PermitRoom(),
      aside: (waiting) => waiting,
      context: {},
      log: silentLogger,
    });
    if (row.fails === undefined) await cycle;
    else await assert.rejects(cycle, { code: row.fails });
    assert.deepEqual(said, row.said);
  });
}

test('who waits for a permission can be turned away', async () => {
  const said: string[] = [];
  const room = new PermitRoom();
  const never = new Promise<undefined>(() => undefined);
  const cycle = runBindCycle({
    plugins: setOf([noting('a', said, { permit: () => never }), binder(said)]),
    demand: demandOf(makePod('p')),
    node: 'n',
    extenders: [],
    room,
    aside: (waiting) => waiting,
    context: {},
    log: silentLogger,
  });
  assert.equal(room.reject('pod-other', NO), false);
  assert.equal(room.reject('pod-p', NO), true);
  await assert.rejects(cycle, { code: 'held-back' });
  assert.deepEqual(said, ['a reserve', 'a unreserve']);
});
