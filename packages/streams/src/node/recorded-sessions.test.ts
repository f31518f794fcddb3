import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import { createDuplexPair, readAll, VirtualClock } from '@binnacle/base';
import { commandProtocol } from '../command/protocols.ts';
import type { CommandOutcome, CommandSession, CommandStreams } from '../command/session.ts';
import { commandOverSpdy } from '../command/spdy-session.ts';
import { commandOverWebSocket } from '../command/websocket-session.ts';
import type { PortTarget } from '../forward/session.ts';
import { FORWARD_TUNNEL_PROTOCOL, serveForwardOverSpdy } from '../forward/spdy-forward.ts';
import { tunnelOver } from '../messages.ts';
import { translateCommand } from '../translate/command.ts';
import { tunnelForward } from '../translate/forward.ts';
import { createHeaderCodec } from './header-codec.ts';
import { acceptLocalWebSocket } from './local-websocket.ts';
import { acceptWebSocket } from './websocket.ts';

// What kubectl 1.27, 1.30 and 1.33 sent behind their handshakes, and what they were answered: `exec -i … cat` and
// `attach -i` with one line and its end, `exec … sh -c "exit 3"`, and `port-forward` with one connection that says one line,
// 1.30 both as it does by itself and with KUBECTL_PORT_FORWARD_WEBSOCKETS.

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
function said(
  { bytes }: Recorded,
  ends = bytes.findLastIndex(([who]) => who === 's'),
): {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
  readonly answered: Buffer;
} {
  const joined = (who: 'c' | 's', part: Recorded['bytes']): Buffer =>
    Buffer.concat(part.filter(([one]) => one === who).map(([, text]) => Buffer.from(text, 'base64')));
  const [before, after] = [bytes.slice(0, ends), bytes.slice(ends)];
  return { first: joined('c', before), last: joined('c', after), answered: joined('s', bytes) };
}

function wanted({ name }: Recorded): CommandStreams {
  return { stdin: name !== 'exit', stdout: true, stderr: true, tty: false };
}

/** The command at the other end, as it was when the session was recorded. */
async function play(session: CommandSession, { name }: Recorded): Promise<CommandOutcome> {
  if (name === 'exit')
    return { kind: 'exit', exitCode: 3, message: 'error executing command [sh -c exit 3], exit code 3' };
  assert.ok(session.stdin !== undefined);
  const input = await readAll(session.stdin, LIMIT);
  assert.equal(new TextDecoder().decode(input), 'hello\n');
  await session.stdout?.write(input);
  return { kind: 'success' };
}

const COMMANDS = SESSIONS.filter(({ name }) => name !== 'forward');
const FORWARDS = SESSIONS.filter(({ name }) => name === 'forward');

for (const recorded of COMMANDS.filter(({ headers }) => headers['upgrade'] === 'SPDY/3.1')) {
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
    assert.ok(answer.includes(recorded.name !== 'exit' ? 'hello\n' : '{"reason":"ExitCode","message":"3"}'), answer);
  });
}

for (const recorded of COMMANDS.filter(({ headers }) => headers['upgrade'] === 'websocket')) {
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

for (const recorded of COMMANDS.filter(({ headers }) => headers['upgrade'] === 'websocket')) {
  test(`kubectl ${recorded.kubectl} over a WebSocket, with a server of SPDY: ${recorded.name}`, async () => {
    const clock = new VirtualClock();
    const { method, headers, chosen } = recorded;
    const { messages, stream } = await acceptLocalWebSocket({ method, headers }, chosen);
    assert.ok(messages !== undefined);
    const session = commandOverWebSocket(messages, commandProtocol(chosen), wanted(recorded));
    const [carrier, far] = createDuplexPair();
    const ground = { codec: createHeaderCodec(), clock, protocol: commandProtocol('v4.channel.k8s.io') };
    const serving = commandOverSpdy(far, ground, wanted(recorded));
    const translating = translateCommand(session, wanted(recorded), {
      clock,
      createCodec: createHeaderCodec,
      dial: async () => carrier,
    });
    const { first, last, answered } = said(recorded);
    await stream.write(first);
    const server = await serving;
    const finishing = server.finish(await play(server, recorded));
    // The client says its last when it has heard all.
    let heard = Buffer.alloc(0);
    while (heard.length < answered.length) heard = Buffer.concat([heard, (await stream.read()) ?? answered]);
    await stream.write(last);
    await stream.end();
    assert.equal(await stream.read(), undefined);
    assert.equal(await translating, 'ended');
    await finishing;
    assert.equal(heard.toString('latin1'), answered.toString('latin1'));
  });
}

const SHOUT = 'HELLO\n';

/** What the client says until the pod has answered, and what it says after that. */
function saidToPod(recorded: Recorded): { readonly first: Uint8Array; readonly last: Uint8Array } {
  const answered = recorded.bytes.findIndex(
    ([who, text]) => who === 's' && Buffer.from(text, 'base64').includes(SHOUT),
  );
  return said(recorded, answered);
}

/** A pod whose port 80 answers with what it heard, in capitals. */
const SHOUTING: PortTarget = {
  connect(port) {
    assert.equal(port, 80);
    const [near, far] = createDuplexPair();
    const shout = async (): Promise<void> => {
      const heard = new TextDecoder().decode(await readAll(far, LIMIT));
      await far.write(new TextEncoder().encode(heard.toUpperCase()));
      await far.end();
    };
    shout().catch((error: unknown) => far.abort(error as Error));
    return Promise.resolve(near);
  },
  describe: (port, error) => `port ${port}: ${error.message}`,
};

for (const recorded of FORWARDS.filter(({ headers }) => headers['upgrade'] === 'SPDY/3.1')) {
  test(`kubectl ${recorded.kubectl} port-forward over SPDY`, async () => {
    const [near, far] = createDuplexPair();
    const serving = serveForwardOverSpdy(far, { codec: createHeaderCodec(), clock: new VirtualClock() }, SHOUTING);
    const answers = readAll(near, LIMIT);
    const { first, last } = saidToPod(recorded);
    await near.write(first);
    await near.write(last);
    await near.end();
    await serving;
    const answer = Buffer.from(await answers).toString('latin1');
    assert.ok(answer.includes(SHOUT), answer);
  });
}

for (const recorded of FORWARDS.filter(({ headers }) => headers['upgrade'] === 'websocket')) {
  test(`kubectl ${recorded.kubectl} port-forward over a WebSocket`, async () => {
    const [near, far] = duplexPair();
    const { method, headers, chosen } = recorded;
    assert.equal(chosen, FORWARD_TUNNEL_PROTOCOL);
    const request = { method, headers, url: '/' } as Parameters<typeof acceptWebSocket>[0];
    const messages = await acceptWebSocket(request, { socket: far, head: new Uint8Array(0) }, chosen);
    assert.ok(messages !== undefined);
    const shouted = Promise.withResolvers<void>();
    let heard = '';
    near.on('data', (piece: Buffer) => {
      heard += piece.toString('latin1');
      if (heard.includes(SHOUT)) shouted.resolve();
    });
    const ended = new Promise<void>((resolve) => near.once('end', resolve));
    const ground = { codec: createHeaderCodec(), clock: new VirtualClock() };
    const serving = serveForwardOverSpdy(tunnelOver(messages), ground, SHOUTING);
    const { first, last } = saidToPod(recorded);
    near.write(first);
    await shouted.promise;
    near.end(last);
    await serving;
    await ended;
  });
}

for (const recorded of FORWARDS.filter(({ headers }) => headers['upgrade'] === 'websocket')) {
  test(`kubectl ${recorded.kubectl} port-forward over a WebSocket, with a server of SPDY`, async () => {
    const clock = new VirtualClock();
    const { method, headers, chosen } = recorded;
    const { messages, stream } = await acceptLocalWebSocket({ method, headers }, chosen);
    assert.ok(messages !== undefined);
    const [carrier, far] = createDuplexPair();
    const serving = serveForwardOverSpdy(far, { codec: createHeaderCodec(), clock }, SHOUTING);
    const tunneling = tunnelForward(messages, carrier, { clock });
    const { first, last } = saidToPod(recorded);
    await stream.write(first);
    let heard = '';
    while (!heard.includes(SHOUT)) heard += Buffer.from((await stream.read()) ?? []).toString('latin1');
    await stream.write(last);
    await stream.end();
    await readAll(stream, LIMIT);
    await Promise.all([serving, tunneling]);
  });
}

test('every kubectl of before and after the change of protocol is among them', () => {
  assert.deepEqual(
    [...new Set(COMMANDS.map(({ kubectl, chosen }) => `${kubectl} ${chosen}`))],
    ['1.27 v4.channel.k8s.io', '1.30 v5.channel.k8s.io', '1.33 v5.channel.k8s.io'],
  );
  assert.deepEqual(
    FORWARDS.map(({ kubectl, chosen }) => `${kubectl} ${chosen}`),
    [
      '1.27 portforward.k8s.io',
      '1.30 portforward.k8s.io',
      '1.30 SPDY/3.1+portforward.k8s.io',
      '1.33 SPDY/3.1+portforward.k8s.io',
    ],
  );
});
