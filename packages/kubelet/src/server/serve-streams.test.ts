import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandOutcome, CommandSession } from '@binnacle/streams';
import { portsOf, serveSession } from './serve-streams.ts';

const WORDS = { tty: false, failed: 'error executing command in container', exited: 'error executing command [x]' };

function session(closed: Promise<Error | undefined> = new Promise(() => undefined)): {
  readonly session: CommandSession;
  readonly outcomes: CommandOutcome[];
} {
  const outcomes: CommandOutcome[] = [];
  async function* sizes(): AsyncGenerator<never> {
    // None.
  }
  return {
    outcomes,
    session: {
      sizes: sizes(),
      closed,
      finish: async (outcome) => void outcomes.push(outcome),
      abort: () => undefined,
    },
  };
}

const ROWS: readonly [name: string, act: () => Promise<number | undefined>, outcome: CommandOutcome][] = [
  ['an exit with 0', async () => 0, { kind: 'success' }],
  ['no exit code at all', async () => undefined, { kind: 'success' }],
  ['another exit', async () => 3, { kind: 'exit', exitCode: 3, message: 'error executing command [x], exit code 3' }],
  [
    'what did not run',
    async () => {
      throw new TypeError('no such file');
    },
    { kind: 'failure', message: 'error executing command in container: no such file' },
  ],
  [
    'what a runtime says did not run, once',
    async () => {
      throw new TypeError('error executing command in container: failed to exec in container: no such file');
    },
    {
      kind: 'failure',
      message: 'error executing command in container: failed to exec in container: no such file',
    },
  ],
];

for (const [name, act, outcome] of ROWS) {
  test(`the client hears of ${name}`, async () => {
    const one = session();
    await serveSession(one.session, act, WORDS);
    assert.deepEqual(one.outcomes, [outcome]);
  });
}

test('when the client goes, the command is let go', async () => {
  const one = session(Promise.resolve(undefined));
  await serveSession(
    one.session,
    (io) => new Promise((resolve) => io.signal?.addEventListener('abort', () => resolve(130))),
    WORDS,
  );
  assert.equal(one.outcomes.length, 1);
});

test('a failure of a port names the pod once', () => {
  const ports = portsOf({ portForward: () => Promise.reject(new TypeError('x')) }, 's');
  assert.equal(ports.describe(80, new TypeError('refused')), 'error forwarding port 80 to pod s, uid : refused');
  const known = 'error forwarding port 80 to pod s, uid : no';
  assert.equal(ports.describe(80, new TypeError(known)), known);
});
