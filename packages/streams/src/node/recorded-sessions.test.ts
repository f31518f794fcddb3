import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import { createDuplexPair, readAll, VirtualClock } from '@binnacle/base';
import { commandProtocol } from '../command/protocols.ts';
import type { CommandOutcome, CommandSession, CommandStreams } from '../command/session.ts';
import { commandOverSpdy } from '../command/spdy-session.ts';
import { commandOverWebSocket } from '../command/websocket-session.ts';
import { createHeaderCodec } from './header-codec.ts';
import { acceptWebSocket } from './websocket.ts';

// What kubectl 1.27, 1.30 and 1.33 sent behind their handshakes, and what they were answered: `exec -i … cat` with one line
// and its end, and `exec … sh -c "exit 3"`.

interface Recorded {
  readonly kubectl: string;
  readonly name: string;
  readonly method: string;
  readonly headers: { readonly [name: string]: string };
  /** The protocol that was agreed on. */
  readonly chosen: string;
  /** Who spoke, client or server, and what: base64. */
  readonly bytes: readonly (readonly ['c' | 's', string])[];
}

const SESSIONS = JSON.parse(
  readFileSync(new URL('recorded-sessions.json', import.meta.url), 'utf8'),
) as readonly Recorded[];
const LIMIT = 1000;

/** What the client says until the server says its last, and what it says after that. */
function said({ bytes }: Recorded): {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
  readonly answered: Buffer;
} {
  const ends = bytes.findLastIndex(([who]) => who === 's');
  const joined = (who: 'c' | 's', part: Recorded['bytes']): Buffer =>
    Buffer.concat(part.filter(([one]) => one === who).map(([, text]) => Buffer.from(text, 'base64')));
  const [before, after] = [bytes.slice(0, ends), bytes.slice(ends)];
  return { first: joined('c', before), last: joined('c', after), answered: joined('s', bytes) };
}

function wanted({ name }: Recorded): CommandStreams {
  return { stdin: name === 'cat', stdout: true, stderr: true, tty: false };
}

/** The command at the other end, as it was when the session was recorded. */
async function play(session: CommandSession, { name }: Recorded): Promise<CommandOutcome> {
  if (name !== 'cat')
    return { kind: 'exit', exitCode: 3, message: 'error executing command [sh -c exit 3], exit code 3' };
  assert.ok(session.stdin !== undefined);
  const input = await readAll(session.stdin, LIMIT);
  assert.equal(new TextDecoder().decode(input), 'hello\n');
  await session.stdout?.write(input);
  return { kind: 'success' };
}

for (const recorded of SESSIONS.filter(({ headers }) => headers['upgrade'] === 'SPDY/3.1')) {
  test(`kubectl ${recorded.kubectl} over SPDY: ${recorded.name}`, async () => {
    const clock = new VirtualClock();
    const [near, far] = createDuplexPair();
    const ground = { codec: createHeaderCodec(), clock, protocol: commandProtocol(recorded.chosen) };
    const serving = commandOverSpdy(far, ground, wanted(recorded));
    const answers = readAll(near, LIMIT);
    const { first, last } = said(recorded);
    await near.write(first);
    const session = await serving;
    const outcome = await play(session, recorded);
    const finishing = session.finish(outcome);
    await near.write(last);
    await near.end();
    await finishing;
    await session.closed;
    // Frames of several streams may pass each other; what they carry is not compressed.
    const answer = Buffer.from(await answers).toString('latin1');
    assert.ok(answer.includes(recorded.name === 'cat' ? 'hello\n' : '{"reason":"ExitCode","message":"3"}'), answer);
  });
}

for (const recorded of SESSIONS.filter(({ headers }) => headers['upgrade'] === 'websocket')) {
  test(`kubectl ${recorded.kubectl} over a WebSocket: ${recorded.name}`, async () => {
    const [near, far] = duplexPair();
    const { method, headers, chosen } = recorded;
    const request = { method, headers, url: '/' } as Parameters<typeof acceptWebSocket>[0];
    const messages = await acceptWebSocket(request, { socket: far, head: new Uint8Array(0) }, chosen);
    assert.ok(messages !== undefined);
    const heard: Buffer[] = [];
    near.on('data', (piece: Buffer) => heard.push(piece));
    const ended = new Promise<void>((resolve) => near.once('end', resolve));
    const session = commandOverWebSocket(messages, commandProtocol(chosen), wanted(recorded));
    const { first, last, answered } = said(recorded);
    near.write(first);
    const outcome = await play(session, recorded);
    const finishing = session.finish(outcome);
    near.end(last);
    await finishing;
    await ended;
    const all = Buffer.concat(heard);
    const reply = all.subarray(all.indexOf('\r\n\r\n') + 4);
    assert.equal(reply.toString('latin1'), answered.toString('latin1'));
  });
}

test('every kubectl of before and after the change of protocol is among them', () => {
  assert.deepEqual(
    [...new Set(SESSIONS.map(({ kubectl, chosen }) => `${kubectl} ${chosen}`))],
    ['1.27 v4.channel.k8s.io', '1.30 v5.channel.k8s.io', '1.33 v5.channel.k8s.io'],
  );
});
