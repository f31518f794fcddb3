import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkError } from '../errors.ts';
import { linesText, toolRunner } from './run-tool.ts';

test('a line that is several is told to no tool', () => {
  assert.equal(linesText(['route a', 'route b']), 'route a\nroute b\n');
  assert.throws(() => linesText(['route a', 'route b\nlink del eth0']), NetworkError);
});

test('a tool that the machine does not have is told at once, and nothing keeps the process from its end', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  await assert.rejects(toolRunner()(['no-such-tool-of-this-machine']), NetworkError);
  assert.equal(timers(), before);
});

test('a tool that does not stop saying is ended, and has failed', async () => {
  const run = toolRunner([], 100_000);
  assert.equal((await run(['head', '-c', '100000', '/dev/zero'])).length, 100_000);
  await assert.rejects(run(['sh', '-c', 'exec yes']), {
    name: 'NetworkError',
    message: /^sh: it said more than 100000/,
  });
});
