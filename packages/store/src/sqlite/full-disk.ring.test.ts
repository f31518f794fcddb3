import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VirtualClock, makeTestFolder } from '@binnacle/base/testing';
import { StoreFullError, StoreUnavailableError } from '../errors.ts';
import type { EmbeddedStore } from '../mvcc/embedded-store.ts';
import { put, readText, remove } from '../node/contract/harness.ts';
import { openSqliteStore } from './open.ts';

const ALL = { key: '', end: '\0' };
const BALLAST_BYTES = 4 * 1024 * 1024;
const skip =
  process.platform !== 'linux' || process.getuid?.() !== 0 ? 'mounts a small disk: needs root on Linux' : false;

interface SmallDisk {
  readonly open: (clock: VirtualClock) => Promise<EmbeddedStore>;
  readonly ballast: string;
  readonly directory: string;
}

/** A disk of 12 MiB of its own, 4 of them taken by a file. */
function smallDisk(t: { after: (run: () => Promise<void>) => void }): SmallDisk {
  const directory = makeTestFolder().path;
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'store-full', directory]);
  const opened: EmbeddedStore[] = [];
  t.after(async () => {
    for (const store of opened) await store.close();
    execFileSync('umount', [directory]);
    rmSync(directory, { recursive: true });
  });
  const ballast = join(directory, 'ballast');
  writeFileSync(ballast, new Uint8Array(BALLAST_BYTES));
  const open = async (clock: VirtualClock): Promise<EmbeddedStore> => {
    const store = await openSqliteStore({ path: join(directory, 'store.db'), clock, historyBytesMax: 1_000_000 });
    opened.push(store);
    return store;
  };
  return { open, ballast, directory };
}

test(
  'a disk that is full and has room again: refused meanwhile, then all goes on, nothing acknowledged is lost',
  { skip },
  async (t) => {
    const { open, ballast } = smallDisk(t);
    const clock = new VirtualClock();
    const store = await open(clock);
    const acknowledged = new Set<string>();
    const value = 'v'.repeat(20_000);
    let refused = 0;
    for (let i = 0; refused < 20; i += 10) {
      const keys = Array.from({ length: 10 }, (_, k) => `k${i + k}`);
      for (const [k, answer] of (await Promise.allSettled(keys.map((key) => put(store, key, value)))).entries()) {
        if (answer.status === 'fulfilled') acknowledged.add(keys[k] ?? '');
        else {
          assert.ok(answer.reason instanceof StoreFullError, String(answer.reason));
          refused++;
        }
      }
      assert.ok(acknowledged.size < 2000, 'the disk is never full');
    }
    // What did not fit with nine others may fit alone, and a probe makes what room there is.
    for (let isFull = false; !isFull;) {
      await clock.advance(2000);
      const key = `alone${acknowledged.size}`;
      const [answer] = await Promise.allSettled([put(store, key, value)]);
      if (answer.status === 'fulfilled') acknowledged.add(key);
      else assert.ok((isFull = answer.reason instanceof StoreFullError), String(answer.reason));
      assert.ok(acknowledged.size < 2000, 'the disk is never full');
    }
    await assert.rejects(store.health('writing'), StoreFullError);
    await store.health('reading');
    await clock.advance(2000);
    await assert.rejects(put(store, 'probed', value), StoreFullError);
    assert.equal(store.rangeNow(ALL).count, acknowledged.size);
    rmSync(ballast);
    await clock.advance(2000);
    await store.health('writing');
    const revision = await put(store, 'after', '1');
    for (const key of [...acknowledged].slice(0, 50)) await remove(store, key);
    await store.close();
    const again = await open(clock);
    assert.equal(again.rangeNow(ALL).count, acknowledged.size - 50 + 1);
    assert.ok(again.revision > revision);
    assert.equal(await readText(again, 'after'), '1');
  },
);

test('a disk that is full at the start: one line that names the file', { skip }, async (t) => {
  const { open, directory } = smallDisk(t);
  const { bavail, bsize } = statfsSync(directory);
  writeFileSync(join(directory, 'rest'), new Uint8Array(bavail * bsize));
  await assert.rejects(open(new VirtualClock()), (error: unknown) => {
    assert.ok(error instanceof StoreUnavailableError);
    assert.match(error.message, /^the store is unavailable: [^\n]*store\.db[^\n]*(?:full|no space)[^\n]*$/);
    return true;
  });
});
