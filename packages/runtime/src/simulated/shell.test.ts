import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDuplexPair, readAll, VirtualClock } from '@binnacle/base';
import { RuntimeError } from '../errors.ts';
import { runProgram } from './shell.ts';
import { parseScript } from './shell-words.ts';

const text = (data: Uint8Array): string => new TextDecoder().decode(data);

async function run(
  command: readonly string[],
  given: { readonly input?: string; readonly tty?: boolean } = {},
): Promise<{ code: number; out: string; err: string }> {
  const [stdin, inFar] = createDuplexPair();
  const [stdout, outFar] = createDuplexPair();
  const [stderr, errFar] = createDuplexPair();
  await inFar.write(new TextEncoder().encode(given.input ?? ''));
  await inFar.end();
  const world = { clock: new VirtualClock(), hostname: 'web' };
  const code = await runProgram(world, command, { stdin, stdout, stderr, tty: given.tty ?? false });
  await Promise.all([stdout.end(), stderr.end()]);
  return { code, out: text(await readAll(outFar, 1e6)), err: text(await readAll(errFar, 1e6)) };
}

const ROWS: readonly [command: readonly string[], input: string, code: number, out: string, err: string][] = [
  [['true'], '', 0, '', ''],
  [['false'], '', 1, '', ''],
  [['echo', 'a', 'b'], '', 0, 'a b\n', ''],
  [['cat'], 'x\ny', 0, 'x\ny', ''],
  [['hostname'], '', 0, 'web\n', ''],
  [['sh', '-c', 'echo out; echo err >&2; exit 7'], '', 7, 'out\n', 'err\n'],
  [['sh', '-c', 'false && echo no; false || echo \'y  s\'; true && echo "a\\"b"'], '', 0, 'y  s\na"b\n', ''],
  [['sh', '-c', 'nothing'], '', 127, '', 'sh: nothing: not found\n'],
  [['sh'], 'echo one\necho two\nexit 3\necho never\n', 3, 'one\ntwo\n', ''],
  [['sh'], 'cat\nthe rest', 0, 'the rest', ''],
];

for (const [command, input, code, out, err] of ROWS) {
  test(`${command.join(' ')} < ${JSON.stringify(input)}`, async () => {
    assert.deepEqual(await run(command, { input }), { code, out, err });
  });
}

test('a terminal shows a prompt and what is typed; ctrl-d ends it', async () => {
  const { out, code } = await run(['sh'], { input: 'echo hi\r\u0004', tty: true });
  assert.deepEqual([code, out], [0, '/ # echo hi\r\nhi\r\n/ # ']);
});

test('what is not there is said in the words of a runtime', async () => {
  await assert.rejects(
    run(['ls']),
    (error) => error instanceof RuntimeError && /executable file not found/.test(error.message),
  );
});

test('a command that waits ends with its signal, and leaves no timer', async () => {
  const clock = new VirtualClock();
  const abort = new AbortController();
  const running = runProgram({ clock, hostname: 'web' }, ['sleep', '1000'], { tty: false, signal: abort.signal });
  abort.abort();
  assert.equal(await running, 130);
});

test('words of a script', () => {
  const words = (script: string): unknown => parseScript(script).map((c) => [c.after, c.words.join('|')]);
  assert.deepEqual(words("a 'b c' d\\ e; f&&g || h"), [
    [';', 'a|b c|d e'],
    [';', 'f'],
    ['&&', 'g'],
    ['||', 'h'],
  ]);
  assert.deepEqual(words(' ;; '), []);
});
