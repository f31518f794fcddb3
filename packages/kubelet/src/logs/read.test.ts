import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import { pass } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import type { LogOptions } from './options.ts';
import { readLog, tailOffset } from './read.ts';

const LOG = [
  '2026-01-01T00:00:01.000000001Z stdout F one',
  '2026-01-01T00:00:02.000000001Z stderr F two',
  '2026-01-01T00:00:03.000000001Z stdout P thr',
  '2026-01-01T00:00:03.000000002Z stdout F ee',
  'no line of CRI',
  '2026-01-01T00:00:04.000000001Z stdout F four four',
  '',
].join('\n');

const plain: LogOptions = { follow: false, previous: false, timestamps: false, stream: 'All' };

async function read(options: Partial<LogOptions>, text = LOG): Promise<string> {
  const files = createMemoryFiles();
  await files.writeFile('/log', new TextEncoder().encode(text));
  let out = '';
  for await (const part of readLog({
    files,
    clock: new VirtualClock(),
    path: '/log',
    options: { ...plain, ...options },
    running: () => false,
  }))
    out += new TextDecoder().decode(part);
  return out;
}

const rows: readonly [string, Partial<LogOptions>, string][] = [
  ['everything', {}, 'one\ntwo\nthree\nfour four\n'],
  [
    'with times, once per line',
    { timestamps: true, tailLines: 4 },
    '2026-01-01T00:00:03.000000001Z three\n2026-01-01T00:00:04.000000001Z four four\n',
  ],
  ['the last line', { tailLines: 1 }, 'four four\n'],
  ['nothing', { tailLines: 0 }, ''],
  ['since', { since: Date.parse('2026-01-01T00:00:03Z') }, 'three\nfour four\n'],
  ['one stream', { stream: 'Stderr' }, 'two\n'],
  ['cut', { limitBytes: 6 }, 'one\ntw'],
];

for (const [name, options, wanted] of rows) test(`log: ${name}`, async () => assert.equal(await read(options), wanted));

// A machine has only so many watches (inotify's max_user_watches), and they are not ours alone.
test('a log that cannot be watched is followed by looks', async () => {
  const clock = new VirtualClock();
  const files = createMemoryFiles();
  await files.writeFile('/log', new TextEncoder().encode('2026-01-01T00:00:01Z stdout F one\n'));
  files.watch = () => {
    throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' });
  };
  let runs = true;
  const options = { ...plain, follow: true };
  const log = readLog({ files, clock, path: '/log', options, running: () => runs });
  const next = async (): Promise<string> => {
    const { value } = await log.next();
    return value === undefined ? 'end' : new TextDecoder().decode(value);
  };
  assert.equal(await next(), 'one\n');
  const second = next();
  await pass(clock, 1_500);
  files.append('/log', '2026-01-01T00:00:02Z stdout F two\n');
  await pass(clock, 1_500);
  assert.equal(await second, 'two\n');
  const third = next();
  runs = false;
  await pass(clock, 1_500);
  assert.equal(await third, 'end');
});

test('the last line is whichever was last at one moment, however busy the writer', async () => {
  const files = createMemoryFiles();
  await files.writeFile('/log', new TextEncoder().encode(LOG));
  const sizeOf = files.size.bind(files);
  files.size = async (path) => {
    const size = await sizeOf(path);
    files.append('/log', '2026-01-01T00:00:05Z stdout F five\n');
    return size;
  };
  let out = '';
  const options = { ...plain, tailLines: 1 };
  for await (const part of readLog({ files, clock: new VirtualClock(), path: '/log', options, running: () => true }))
    out += new TextDecoder().decode(part);
  assert.equal(out, 'four four\n');
});

test('a log that is not there is empty', async () => assert.equal(await read({}, ''), ''));

test('lines that cross the blocks of reading are whole', async () => {
  const long = 'x'.repeat(70_000);
  assert.equal(
    await read({}, `2026-01-01T00:00:01Z stdout F ${long}\n2026-01-01T00:00:01Z stdout F end\n`),
    `${long}\nend\n`,
  );
  assert.equal(
    await read({ tailLines: 1 }, `2026-01-01T00:00:01Z stdout F ${long}\n2026-01-01T00:00:01Z stdout F end\n`),
    'end\n',
  );
});

test('the tail of a file without a last newline', async () => {
  const files = createMemoryFiles();
  await files.writeFile('/log', new TextEncoder().encode('a\nb\nc'));
  const file = { path: '/log', size: 5 };
  assert.deepEqual(
    [await tailOffset(files, file, 1), await tailOffset(files, file, 2), await tailOffset(files, file, 9)],
    [4, 2, 0],
  );
});

test('following ends with the container, when all is read', async () => {
  const clock = new VirtualClock();
  const files = createMemoryFiles();
  let running = true;
  let out = '';
  const done = (async (): Promise<void> => {
    for await (const part of readLog({
      files,
      clock,
      path: '/log',
      options: { ...plain, follow: true },
      running: () => running,
    }))
      out += new TextDecoder().decode(part);
  })();
  files.append('/log', '2026-01-01T00:00:01Z stdout F one\n');
  await pass(clock, 10);
  assert.equal(out, 'one\n');
  files.append('/log', '2026-01-01T00:00:02Z stdout F two\n');
  await pass(clock, 10);
  assert.equal(out, 'one\ntwo\n');
  running = false;
  files.append('/log', '2026-01-01T00:00:03Z stdout F three\n');
  await pass(clock, 1_100);
  await done;
  assert.equal(out, 'one\ntwo\nthree\n');
});

test('following loses no line where the log is renamed and made anew', async () => {
  const clock = new VirtualClock();
  const files = createMemoryFiles();
  let running = true;
  let out = '';
  const line = (n: number): string => `2026-01-01T00:00:01Z stdout F ${n}\n`;
  files.append('/log', line(1));
  const options = { ...plain, follow: true };
  const done = (async (): Promise<void> => {
    for await (const part of readLog({ files, clock, path: '/log', options, running: () => running }))
      out += new TextDecoder().decode(part);
  })();
  await pass(clock, 10);
  await files.rename('/log', '/log.1');
  await pass(clock, 10);
  // Written after the renaming by a runtime that has not been told yet.
  files.append('/log.1', line(2));
  files.append('/log.1', line(3));
  // The new file is longer at once than the old one was.
  for (let n = 4; n < 9; n++) files.append('/log', line(n));
  await pass(clock, 2_000);
  running = false;
  await pass(clock, 2_000);
  await done;
  assert.equal(out, '1\n2\n3\n4\n5\n6\n7\n8\n');
});

test('the last lines of a busy writer are as many as were asked for', async () => {
  const files = createMemoryFiles();
  const line = (n: number): string => `2026-01-01T00:00:01Z stdout F ${n}\n`;
  for (let n = 0; n < 5; n++) files.append('/log', line(n));
  const read = files.readRange.bind(files);
  files.readRange = async (...args) => {
    const found = await read(...args);
    files.append('/log', line(9));
    return found;
  };
  let out = '';
  const target = {
    files,
    clock: new VirtualClock(),
    path: '/log',
    options: { ...plain, tailLines: 2 },
    running: () => true,
  };
  for await (const part of readLog(target)) out += new TextDecoder().decode(part);
  assert.equal(out, '3\n4\n');
});

test('who reads slowly has the whole of a log that is renamed and made anew meanwhile', async () => {
  const files = createMemoryFiles();
  const line = (n: number): string => `2026-01-01T00:00:01Z stdout F ${n} ${'x'.repeat(1_000)}\n`;
  // More than is read at once.
  for (let n = 0; n < 100; n++) files.append('/log', line(n));
  const target = { files, clock: new VirtualClock(), path: '/log', options: plain, running: () => true };
  let count = 0;
  for await (const part of readLog(target)) {
    assert.match(new TextDecoder().decode(part), new RegExp(`^${count} x`));
    if (count++ > 0) continue;
    await files.rename('/log', '/log.1');
    files.append('/log', line(100));
  }
  assert.equal(count, 100);
});

test('a file that no runtime wrote, all one line, takes no memory and is told nothing of', async () => {
  const end = '2026-01-01T00:00:01Z stdout F end\n';
  assert.equal(await read({}, `2026-01-01T00:00:01Z stdout F ${'x'.repeat(3 << 20)}\n${end}`), 'end\n');
});
