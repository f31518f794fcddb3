import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Logger } from '@binnacle/base';
import { silentLogger } from '@binnacle/base';
import { VirtualClock, makeTestFolder } from '@binnacle/base/testing';
import { CompactedError, DamagedValueError, StoreCutBackError } from '../errors.ts';
import type { EmbeddedStore } from '../mvcc/embedded-store.ts';
import { put, readText, Recorder, remove, show } from '../node/contract/harness.ts';
import { openSqliteStore } from './open.ts';
import type { SqliteStoreOptions } from './open.ts';

const ALL = { key: '', end: '\0' };
const clock = new VirtualClock();
/** Of the write-ahead log: more than its header, less than a page. */
const HALF_A_FRAME = 4000;

interface Place {
  readonly directory: string;
  readonly path: string;
}

type Test = { after: (run: () => Promise<void>) => void };

async function scratch(t: Test): Promise<Place> {
  const directory = makeTestFolder().path;
  t.after(() => rm(directory, { recursive: true }));
  return { directory, path: join(directory, 'store.db') };
}

const opened: EmbeddedStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

async function open(path: string, more: Partial<SqliteStoreOptions> = {}): Promise<EmbeddedStore> {
  const store = await openSqliteStore({ path, clock, ...more });
  opened.push(store);
  return store;
}

/** Writes so many keys in a process that is killed behind its last acknowledgement; answers with the last revision. */
async function writeAndKill(path: string, first: number, count: number): Promise<number> {
  const program = `
    import { realClock } from '${import.meta.resolve('@binnacle/base/node')}';
    import { openSqliteStore } from '${new URL('./open.ts', import.meta.url).href}';
    const store = await openSqliteStore({ path: ${JSON.stringify(path)}, clock: realClock });
    let revision = 0;
    for (let i = ${first}; i < ${first + count}; i++) {
      const success = [{ type: 'put', key: 'k' + i, value: new Uint8Array(3000) }];
      ({ revision } = await store.txn({ compare: [], success, failure: [] }));
    }
    console.log(revision);
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  await once(child, 'exit');
  return Number(line.toString());
}

/** Each makes less of a store that was killed, in a way that people and machines do. */
const CUTS: readonly { name: string; cut: (place: Place) => Promise<void>; said: RegExp }[] = [
  {
    name: 'the write-ahead log is deleted',
    cut: ({ path }) => rm(`${path}-wal`),
    said: /store\.db is at revision \d+, but had come to \d+ \(says .*store\.db-mark\)$/,
  },
  {
    name: 'the write-ahead log is cut off',
    cut: ({ path }) => truncate(`${path}-wal`, HALF_A_FRAME),
    said: /store\.db is at revision \d+, but had come to/,
  },
  {
    name: 'the database is deleted',
    cut: async ({ path }) => {
      await rm(path);
      await rm(`${path}-wal`);
    },
    said: /store\.db is at revision 1, but had come to/,
  },
  {
    name: 'the database is deleted, its log is not',
    cut: ({ path }) => rm(path),
    said: /store\.db is at revision 1, but had come to/,
  },
  {
    name: 'the mark is deleted, as by a copy of the database alone',
    cut: ({ path }) => rm(`${path}-mark`),
    said: /store\.db-mark, which says how far .*store\.db had come, is missing$/,
  },
  {
    name: 'an older database is put back',
    cut: async ({ path, directory }) => {
      await copyFile(join(directory, 'old.db'), path);
      await rm(`${path}-wal`);
    },
    said: /store\.db is at revision \d+, but had come to/,
  },
];

for (const { name, cut, said } of CUTS) {
  test(`${name}: refused in one line; when accepted revisions go on above all that were given`, async (t) => {
    const place = await scratch(t);
    const { path, directory } = place;
    await (await open(path)).close();
    await writeAndKill(path, 0, 60);
    const between = await open(path);
    await put(between, 'between', '1');
    await between.close();
    await copyFile(path, join(directory, 'old.db'));
    const last = await writeAndKill(path, 100, 800);
    await cut(place);
    for (const round of ['refused', 'refused again']) {
      await assert.rejects(open(path), (error: unknown) => {
        assert.ok(error instanceof StoreCutBackError, round);
        assert.match(error.message, /^the store has lost data: [^\n]*$/);
        assert.match(error.message, said);
        return true;
      });
    }
    const store = await open(path, { acceptDataLoss: true });
    assert.ok(store.revision > last, `${store.revision} is not above ${last}`);
    await assert.rejects(store.range({ ...ALL, revision: last }), CompactedError);
    const sink = new Recorder();
    store.watch({ ...ALL, startRevision: last }, sink);
    assert.ok((await sink.ended()) instanceof CompactedError, 'who watched before is told to read anew');
    const next = await put(store, 'after', '1');
    await store.close();
    const again = await open(path);
    assert.equal(again.revision, next, 'what was accepted is not asked again');
    assert.equal(await readText(again, 'after'), '1');
  });
}

test('a store that was killed, and one that was moved as a whole, are not cut back', async (t) => {
  const { path, directory } = await scratch(t);
  const last = await writeAndKill(path, 0, 700);
  const moved = join(directory, 'moved.db');
  for (const suffix of ['', '-wal', '-mark']) await copyFile(`${path}${suffix}`, `${moved}${suffix}`);
  for (const where of [path, moved]) {
    const store = await open(where);
    assert.equal(store.rangeNow(ALL).count, 700);
    assert.ok(store.revision >= last);
    const next = await put(store, 'next', '1');
    assert.ok(next > last);
    await store.close();
    const again = await open(where);
    assert.equal(again.revision, next);
    await again.close();
  }
});

test('one damaged value: named with its key, kept apart, and gone when it is written anew', async (t) => {
  const { path } = await scratch(t);
  const first = await open(path);
  for (const key of ['a', 'b', 'c', 'd']) await put(first, key, `value of ${key}`);
  await first.close();
  const bytes = await readFile(path);
  const at = bytes.indexOf('value of b');
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  await writeFile(path, bytes);
  const told: unknown[] = [];
  const log: Logger = { ...silentLogger, error: (error: unknown) => told.push(error) } as unknown as Logger;
  const store = await open(path, { log });
  assert.ok(told[0] instanceof DamagedValueError && told[0].key === 'b');
  await assert.rejects(store.range({ key: 'b' }), (error: unknown) => {
    assert.ok(error instanceof DamagedValueError);
    assert.match(error.message, /^the value stored under "b" is damaged: it fails its checksum$/);
    return true;
  });
  const all = await store.range(ALL);
  assert.deepEqual([show(all), all.damaged, all.count], ['a=value of a c=value of c d=value of d', ['b'], 4]);
  const page = await store.range({ ...ALL, limit: 2 });
  assert.deepEqual([page.kvs.map((kv) => kv.key), page.damaged, page.more], [['a', 'c'], ['b'], true]);
  assert.deepEqual(
    (await store.range({ ...ALL, keysOnly: true })).kvs.map((kv) => kv.key),
    ['a', 'b', 'c', 'd'],
  );
  const get = { type: 'range', key: 'b' } as const;
  await assert.rejects(store.txn({ compare: [], success: [get], failure: [] }), DamagedValueError);
  const sink = new Recorder();
  store.watch({ ...ALL, prevKv: true }, sink);
  await sink.isCreated();
  await remove(store, 'b');
  await put(store, 'b', 'new');
  await sink.until(() => sink.events_.length === 2);
  assert.deepEqual(
    sink.events_.map((event) => event.prevKv),
    [undefined, undefined],
  );
  assert.equal((await store.range(ALL)).damaged, undefined);
  const past = new Recorder();
  store.watch({ ...ALL, startRevision: 2 }, past);
  assert.ok((await past.ended()) instanceof DamagedValueError, 'what was there is not known any more');
  const elsewhere = new Recorder();
  store.watch({ key: 'c', end: 'e', startRevision: 2 }, elsewhere);
  await elsewhere.until(() => elsewhere.events_.length === 2);
});

test('a data directory of the first version is opened and goes on', async (t) => {
  const { path } = await scratch(t);
  await writeFile(path, gunzipSync(await readFile(new URL('../node/fixtures/format-1.db.gz', import.meta.url))));
  const store = await open(path);
  assert.deepEqual([store.revision, store.rangeNow(ALL).count], [152, 147]);
  assert.equal(await put(store, 'next', '1'), 153);
  await store.close();
  const again = await open(path);
  assert.equal(again.revision, 153);
});
