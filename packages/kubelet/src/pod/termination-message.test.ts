import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { readTerminationMessage } from './termination-message.ts';

const PATH = '/message';
const LOG = '/log';

interface Row {
  name: string;
  file?: string;
  log: string;
  exitCode: number;
  policy?: string;
  message: string;
}

const line = (tag: string, text: string): string => `2026-01-01T00:00:00Z stdout ${tag} ${text}\n`;
const ROWS: Row[] = [
  { name: 'the file, where there is one', file: 'OK', log: line('F', 'log'), exitCode: 1, message: 'OK' },
  { name: 'the log of one that failed', log: line('F', 'a') + line('F', 'b'), exitCode: 1, message: 'a\nb\n' },
  {
    name: 'no line end that was not written',
    log: line('F', 'a') + line('P', 'DONE'),
    exitCode: 1,
    message: 'a\nDONE',
  },
  { name: 'parts of one line', log: line('P', 'one ') + line('F', 'line'), exitCode: 1, message: 'one line\n' },
  { name: 'no log of one that ended well', log: line('F', 'a'), exitCode: 0, message: '' },
  { name: 'no log with the policy File', log: line('F', 'a'), exitCode: 1, policy: 'File', message: '' },
  { name: 'the last 2048 bytes', log: line('F', 'x'.repeat(3000)), exitCode: 1, message: `${'x'.repeat(2047)}\n` },
  { name: 'the last 80 lines', log: line('F', 'y').repeat(100), exitCode: 1, message: 'y\n'.repeat(80) },
];

for (const row of ROWS) {
  test(`termination message: ${row.name}`, async () => {
    const files = createMemoryFiles();
    if (row.file !== undefined) await files.writeFile(PATH, new TextEncoder().encode(row.file));
    await files.writeFile(LOG, new TextEncoder().encode(row.log));
    const message = await readTerminationMessage(files, {
      path: PATH,
      spec: {
        name: 'c',
        terminationMessagePath: PATH,
        terminationMessagePolicy: row.policy ?? 'FallbackToLogsOnError',
      } as never,
      container: { exitCode: row.exitCode, logPath: LOG } as never,
    });
    assert.equal(message, row.message);
  });
}
