import { once } from 'node:events';
import { realClock } from '@binnacle/base/node';
import type { EmbeddedStore } from '../../mvcc/embedded-store.ts';
import type { Operation } from '../../ports.ts';
import { openSqliteStore } from '../../sqlite/open.ts';

const WRITERS = 16;
/** Small, so that compaction and checkpoints happen under the kills too. */
const HISTORY_BYTES = 200_000;

/** Numbers that the child finds when it opens the file: per writer what its keys say, undefined where there is none. */
export interface Found {
  readonly revision: number;
  readonly left: readonly (number | undefined)[];
  readonly right: readonly (number | undefined)[];
  readonly odd: readonly (number | undefined)[];
}

/**
 * What the child of the crash test does: prints what it finds as JSON, then writes pairs of keys as fast as the store
 * takes them, from many writers at once, numbered from above what it found, and prints `writer number revision` for
 * each acknowledgement. Lives until killed.
 */
export async function writeUntilKilled(path: string): Promise<void> {
  const store = await openSqliteStore({
    path,
    clock: realClock,
    historyBytesMax: HISTORY_BYTES,
    memoryHistoryBytesMax: HISTORY_BYTES / 4,
  });
  const found = readAll(store);
  process.stdout.write(`${JSON.stringify(found)}\n`);
  const first = Math.max(0, ...found.left.map((number) => number ?? 0)) + 1;
  const writePairs = async (writer: number): Promise<void> => {
    for (let number = first; ; number++) {
      const { revision } = await store.txn({ compare: [], success: pair(writer, number), failure: [] });
      if (!process.stdout.write(`${writer} ${number} ${revision}\n`)) await once(process.stdout, 'drain');
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writePairs(writer)));
}

/** Ends by itself. */
export async function openAndClose(path: string): Promise<void> {
  await (await openSqliteStore({ path, clock: realClock })).close();
}

function readAll(store: EmbeddedStore): Found {
  const numbers = (side: string): (number | undefined)[] =>
    Array.from({ length: WRITERS }, (_, writer) => {
      const value = store.rangeNow({ key: `${side}/${writer}` }).kvs[0]?.value;
      return value === undefined ? undefined : Number.parseInt(new TextDecoder().decode(value), 10);
    });
  return { revision: store.revision, left: numbers('left'), right: numbers('right'), odd: numbers('odd') };
}

function pair(writer: number, number: number): Operation[] {
  const value = new TextEncoder().encode(`${number} ${'x'.repeat((number * 37) % 700)}`);
  return [
    { type: 'put', key: `left/${writer}`, value },
    { type: 'put', key: `right/${writer}`, value },
    // A key that comes and goes, so that there are deletes to lose.
    number % 2 === 0 ? { type: 'put', key: `odd/${writer}`, value } : { type: 'delete', key: `odd/${writer}` },
  ];
}
