import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

const SETUP = new URL('setup.mjs', import.meta.url).href;
/** Says so when it is told to end, and ends later by itself. */
const PROGRAM =
  "process.once('SIGTERM', () => { console.log('told'); process.exit(5); }); setTimeout(() => {}, 20_000); console.log('here');";
const HANDING = `import { handOver } from ${JSON.stringify(SETUP)}; handOver(process.execPath, ['--eval', ${JSON.stringify(PROGRAM)}]);`;

for (const [what, shell, end] of [
  ['a signal to the script', 'exec "$0" "$@"', [5, null]],
  ['the end of the shell that npm put in between', '"$0" "$@"; :', [null, 'SIGTERM']],
] as const)
  test(`what a script starts in place of itself is told of ${what}`, async () => {
    const env = { ...process.env, npm_lifecycle_event: 'test' };
    const args = ['-c', shell, process.execPath, '--input-type=module', '--eval', HANDING];
    const child = spawn('sh', args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    // Once nobody can write any more: it has ended, and what it started.
    const closed = once(child, 'close');
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    assert.deepEqual(await closed, end);
    assert.equal(said, 'here\ntold\n');
  });
