import { readAll } from '@binnacle/base';
import type { Duplex } from '@binnacle/base';
import { isDone } from '../is-done.ts';
import type { SpdyConnection } from '../spdy/connection.ts';
import { decodeOutcome, encodeSize } from './session.ts';
import type { CommandOutcome, CommandSession, CommandStreams } from './session.ts';
import { commandStreamTypes } from './spdy-session.ts';

/** The words about an outcome are no longer than this. */
const OUTCOME_BYTES_MAX = 64 * 1024;

/** What a client of exec or attach is joined to: all of a session but its end. */
export type CommandEnds = Pick<CommandSession, 'stdin' | 'stdout' | 'stderr' | 'sizes'>;

/**
 * Exec or attach over SPDY, at the client's end (v4): hands on what `ends` give and take until the server tells how
 * it ended. Throws what breaks the connection; `ends` are not ended by it.
 */
export async function runCommandOverSpdy(
  connection: SpdyConnection,
  wanted: CommandStreams,
  ends: CommandEnds,
): Promise<CommandOutcome> {
  const streams = new Map<string, Duplex>();
  // In this order: servers look at the first one for the outcome of the others.
  for (const type of commandStreamTypes(wanted, { version: 4 })) {
    streams.set(type, (await connection.open({ streamtype: type })).bytes);
  }
  const [error, stdin, stdout, stderr, resize] = ['error', 'stdin', 'stdout', 'stderr', 'resize'].map((type) =>
    streams.get(type),
  );
  if (stdin !== undefined && ends.stdin !== undefined) watch(send(ends.stdin, stdin), stdin);
  if (resize !== undefined) watch(sendSizes(ends.sizes, resize), resize);
  const telling = error === undefined ? Promise.resolve(new Uint8Array(0)) : readAll(error, OUTCOME_BYTES_MAX);
  const [words] = await Promise.all([telling, copy(stdout, ends.stdout), copy(stderr, ends.stderr)]);
  // Not before: servers hang up once they have told, and what reaches them behind that breaks what is on its way here.
  await Promise.all([error, stdout, stderr].flatMap((stream) => (stream === undefined ? [] : [isDone(stream.end())])));
  return decodeOutcome(new TextDecoder().decode(words));
}

/** Input ends when it does: the outcome does not wait for it, and its failure ends only its own stream. */
function watch(sending: Promise<void>, stream: Duplex): void {
  sending.catch((error: unknown) => stream.abort(error as Error));
}

async function send(from: Pick<Duplex, 'read'>, to: Duplex): Promise<void> {
  for (let chunk = await from.read(); chunk !== undefined; chunk = await from.read()) await to.write(chunk);
  await to.end();
}

async function sendSizes(sizes: CommandSession['sizes'], to: Duplex): Promise<void> {
  for await (const size of sizes) await to.write(encodeSize(size));
  await to.end();
}

async function copy(from: Duplex | undefined, to: CommandSession['stdout']): Promise<void> {
  if (from === undefined) return;
  for (let chunk = await from.read(); chunk !== undefined; chunk = await from.read()) await to?.write(chunk);
}
