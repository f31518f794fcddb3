import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StreamEndedError } from '../duplex.ts';
import type { Duplex } from '../duplex.ts';

/** Two ends of one stream, and how to free what carries it. */
export interface DuplexBench {
  readonly near: Duplex;
  readonly far: Duplex;
  close(): Promise<void>;
}

/** What an implementation cannot do, each with its reason beside the call. */
export interface DuplexGaps {
  /** The other side of an abort sees an orderly end of what it reads. */
  readonly abortLooksLikeEnd?: boolean;
}

const CHUNK_BYTES = 64 * 1024;
/** No carrier in this house keeps more than this for a reader that does not read. */
const HELD_BYTES_MAX = 32 * 1024 * 1024;
const STALL_MS = 100;

/** What every Duplex holds. `open` makes a fresh pair for each test. */
export function duplexSuite(name: string, open: () => Promise<DuplexBench>, gaps: DuplexGaps = {}): void {
  const each = (title: string, run: (bench: DuplexBench) => Promise<void>): void => {
    test(title, { timeout: 20_000 }, async () => {
      const bench = await open();
      try {
        await run(bench);
      } finally {
        bench.near.abort();
        bench.far.abort();
        await bench.close();
      }
    });
  };
  describe(`duplex: ${name}`, () => {
    orderTests(each);
    endTests(each);
    pressureTests(each);
    abortTests(each, gaps);
  });
}

type Each = (title: string, run: (bench: DuplexBench) => Promise<void>) => void;

function orderTests(each: Each): void {
  each('bytes arrive in order, both ways', async ({ near, far }) => {
    await near.write(bytes('ping'));
    assert.equal(text(await far.read()), 'ping');
    await far.write(bytes('pong'));
    assert.equal(text(await near.read()), 'pong');
  });
  each('a reader may come before the writer; nothing empty is read', async ({ near, far }) => {
    const reading = far.read();
    await near.write(new Uint8Array(0));
    await near.write(bytes('x'));
    assert.equal(text(await reading), 'x');
  });
}

function endTests(each: Each): void {
  each('half-close: one side ends, the other goes on', async ({ near, far }) => {
    await near.write(bytes('question'));
    await near.end();
    assert.equal(text(await drain(far)), 'question');
    assert.equal(await far.read(), undefined);
    await far.write(bytes('answer'));
    await far.end();
    assert.equal(text(await drain(near)), 'answer');
    assert.deepEqual(await Promise.all([near.closed, far.closed]), [undefined, undefined]);
  });
  each('nothing is written behind the end', async ({ near }) => {
    await near.end();
    await assert.rejects(near.write(bytes('late')), StreamEndedError);
  });
}

function pressureTests(each: Each): void {
  each('a writer is held back by a reader that does not read, and let go by one that does', async ({ near, far }) => {
    let written = 0;
    let held = false;
    while (!held) {
      const writing = near.write(new Uint8Array(CHUNK_BYTES));
      written += CHUNK_BYTES;
      held = await outlasts(writing, STALL_MS);
      assert.ok(written < HELD_BYTES_MAX, 'the writer was never held back');
      if (held) {
        const ending = writing.then(() => near.end());
        assert.equal((await drain(far)).length, written);
        await ending;
      }
    }
  });
}

function abortTests(each: Each, gaps: DuplexGaps): void {
  each('an abort rejects what waits at both ends', async ({ near, far }) => {
    const why = new TypeError('enough');
    // Lets a carrier set itself up before it is torn down.
    await far.write(bytes('x'));
    assert.equal(text(await near.read()), 'x');
    const mine = assert.rejects(near.read(), (error) => error === why);
    const theirs = far.read().then(
      (chunk) => chunk,
      (error: unknown) => error,
    );
    near.abort(why);
    near.abort();
    await mine;
    assert.equal(await near.closed, why);
    const seen = await theirs;
    if (gaps.abortLooksLikeEnd === true) assert.equal(seen, undefined);
    else assert.ok(seen instanceof Error, String(seen));
    await assert.rejects(near.write(bytes('late')), (error) => error === why);
    await assert.rejects(near.read(), (error) => error === why);
    if (gaps.abortLooksLikeEnd !== true) assert.ok((await far.closed) instanceof Error);
  });
}

function outlasts(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(true), ms);
    promise.then(
      () => {
        clearTimeout(timer);
        resolve(false);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error as Error);
      },
    );
  });
}

async function drain(stream: Duplex): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) parts.push(chunk);
  return Buffer.concat(parts);
}

const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const text = (value: Uint8Array | undefined): string => new TextDecoder().decode(value);
