import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startBinnacle } from './child.ts';
import { pidsByCommand } from './container.ts';
import { TestkitError } from './errors.ts';
import { makeFolder } from './folder.ts';
import { lookUntil } from './look-until.ts';

const folder = makeFolder();
after(() => folder.remove());

/** A program in place of `binnacle`. It lives until it is told to end. */
function program(name: string, text: string): string {
  const path = join(folder.path, `${name}.mjs`);
  writeFileSync(path, `const alive = setInterval(() => {}, 60_000);\n${text}\n`);
  return path;
}

const READY = '{"server": "https://127.0.0.1:1", "kubeconfig": "/k", "pid": 7}';
const SAY_READY = `process.stdout.write('${READY}\\n');`;

describe('a process that is started', () => {
  test('is ready with its line, however that comes, and nothing that it says later holds it up', async () => {
    const text = `
      process.stdout.write('${READY.slice(0, 20)}');
      setImmediate(() => process.stdout.write('${READY.slice(20)}\\nmore\\n' + 'x'.repeat(1 << 20), () => {
        process.stderr.write('wrote it all');
      }));`;
    const started = await startBinnacle(['up'], { program: program('pieces', text) });
    assert.deepEqual(started.ready, JSON.parse(READY));
    await lookUntil({ what: 'the rest', look: () => started.output(), until: (said) => said === 'wrote it all' });
    await started.kill();
  });

  const rows: [what: string, text: string, said: RegExp][] = [
    ['ends before', 'console.error("no such flag"); process.exit(2);', /^binnacle up ended with 2:\nno such flag\n$/],
    ['is killed before', 'process.kill(process.pid, "SIGKILL");', /^binnacle up ended with SIGKILL:/],
    ['says something else', 'console.log("Welcome!");', /^binnacle up said this when it was to be ready: Welcome!:/],
    ['says nothing', '', /^binnacle up was not ready in time:/],
  ];
  for (const [what, text, said] of rows) {
    test(`fails with what it said where it ${what}, and is not left running`, async () => {
      const path = program(what, text);
      const readyMsMax = text === '' ? 1 : 60_000;
      await assert.rejects(startBinnacle(['up'], { program: path, readyMsMax }), (error: Error) => {
        assert.ok(error instanceof TestkitError);
        assert.match(error.message, said);
        return true;
      });
      assert.deepEqual(pidsByCommand(path), []);
    });
  }

  test('is not waited for where that is not wanted', async () => {
    const started = await startBinnacle(['up'], { program: program('silent', ''), waitReady: false });
    assert.equal(started.ready.pid, started.child.pid);
    await started.kill();
  });
});

describe('a process that is stopped', () => {
  test('ends by its own hand, and tells how as often as it is asked', async () => {
    const text = `process.once('SIGTERM', () => process.exit(5)); ${SAY_READY}`;
    const started = await startBinnacle(['up'], { program: program('polite', text) });
    assert.equal(await started.stop(), 5);
    assert.equal(await started.stop(), 5);
    await started.kill();
  });

  test('is killed where it does not end in its time, and that is a failure', async () => {
    const path = program('stubborn', `process.on('SIGTERM', () => console.error('no')); ${SAY_READY}`);
    const started = await startBinnacle(['up'], { program: path, stopMsMax: 10 });
    await assert.rejects(started.stop(), /^TestkitError: binnacle up did not end in 10 ms, and was killed:/);
    assert.deepEqual(pidsByCommand(path), []);
  });

  test('has no exit code where it was killed', async () => {
    const started = await startBinnacle(['up'], { program: program('killed', SAY_READY) });
    await started.kill();
    assert.equal(await started.stop(), null);
  });
});
