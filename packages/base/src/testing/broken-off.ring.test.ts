import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeTestFolder } from './test-folder.ts';

const MODULE = fileURLToPath(new URL('broken-off.ts', import.meta.url));
/** Clears away in two steps with something between them, as what it is for. */
const TEXT = `
import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { test } from 'node:test';
import { whenBrokenOff } from ${JSON.stringify(MODULE)};
test('long', async () => {
  whenBrokenOff(() => Promise.reject(new Error('one that fails')));
  whenBrokenOff(async () => { console.log('clearing'); await setTimeout(200); writeFileSync('cleared', ''); });
  whenBrokenOff(async () => writeFileSync('forgotten', ''))();
  writeFileSync('begun', String(process.pid));
  await setTimeout(60_000);
});
`;

function untilThere(folder: string, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (!existsSync(join(folder, name))) return;
      watcher.close();
      clearTimeout(alarm);
      resolve();
    };
    const watcher = watch(folder, look);
    const alarm = setTimeout(() => {
      watcher.close();
      reject(new RangeError(`${name} does not come`));
    }, 20_000);
    look();
  });
}

for (const isolation of ['process', 'none'])
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    test(`what a test began is cleared away on ${signal} to all of its run (isolation ${isolation})`, async (t) => {
      const folder = makeTestFolder();
      t.after(() => rmSync(folder.path, { recursive: true }));
      writeFileSync(join(folder.path, 'a.test.ts'), TEXT);
      const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
      const args = ['--test', `--test-isolation=${isolation}`, 'a.test.ts'];
      const child = spawn(process.execPath, args, { cwd: folder.path, env, stdio: 'ignore', detached: true });
      const ended = once(child, 'exit');
      await untilThere(folder.path, 'begun');
      process.kill(-(child.pid ?? 0), signal);
      await ended;
      await untilThere(folder.path, 'cleared');
      assert.equal(existsSync(join(folder.path, 'forgotten')), false);
    });
