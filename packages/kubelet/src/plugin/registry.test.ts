import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scope, silentLogger, VirtualClock } from '@binnacle/base';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { pass } from '../testing/node.ts';
import { lonelyWire } from '../testing/plugins.ts';
import { PluginRefusal } from './plugin-error.ts';
import { PluginRegistry } from './registry.ts';
import type { PluginHandler, PluginInfo } from './registry.ts';
import type { PluginWire } from '../ports.ts';

const DIRECTORY = '/k/plugins_registry';
const INFO = { type: 'CSIPlugin', name: 'd', endpoint: 'unix:///run/d.sock', supported_versions: ['1'] };

interface Bench {
  readonly clock: VirtualClock;
  readonly said: string[];
  readonly scope: Scope;
  /** What plugins answer, by socket. */
  readonly plugins: Map<string, object>;
  readonly put: (name: string, info: object | undefined) => Promise<void>;
  readonly drop: (name: string) => Promise<void>;
}

async function bench(refuse: (plugin: PluginInfo) => string | undefined = () => undefined): Promise<Bench> {
  const clock = new VirtualClock();
  const scope = new Scope('test');
  const said: string[] = [];
  const plugins = new Map<string, object>();
  const memory = createMemoryFiles();
  const identities = new Map<string, number>();
  const files = Object.assign(Object.create(memory) as typeof memory, {
    kind: async (path: string) => (path.endsWith('.txt') ? 'file' : 'socket'),
    identity: async (path: string) => String(identities.get(path)),
    list: (path: string) => memory.list(path),
    makeDirectory: (path: string) => memory.makeDirectory(path),
    watch: (path: string, changed: () => void) => memory.watch(path, changed),
  });
  const wire: PluginWire = {
    ...lonelyWire,
    async call(socket, { method }, request) {
      const info = plugins.get(socket);
      if (info === undefined) throw new PluginRefusal('nobody there');
      if (method !== 'GetInfo') said.push(`tell ${JSON.stringify(request)}`);
      return info;
    },
  };
  const handler: PluginHandler = {
    validate(plugin) {
      const why = refuse(plugin);
      if (why !== undefined) throw new PluginRefusal(why);
    },
    register: async ({ name, endpoint }) => void said.push(`+ ${name} ${endpoint}`),
    deregister: async ({ name }) => void said.push(`- ${name}`),
  };
  const handlers = new Map([['CSIPlugin', handler]]);
  await new PluginRegistry({ directory: DIRECTORY, files, wire, handlers, clock, log: silentLogger, scope }).start();
  let serial = 0;
  return {
    clock,
    said,
    scope,
    plugins,
    put: async (name, info) => {
      const path = `${DIRECTORY}/${name}`;
      if (info !== undefined) plugins.set(path, { ...INFO, ...info });
      identities.set(path, serial++);
      await memory.writeFile(path, new Uint8Array());
      await pass(clock, 1);
    },
    drop: async (name) => {
      await memory.remove(`${DIRECTORY}/${name}`);
      await pass(clock, 1);
    },
  };
}

const OK = 'tell {"plugin_registered":true,"error":""}';

test('a plugin comes, takes its own place anew, and goes', async () => {
  const { put, drop, said, scope } = await bench();
  await put('a.sock', {});
  assert.deepEqual(said.splice(0), ['+ d /run/d.sock', OK]);
  await put('a.sock', {});
  assert.deepEqual(said.splice(0), ['- d', '+ d /run/d.sock', OK]);
  await drop('a.sock');
  assert.deepEqual(said, ['- d']);
  await scope.close();
});

test('what is no socket, or hidden, is left alone; a plugin without an endpoint is where it registered', async () => {
  const { put, said, scope } = await bench();
  await put('notes.txt', {});
  await put('.hidden', {});
  await put('b.sock', { endpoint: '' });
  assert.deepEqual(said, [`+ d ${DIRECTORY}/b.sock`, OK]);
  await scope.close();
});

for (const [name, info, wanted] of [
  ['another kind', { type: 'Other' }, 'no handler registered for plugin type: Other'],
  ['one that its handler refuses', { name: 'bad' }, 'so it is'],
] as const) {
  test(`${name} is told why, and asked again later`, async () => {
    const { put, said, clock, scope } = await bench((plugin) => (plugin.name === 'bad' ? 'so it is' : undefined));
    await put('a.sock', info);
    assert.equal(said.length, 1);
    assert.match(said[0] ?? '', new RegExp(`"plugin_registered":false,"error":"RegisterPlugin error.*${wanted}`));
    await pass(clock, 600);
    assert.equal(said.length, 2);
    await scope.close();
  });
}

test('one that does not answer yet is asked again, later and later', async () => {
  const { put, plugins, said, clock, scope } = await bench();
  await put('a.sock', undefined);
  await pass(clock, 600);
  assert.deepEqual(said, []);
  plugins.set(`${DIRECTORY}/a.sock`, INFO);
  await pass(clock, 300);
  assert.deepEqual(said, [], 'the second pause is longer than the first');
  await pass(clock, 800);
  assert.deepEqual(said, ['+ d /run/d.sock', OK]);
  await scope.close();
});
