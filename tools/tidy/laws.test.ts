/** Every law with code that breaks it and code that keeps it: a check that cannot fail is no check. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { counted, findings, judged, shrunk } from './laws.ts';
import { neutralProject } from './projects.ts';
import { checkSizes } from './sizes.ts';
import type { Ratchet } from './sizes.ts';
import { parseSource } from './tree.ts';
import type { Exception, House, Layers, Manifest } from './tree.ts';

const MAY = ['base', 'machinery', 'api', 'client', 'runtime', 'reconcile'];
const LAYERS: Layers = {
  rooms: {
    'packages/base': { may: [], node: ['src/node'] },
    'packages/store': { may: ['base'], node: ['src/sqlite'] },
    'packages/runtime': { may: ['base'], node: ['src/cri'] },
    'packages/client': { may: ['base'], node: ['src/node'] },
    'packages/controllers': { may: MAY, node: [], separateFolders: true },
    'packages/scheduler': { may: MAY, node: [], order: ['queue', 'plan', 'framework'] },
    'packages/kubelet': { may: MAY, node: ['src/node'] },
    'packages/cluster': { may: MAY, node: [] },
    'packages/ingress': { may: MAY, node: [] },
    'packages/local-path': { may: MAY, node: [] },
    'apps/binnacle': { may: ['*'], node: ['src'], ambient: true },
  },
  exceptions: [],
};

function manifests(): Map<string, Manifest> {
  const dependencies = Object.fromEntries(
    Object.keys(LAYERS.rooms).map((room) => [`@binnacle/${room.split('/')[1]}`, '1.0.0']),
  );
  const exports = {
    '.': './src/index.ts',
    './node': './src/node/index.ts',
    './cri': './src/cri.ts',
    './testing': './src/testing.ts',
  };
  const rooms = Object.keys(LAYERS.rooms).map((room): [string, Manifest] => [
    room,
    { name: `@binnacle/${room.split('/')[1]}`, exports, dependencies, devDependencies: { 'fast-check': '1.0.0' } },
  ]);
  return new Map([...rooms, ['tools', { name: 'house' }]]);
}

function houseOf(files: Record<string, string>, layers: Partial<Layers> = {}): House {
  return {
    root: '/nowhere',
    layers: { ...LAYERS, ...layers },
    manifests: manifests(),
    files: Object.entries(files).map(([path, text]) => parseSource(path, text)),
  };
}

function messagesOf(law: string, path: string, text: string): string[] {
  return findings(houseOf({ [path]: text }), [law]).map((f) => f.message);
}

interface Row {
  name: string;
  path?: string;
  code: string;
}

/** Each row of `bad` is refused with a message that says what to do; each row of `good` passes. */
function lawful(law: string, path: string, rows: { says: RegExp; bad: Row[]; good: Row[] }): void {
  describe(law, () => {
    for (const row of rows.bad) {
      test(`refused: ${row.name}`, () => {
        const said = messagesOf(law, row.path ?? path, row.code);
        assert.ok(said.length > 0, 'nothing was found');
        assert.match(said[0] as string, rows.says);
      });
    }
    for (const row of rows.good) {
      test(`allowed: ${row.name}`, () => assert.deepEqual(messagesOf(law, row.path ?? path, row.code), []));
    }
  });
}

const row = (code: string): Row => ({ name: code.replace(/\s+/g, ' ').slice(0, 70), code });

lawful('polls', 'packages/kubelet/src/a.ts', {
  says: /^a loop that sleeps/,
  bad: [
    row('while (!done()) await sleep(clock, 100);'),
    row('for (;;) { look(); await clock.sleep(5); }'),
    row('for (const one of all) { await pause(5); }'),
    row('// Why not.\n\nwhile (!done())\n  await sleep(clock, 100);'),
  ],
  good: [
    row('// Nobody tells when it is there.\nwhile (!done()) await sleep(clock, 100);'),
    row('for (;;) { try { return await ask(); } catch (error) { log(error); } await sleep(clock, 100); }'),
    row('await sleep(clock, 100);'),
    row('for (const one of all) { later(async () => { await sleep(clock, 5); }); }'),
    { name: 'a test', path: 'packages/kubelet/src/a.test.ts', code: 'while (!done()) await sleep(clock, 100);' },
  ],
});

lawful('born-old', 'packages/store/src/a.ts', {
  says: /^a function that is born old/,
  bad: [
    row('this.wake = () => this.look();'),
    row('this.#wake ??= () => this.#look();'),
    row('tag.onDispatch = (function () { return look(); });'),
    row('const one = (all[0] = async () => look());'),
    { name: 'another room of theirs', path: 'packages/base/src/a.ts', code: 'this.done = () => undefined;' },
  ],
  good: [
    row('const wake = () => this.look(); this.wake = wake;'),
    row('wake = () => look();'),
    row('take({ wake: () => look() });'),
    row('this.wake = wanted ? () => look() : undefined;'),
    { name: 'another room', path: 'packages/kubelet/src/a.ts', code: 'this.done = () => undefined;' },
    { name: 'a test', path: 'packages/store/src/a.test.ts', code: 'this.done = () => undefined;' },
  ],
});

lawful('hooks', 'packages/kubelet/src/a.test.ts', {
  says: /outside of describe is for the tests of all files/,
  bad: [row('beforeEach(() => open());'), row('afterEach(async () => { await close(); });')],
  good: [
    row("describe('a', () => { beforeEach(() => open()); test('b', () => {}); });"),
    row('before(() => open());'),
    row("test('a', (t) => t.after(() => close()));"),
    {
      name: 'a file with a process of its own',
      path: 'packages/kubelet/src/a.ring.test.ts',
      code: 'beforeEach(open);',
    },
  ],
});

lawful('chance', 'packages/store/src/a.test.ts', {
  says: /seed/,
  bad: [
    row('fc.assert(fc.property(text, holds));'),
    row('await fc.assert(fc.asyncProperty(steps, run), { numRuns: 25 });'),
    row('for (const one of fc.sample(PARTS, 40)) use(one);'),
    row('const seed = Date.now() % 1000;'),
    row("const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 31));"),
    { name: 'what tests share', path: 'packages/store/src/contract.ts', code: 'const seed = randomInt(9);' },
  ],
  good: [
    row('fc.assert(fc.property(text, holds), { seed: 36, numRuns: 1000 });'),
    row('const seed = 36; const name = randomInt(9);'),
    { name: 'a soak test', path: 'packages/store/src/a.soak.test.ts', code: 'const seed = Date.now();' },
  ],
});

lawful('ambient', 'packages/scheduler/src/queue/a.ts', {
  says: /^(ambient .* in neutral code: take|ambient .*: the name itself|import|.*: locale and time zone belong)/,
  bad: [
    row('setTimeout(work, 5);'),
    row('globalThis.setTimeout(work, 5);'),
    row("globalThis['crypto'].randomUUID();"),
    row('const { now } = Date; now();'),
    row('const { random } = Math; random();'),
    row('const stamp = Date();'),
    row('const stamp = Date.now();'),
    row("const stamp = Date['now']();"),
    row("const which = 'now'; Date[which]();"),
    row('const stamp = new Date();'),
    row('const stamp = new Date(...parts);'),
    row('const D = Date; export const stamp = new D();'),
    row('take(Date);'),
    row('Math.random();'),
    row("Math['random']();"),
    row('new Intl.DateTimeFormat().format();'),
    row("new Intl.DateTimeFormat('en', { hour: 'numeric' }).format(0);"),
    row('new Intl.DateTimeFormat(locale, { timeZone }).format(0);'),
    row('stamp.toLocaleString();'),
    row("await fetch('http://x');"),
    row("new WebSocket('ws://x');"),
    row('process.env.HOME;'),
    row('globalThis.process.env;'),
    row('performance.now();'),
    row('AbortSignal.timeout(5);'),
    row('const { timeout } = AbortSignal; timeout(5);'),
    row('crypto.getRandomValues(bytes);'),
    row('setImmediate(work);'),
    row('const options = { setTimeout };'),
    row('self.fetch;'),
    row('Buffer.from(text);'),
    row('console.log(text);'),
    row("eval('1');"),
    row('await import(name);'),
    row('import.meta.url;'),
    row('function later(setTimeout: Function) { setTimeout(); } setInterval(later, 5);'),
    row('export const name = (fetch2 = fetch) => fetch2;'),
    row('a.localeCompare(b);'),
    row('new Date(ms).getHours();'),
    row('text.toLocaleLowerCase();'),
  ],
  good: [
    row('clock.setTimeout(work, 5);'),
    row('function wait(setTimeout: (n: number) => void) { setTimeout(5); }'),
    row('const stamp = new Date(ms); stamp instanceof Date; Date.parse(text); Date.UTC(2026, 1);'),
    row('Math.max(1, 2);'),
    row('AbortSignal.any([a, b]);'),
    row('new Date(ms).getUTCHours();'),
    row('interface World { fetch: typeof fetch; process: string }'),
    row('const world = { process: 1, fetch() { return 2; } }; world.process;'),
    row("import { crypto } from './ports.ts'; crypto.sign();"),
    { name: 'in an adapter', path: 'packages/kubelet/src/node/clock.ts', code: 'setTimeout(work, Date.now());' },
    { name: 'in a test', path: 'packages/scheduler/src/a.test.ts', code: 'setTimeout(work, Date.now());' },
  ],
});

lawful('imports', 'packages/scheduler/src/queue/a.ts', {
  says: /may not import|is an adapter: neutral code takes a port|outside an adapter folder|not a door|is for tests: move|has for tests alone|does not declare|reaches out of its room/,
  bad: [
    row("import { realClock } from '@binnacle/base/node';"),
    row("import { rename } from 'node:fs';"),
    row("import { open } from '@binnacle/store';"),
    {
      name: 'its own adapters',
      path: 'packages/kubelet/src/pod/a.ts',
      code: "import { files } from '../node/files.ts';",
    },
    row("import { scene } from '../testing/scene.ts';"),
    row("import { world } from '../test-world.ts';"),
    row("import { faulty } from '@binnacle/client/testing';"),
    row("import fc from 'fast-check';"),
    row("import { x } from 'left-pad';"),
    row("import { x } from '../../../api/src/x.ts';"),
    {
      name: 'a folder of another',
      path: 'packages/controllers/src/job/a.ts',
      code: "import { x } from '../deployment/b.ts';",
    },
  ],
  good: [
    {
      name: 'what tests share',
      path: 'packages/scheduler/src/a.test.ts',
      code: "import { s } from './testing/scene.ts';",
    },
    { name: 'what tests need', path: 'packages/scheduler/src/a.test.ts', code: "import fc from 'fast-check';" },
    row("import type { Scene } from '../testing/scene.ts';"),
    row("import { Scope } from '@binnacle/base';"),
    row("import type { Session } from '@binnacle/client/node';"),
    {
      name: 'an adapter',
      path: 'packages/kubelet/src/node/a.ts',
      code: "import { clock } from '@binnacle/base/node';",
    },
    { name: 'the command', path: 'apps/binnacle/src/main.ts', code: "import { clock } from '@binnacle/base/node';" },
  ],
});

lawful('absence', 'packages/scheduler/src/plan/a.ts', {
  says: /does no I\/O: |no runtime driver: take|knows no kinds: .*(handed in|API server's)|outside apps\/: take it as an option|only through the API: /,
  bad: [
    row("import { createClient } from '@binnacle/client';"),
    row("import type { Client } from '@binnacle/client';"),
    row('export async function decide() {}'),
    row('export const decide = (lister) => lister.list().then(pick);'),
    row('export const decide = () => new Promise((resolve) => resolve(1));'),
    {
      name: 'a driver in the kubelet',
      path: 'packages/kubelet/src/pod/a.ts',
      code: "import { connect } from '@binnacle/runtime/cri';",
    },
    { name: 'a kind in the store', path: 'packages/store/src/a.ts', code: "const kind = 'Pod';" },
    { name: 'a type of a kind in the store', path: 'packages/store/src/a.ts', code: 'export const ConfigMaps = 1;' },
    { name: 'a place in the store', path: 'packages/store/src/a.ts', code: "const key = '/registry/pods/' + name;" },
    { name: 'a common word that is a kind', path: 'packages/store/src/a.ts', code: "const kind = 'Node';" },
    { name: 'a resource in the store', path: 'packages/store/src/a.ts', code: "const resource = 'pods';" },
    { name: 'the root of places', path: 'packages/store/src/a.ts', code: "const root = '/registry';" },
    { name: 'a place in a template', path: 'packages/store/src/a.ts', code: 'const key = `/registry/events/${name}`;' },
    { name: 'environment', path: 'packages/runtime/src/cri/a.ts', code: 'process.env.HOME;' },
    { name: 'environment, by key', path: 'packages/runtime/src/cri/a.ts', code: "process['env']['HOME'];" },
    { name: 'environment, through the global', path: 'packages/runtime/src/cri/a.ts', code: 'globalThis.process.env;' },
    { name: 'environment, taken apart', path: 'packages/runtime/src/cri/a.ts', code: 'const { env } = process;' },
    {
      name: 'environment, imported',
      path: 'packages/runtime/src/cri/a.ts',
      code: "import { env } from 'node:process';",
    },
    ...[
      "import proc from 'node:process'; proc.env.HOME;",
      "import * as proc from 'node:process'; proc.argv;",
      'const proc = process; proc.env.HOME;',
      'function home({ env } = process) { return env.HOME; }',
    ].map((code) => ({ ...row(code), path: 'packages/runtime/src/cri/a.ts' })),
    { name: 'arguments', path: 'packages/runtime/src/cri/a.ts', code: 'process.argv[2];' },
    {
      name: 'the server in a component',
      path: 'packages/controllers/src/a.ts',
      code: "import { serve } from '@binnacle/apiserver';",
    },
  ],
  good: [
    row("import { podRequests } from '@binnacle/api';"),
    {
      name: 'the port of the runtime',
      path: 'packages/kubelet/src/a.ts',
      code: "import type { Runtime } from '@binnacle/runtime';",
    },
    row('interface Extender { filter(): Promise<string[]> }'),
    { name: 'a node of a tree in the store', path: 'packages/store/src/a.ts', code: 'class Node {}' },
    { name: 'the command reads flags', path: 'apps/binnacle/src/main.ts', code: 'process.env.HOME; process.argv;' },
    { name: 'the process id', path: 'packages/runtime/src/cri/a.ts', code: 'process.pid;' },
  ],
});

lawful('errors', 'packages/kubelet/src/pod/a.ts', {
  says: /^bare \w+: (take (one|an error) of the room's catalogue|a class of errors extends)/,
  bad: [
    row("throw new Error('x');"),
    row("throw new TypeError('x');"),
    row("throw new RangeError('x');"),
    row("throw Error('x');"),
    row("reject(new Error('x'));"),
    row("throw new DOMException('x');"),
    row("throw 'x';"),
    row('throw `no ${name}`;'),
    row('class GoneError extends Error {}'),
  ],
  good: [row("throw new PodGoneError('x');"), row('if (error instanceof TypeError) throw error;')],
});

lawful('swallowed', 'packages/kubelet/src/pod/a.ts', {
  says: /^swallowed error: handle it, pass it on, or say in a comment/,
  bad: [
    row('await work().catch(() => undefined);'),
    row('await work().catch(() => {});'),
    row('await work().catch(() => null);'),
    row('await work().catch(() => { return; });'),
    row('await work().then(done, () => undefined);'),
    row('await work().catch(noop);'),
    row('try { work(); } catch {}'),
    row('try { work(); } catch (error) {}'),
  ],
  good: [
    row('await work().catch((error: unknown) => log.error(error));'),
    row('// The file may be gone already: that is what was wanted.\nawait work().catch(() => undefined);'),
    row('try { work(); } catch {\n  // Nobody waits for it any more.\n}'),
    row('await work().then(() => undefined);'),
  ],
});

lawful('floating', 'packages/kubelet/src/pod/a.ts', {
  says: /^floating promise: add .catch .* or a comment "Never rejects/,
  bad: [
    row('void work();'),
    row('void this.work?.();'),
    row('void work().then(done);'),
    row('void work().finally(done);'),
    row('later(() => void work());'),
    row('// Starts it.\nvoid work();'),
  ],
  good: [
    row('void work().catch(log.error);'),
    row('void work().then(done, failed);'),
    row('void work().catch(failed).finally(done);'),
    row('// Never rejects: what goes wrong is told by its state.\nvoid work();'),
    row('const nothing = void 0;'),
    row('const write = (line) => void stream.write(line);'),
  ],
});

lawful('module-state', 'packages/kubelet/src/pod/a.ts', {
  says: /^mutable state (at module level|in a static field): give it|grows at module level without a bound: give it an owner/,
  bad: [
    row('let last = 0;'),
    row('export let last = 0;'),
    row('const seen = new Map(); export function see(key) { seen.set(key, 1); }'),
    row('const seen = new Set(); export const see = (key) => seen.add(key);'),
    row('const seen = []; class A { see(key) { seen.push(key); } }'),
    row('const seen = {}; function see(key) { seen[key] = 1; }'),
    row('const seen = Object.create(null); function see(key) { seen[key] = 1; }'),
    row('const seen = new Map() as Seen; const see = (key) => seen.set(key, 1);'),
    row('const state = { seen: new Map() }; const see = (key) => state.seen.set(key, 1);'),
    row('const state = { count: 0 }; const see = () => state.count++;'),
    row('class A { static #seen = new Map(); }'),
    row('class A { static last = 0; }'),
    row('class A { static readonly seen = new Set(); }'),
  ],
  good: [
    row("const WORDS = new Map([['a', 1]]); export const word = (key) => WORDS.get(key);"),
    row('const table = new Map(); for (const one of ALL) table.set(one.name, one);'),
    row('const meta = new WeakMap(); function see(object) { meta.set(object, 1); }'),
    row('// Bounded: one entry a kind of the table.\nconst seen = new Map(); function see(key) { seen.set(key, 1); }'),
    row('function see() { const seen = new Map(); seen.set(1, 2); }'),
    row("class A { static readonly kind = 'A'; static of() { return new A(); } #seen = new Map(); }"),
    { name: 'the command', path: 'apps/binnacle/src/main.ts', code: 'let stopping = false;' },
  ],
});
// A folder called `node` is no licence: only the law's adapters are, and state has no place in those either.
test('module-state: a controller called node is looked at', () => {
  assert.equal(messagesOf('module-state', 'packages/controllers/src/node/a.ts', 'let last = 0;').length, 1);
});

lawful('cause', 'packages/controllers/src/a/b.ts', {
  says: /without its cause: hand the call context on as argument \d/,
  bad: [
    row('await client.resource(PODS, ns).create(draft);'),
    row('await client.resource(PODS, ns).create(draft, undefined, { signal });'),
    row("const pods = client.resource(PODS); await pods.patch(name, 'merge', body, {});"),
    row(
      'class A { #pods; start() { this.#pods = client.resource(PODS); } go() { return this.#pods.delete(name, {}); } }',
    ),
    row('async function make(pods: ResourceClient<Pod>) { await pods.create(draft); }'),
    row('class A { #pods: ResourceClient<Pod>; go() { return this.#pods.delete(name, {}); } }'),
    row('interface Writer { client: ResourceClient<Pod> } const go = (writer: Writer) => writer.client.update(pod);'),
    row('class A { #for(): ResourceClient<Pod> {} go() { return this.#for().update(pod); } }'),
    ...['ingress', 'local-path', 'cluster'].map((room) => ({
      name: `in ${room}`,
      path: `packages/${room}/src/a.ts`,
      code: 'await client.resource(PODS).create(draft);',
    })),
    row("await client?.dynamic(KINDS).subresource('update', name, 'status', body);"),
  ],
  good: [
    row('await client.resource(PODS, ns).create(draft, undefined, context);'),
    row('await client.resource(PODS, ns).create(draft, undefined, { signal, cause });'),
    row('await client.resource(PODS, ns).create(draft, undefined, { ...context, signal });'),
    row('const pods = client.resource(PODS); await pods.get(name);'),
    row('seen.delete(key);'),
    {
      name: 'a room that is not a component',
      path: 'packages/client/src/a.ts',
      code: 'client.resource(PODS).create(draft);',
    },
  ],
});

lawful('order', 'packages/scheduler/src/plan/a.ts', {
  says: /^back arrow \w+ → [\w-]+ \(order in layers.json\): move what both need down|has no place for its folder/,
  bad: [
    row("import { Queue } from '../queue/queue.ts';"),
    row("import type { Queue } from '../queue/queue.ts';"),
    row("import { start } from '../scheduler.ts';"),
    {
      name: 'from the ground',
      path: 'packages/scheduler/src/framework.ts',
      code: "import { decide } from './plan/decide.ts';",
    },
    { name: 'a folder without a place', path: 'packages/scheduler/src/novel/a.ts', code: 'export const a = 1;' },
  ],
  good: [
    row("import { Plugin } from '../framework.ts';"),
    row("import { Scratch } from './scratch.ts';"),
    {
      name: 'a test',
      path: 'packages/scheduler/src/plan/a.test.ts',
      code: "import { Queue } from '../queue/queue.ts';",
    },
    {
      name: 'wiring at the top',
      path: 'packages/scheduler/src/scheduler.ts',
      code: "import { Queue } from './queue/queue.ts';",
    },
  ],
});

describe('exceptions of layers.json', () => {
  const file = { 'packages/scheduler/src/queue/a.ts': "import { open } from '@binnacle/store';" };
  const said = (exception: Exception): string[] =>
    findings(houseOf(file, { exceptions: [exception] }), ['imports']).map((f) => f.message);
  const exception = {
    from: 'packages/scheduler/src/queue',
    to: 'store',
    why: 'until the port is there',
    until: '9999-12-31',
  };

  test('one that holds excuses the import', () => assert.deepEqual(said(exception), []));
  test('one that is over is a finding', () =>
    assert.match(said({ ...exception, until: '2020-01-01' })[0] ?? '', /was allowed until 2020-01-01: mend/));
  test('one without a day or a reason is a finding', () => {
    assert.match(said({ ...exception, until: 'soon' })[0] ?? '', /says no day/);
    assert.match(said({ ...exception, why: ' ' })[0] ?? '', /says no "why"/);
  });
  test('one that nothing needs is a finding, and excuses nobody else', () => {
    const all = said({ ...exception, from: 'packages/scheduler/src/plan' });
    assert.equal(all.length, 2);
    assert.match(all.join('\n'), /needed by nothing/);
    assert.match(all.join('\n'), /may not import store/);
  });
});

describe('rooms that tests may import', () => {
  const edge = "import { open } from '@binnacle/store';";
  const said = (path: string): string[] =>
    findings(houseOf({ [path]: edge }, { inTests: ['store'] }), ['imports']).map((f) => f.message);

  for (const path of ['queue/a.test.ts', 'testing/scene.ts', 'test-world.ts']) {
    test(`${path} may`, () => assert.deepEqual(said(`packages/scheduler/src/${path}`), []));
  }
  test('the product may not', () =>
    assert.match(said('packages/scheduler/src/queue/a.ts')[0] ?? '', /may not import store/));
});

describe('what is tolerated of old', () => {
  const found = [1, 2].map((line) => ({
    law: 'errors',
    file: 'packages/kubelet/src/a.ts',
    line,
    message: 'bare Error',
  }));

  test('as many as are tolerated pass', () => assert.deepEqual(judged(found, { 'errors packages/kubelet': 2 }), []));
  test('one more shows all of them, of this room alone', () => {
    assert.equal(judged(found, { 'errors packages/kubelet': 1 }).length, 2);
    assert.equal(judged(found, { 'errors packages/store': 9 }).filter((m) => m.includes('bare Error')).length, 2);
  });
  test('fewer ask to lower the number, which never rises', () => {
    assert.match(judged(found, { 'errors packages/kubelet': 3 })[0] ?? '', /is 3, there are 2: run/);
    assert.deepEqual(shrunk(found, { 'errors packages/kubelet': 3, 'errors packages/store': 1 }), counted(found));
    assert.deepEqual(shrunk(found, { 'errors packages/kubelet': 1 }), { 'errors packages/kubelet': 1 });
  });
});

test('the project of neutral code leaves out what the law calls adapters, and nothing that it does not know', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidy-'));
  try {
    const house = { ...houseOf({}), root };
    assert.equal(findings(house, ['projects']).length, 1, 'no file');
    writeFileSync(join(root, 'tsconfig.neutral.json'), JSON.stringify(neutralProject(LAYERS)));
    assert.deepEqual(findings(house, ['projects']), []);
    const wider = { ...LAYERS.rooms, 'packages/new': { may: [], node: ['src/node'] } };
    assert.match(
      findings({ ...house, layers: { ...LAYERS, rooms: wider } }, ['projects'])[0]?.message ?? '',
      /--projects/,
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('imports: a ring of files is a finding that names it', () => {
  const files = {
    'packages/store/src/a.ts': "import { b } from './b.ts';",
    'packages/store/src/b.ts': "import type { A } from './a.ts';",
  };
  const said = findings(houseOf(files), ['imports']).map((f) => f.message);
  assert.deepEqual(said, ['import cycle: packages/store/src/a.ts → packages/store/src/b.ts → packages/store/src/a.ts']);
});

test('imports: a room that layers.json does not name is a finding', () => {
  const said = findings(houseOf({ 'packages/novel/src/a.ts': 'export const a = 1;' }), ['imports']);
  assert.match(said[0]?.message ?? '', /packages\/novel has no row/);
});

describe('tables', () => {
  const AT = 'packages/scheduler/src/plan/a.ts';
  const BODY = '{ if (n > 9) return 9; return n > 5 || n < 0 ? 5 : n; }';
  const DECIDER = `export function choose(n: number): number ${BODY}`;
  const said = (code: string, files: Record<string, string> = {}): string[] =>
    findings(houseOf({ [AT]: code, ...files }), ['tables']).map((f) => f.message);
  const TEST = 'packages/scheduler/src/plan/a.test.ts';
  const THROUGH = {
    'packages/scheduler/src/plan/b.ts': "import { choose } from './a.ts';\nexport const b = () => choose(1);",
    'packages/scheduler/src/plan/b.test.ts': "import { b } from './b.ts';",
  };
  const bad: readonly [name: string, code: string, files?: Record<string, string>][] = [
    ['nobody asks', DECIDER],
    ['an arrow', `export const choose = (n: number): number => ${BODY};`],
    ['shown at the end of the file', `function choose(n: number): number ${BODY}\nexport { choose };`],
    [
      'a switch',
      "export function f(s: string): number { switch (s) { case 'a': case 'b': return 1; case 'c': return 2; } }",
    ],
    [
      'branches handed to filter',
      'export const some = (all: T[]): T[] => all.filter((x) => x.a ? x.b && x.c : x.d ?? x.e);',
    ],
    ['reached through another file alone', DECIDER, THROUGH],
    ['a test that takes another name', DECIDER, { [TEST]: "import { other } from './a.ts';" }],
    ['a test that takes its type alone', DECIDER, { [TEST]: "import type { choose } from './a.ts';" }],
    ['a test that names another file', DECIDER, { [TEST]: "import { choose } from './b.ts';" }],
    ['a test of another room', DECIDER, { 'packages/kubelet/src/a.test.ts': "import { choose } from './a.ts';" }],
    ['a namespace that is asked for something else', DECIDER, { [TEST]: "import * as a from './a.ts'; a.other();" }],
    [
      'what makes a value',
      'export const f = (n: number): Map<string, number> => { if (n) return new Map(); return n || n ? A : B; };',
    ],
  ];
  for (const [name, code, files] of bad)
    test(`refused: ${name}`, () => {
      assert.match(
        said(code, files).join(),
        /^\w+ decides \(\d+ branches\) and no test of its room imports it: give it a/,
      );
    });
  const good: readonly [name: string, code: string, files?: Record<string, string>][] = [
    ['a test beside takes it', DECIDER, { [TEST]: "import { choose } from './a.ts';" }],
    [
      'a test of the room takes it',
      DECIDER,
      { 'packages/scheduler/src/x.test.ts': "import { choose } from './plan/a.ts';" },
    ],
    ['under another name', DECIDER, { [TEST]: "import { choose as c } from './a.ts';" }],
    ['out of a namespace', DECIDER, { [TEST]: "import * as a from './a.ts'; a.choose(1);" }],
    [
      'through the door, renamed on the way',
      DECIDER,
      {
        'packages/scheduler/src/index.ts': "export { pick } from './on.ts';",
        'packages/scheduler/src/on.ts': "export { choose as pick } from './plan/a.ts';",
        [TEST]: "import { pick } from '@binnacle/scheduler';",
      },
    ],
    ['what stays in its file', `function choose(n: number): number ${BODY}`],
    ['a default and a guard', 'export function f(n?: number): number { if (n === 0) return 1; return n ?? 2; }'],
    ['what waits', `export async function f(n: number): Promise<number> ${BODY}`],
    ['what is handed a client', `export function f(n: number, client: Client): number ${BODY}`],
    ['what answers nothing', `export function f(n: number): void ${BODY}`],
    [
      'what makes a part',
      'export const f = (n: number): Part => { if (n) return A; return n || n ? new Part() : B; };',
    ],
    [
      'what answers with methods',
      `export function f(n: number): Part { if (n || n) n = 1; return { run: () => (n ? 1 : 2) }; }`,
    ],
    [
      'what a plugin of a closure is',
      'export const f = (n: number) => () => { if (n) return 1; return n || n ? 2 : 3; };',
    ],
  ];
  for (const [name, code, files] of good) test(`allowed: ${name}`, () => assert.deepEqual(said(code, files), []));
  test('an adapter that takes nothing of the machine is logic, one that opens files is not', () => {
    const at = (code: string): number =>
      findings(houseOf({ 'packages/store/src/sqlite/a.ts': code }), ['tables']).length;
    assert.equal(at(DECIDER), 1);
    assert.equal(at(`import { join } from 'node:path';\n${DECIDER}`), 1);
    assert.equal(at(`import { readFileSync } from 'node:fs';\n${DECIDER}`), 0);
  });
});

describe('sizes', () => {
  const said = (text: string, ratchet: Ratchet = {}, path = 'packages/store/src/a.ts'): string[] => {
    const found: string[] = [];
    checkSizes(houseOf({ [path]: text }), ratchet, (_file, _line, message) => found.push(message));
    return found;
  };
  const long = `function work() {\n${'  step();\n'.repeat(69)}}\n`;
  const imports = Array.from({ length: 16 }, (_, n) => `import { a${n} } from './a${n}.ts';`).join('\n');
  const rows: readonly [name: string, text: string, said: string[]][] = [
    ['a file of 801 lines', 'go();\n'.repeat(801), ['801 lines']],
    ['a function of 71 lines', long, ['work has 71 lines']],
    ['four parameters', 'const f = (a, b, c, d) => a;', ['f has 4 parameters']],
    ['sixteen imports', imports, ['16 imports']],
    ['as large as may be', 'go();\n'.repeat(800), []],
  ];
  for (const [name, text, wanted] of rows) test(name, () => assert.deepEqual(said(text), wanted));
  test('what was larger before may only shrink', () => {
    const key = 'function:packages/store/src/a.ts:work';
    assert.deepEqual(said(long, { [key]: 71 }), []);
    assert.deepEqual(said(long, { [key]: 70 }), ['work has 71 lines (was 70: may only shrink)']);
  });
});

describe('doors', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidy-'));
  after(() => rmSync(root, { recursive: true }));
  const readme = '## Purpose\n## Door\n## State\n## Ports\n## Laws\n';
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  beforeEach(() => {
    write('packages/store/README.md', readme);
    write('ARCHITECTURE.md', 'packages/store');
    write('tools/tidy/untested.json', '{}');
  });
  const said = (files: Record<string, string> = {}, versions: Record<string, string> = {}): string[] => {
    const rooms = { 'packages/store': { may: [], node: [] } };
    const house = houseOf({ 'packages/store/src/index.ts': '', ...files }, { rooms });
    const manifest = { name: '@binnacle/store', exports: { '.': './src/index.ts' }, dependencies: versions };
    const manifests = new Map<string, Manifest>([['packages/store', manifest]]);
    return findings({ ...house, root, manifests }, ['doors']).map((f) => f.message);
  };
  const LOGIC = `${'// line\n'.repeat(61)}export function work() {}\n`;

  test('a room that is well', () => assert.deepEqual(said(), []));
  test('no README, a README without a heading, a map without the room', () => {
    write('packages/store/README.md', readme.replace('## Laws\n', ''));
    write('ARCHITECTURE.md', 'packages/base');
    assert.deepEqual(said().toSorted(), ['does not name packages/store', 'lacks the heading "## Laws"']);
    rmSync(join(root, 'packages/store/README.md'));
    assert.match(said().join(), /missing: every room has one screen/);
  });
  for (const [name, door, home] of [
    ['shown from its home', "export { open } from './open.ts';", 'export function open() {}'],
    ['through another file', "export { open } from './on.ts';", 'export function open() {}'],
    ['declared in the door', 'export function open() {}', ''],
    ['a type', "export type { open } from './open.ts';", 'export interface open {}'],
  ] as const) {
    const files = (comment: string): Record<string, string> => ({
      'packages/store/src/index.ts': `${home === '' ? comment : ''}${door}`,
      'packages/store/src/on.ts': "export { open } from './open.ts';",
      'packages/store/src/open.ts': `${comment}${home}`,
    });
    test(`an export without a doc line: ${name}`, () => {
      assert.deepEqual(said(files('')), ['open leaves by the front door without a doc line']);
      assert.deepEqual(said(files('/** Opens. */\n')), []);
    });
  }
  test('a door that shows all it finds', () => {
    assert.match(
      said({ 'packages/store/src/index.ts': "export * from './open.ts';" }).join(),
      /a door names what it shows/,
    );
  });
  for (const [name, path, text, says] of [
    ['a name that says nothing', 'packages/store/src/utils.ts', '', /a name that says nothing/],
    ['a barrel', 'packages/store/src/mvcc/index.ts', '', /a folder barrel: import the file itself/],
    ['something to do without a number', 'packages/store/src/a.ts', '// TODO later', /TODO without an issue number/],
    ['a suppression without a reason', 'packages/store/src/a.ts', '// @ts-ignore', /gives its reason after --/],
    ['logic without a test', 'packages/store/src/a.ts', LOGIC, /no test beside it reaches it: write one/],
  ] as const) {
    test(name, () => assert.match(said({ [path]: text }).join(), says));
  }
  test('logic that a test beside it reaches, through whatever', () => {
    const files = {
      'packages/store/src/a.ts': LOGIC,
      'packages/store/src/b.ts': "export { work } from './a.ts';",
      'packages/store/src/b.test.ts': "import { work } from './b.ts';",
    };
    assert.deepEqual(said(files), []);
  });
  test('excuses: true ones, each with a reason of its own, and few', () => {
    const excuse = (reasons: object): string => {
      write('tools/tidy/untested.json', JSON.stringify(reasons));
      return said({ 'packages/store/src/a.ts': LOGIC, 'packages/store/src/b.ts': LOGIC }).join('\n');
    };
    const [one, other] = ['packages/store/src/a.ts', 'packages/store/src/b.ts'];
    assert.equal(
      excuse({ [one]: 'a table of names, tested by its users', [other]: 'the program that a test kills' }),
      '',
    );
    assert.match(excuse({ [one]: 'a table of names', [other]: 'because' }), /"a table of names" is no reason/);
    assert.match(
      excuse({ [one]: 'a table of names only', [other]: 'a table of names only' }),
      /give its own, or a test/,
    );
    assert.match(excuse({ 'packages/store/src/gone.ts': 'it was here once upon a time' }), /gone or tested/);
    const many = Array.from({ length: 21 }, (_, n) => [`x${n}`, `it was here ${n} times`]);
    assert.match(excuse(Object.fromEntries(many)), /21 files without a test, 20 at the most/);
  });
  test('a version that is not exact', () => {
    assert.deepEqual(said({}, { ws: '^8.0.0' }), ['ws: version is not exact']);
  });
});
