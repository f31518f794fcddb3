import type { Duplex } from '@binnacle/base';
import { StreamProtocolError } from '../errors.ts';
import { SpdyConnection } from '../spdy/connection.ts';
import type { SpdyOptions } from '../spdy/connection.ts';
import type { SpdyStream } from '../spdy/lane.ts';
import type { CommandProtocol } from './protocols.ts';
import { encodeOutcome, noSizes, readSizes } from './session.ts';
import type { CommandOutcome, CommandSession, CommandStreams } from './session.ts';

/** Clients that open no streams are not waited for. Upstream's figure. */
const OPEN_MS_MAX = 30_000;

/** What a session over SPDY stands on. */
export type SpdyGround = Pick<SpdyOptions, 'codec' | 'clock' | 'turns'>;

/** The streams that a client of these wishes opens. */
export function commandStreamTypes(
  wanted: CommandStreams,
  { version }: Pick<CommandProtocol, 'version'>,
): readonly string[] {
  const types = ['error'];
  if (wanted.stdin) types.push('stdin');
  if (wanted.stdout) types.push('stdout');
  if (wanted.stderr && !wanted.tty) types.push('stderr');
  if (wanted.tty && version >= 3) types.push('resize');
  return types;
}

/** Exec or attach over SPDY, at the server's end: ready when the client has opened its streams. */
export async function commandOverSpdy(
  carrier: Duplex,
  ground: SpdyGround & { readonly protocol: CommandProtocol },
  wanted: CommandStreams,
): Promise<CommandSession> {
  const { clock, protocol } = ground;
  const gathering = new Gathering(commandStreamTypes(wanted, protocol));
  const onStream = (stream: SpdyStream): void => gathering.take(stream);
  const connection = new SpdyConnection(carrier, { role: 'server', ...ground, onStream });
  const late = clock.after(OPEN_MS_MAX, () => {
    gathering.fail(new StreamProtocolError('timed out waiting for client to create streams'));
  });
  // Never rejects: `closed` does not.
  void connection.closed.then((error) => {
    gathering.fail(error ?? new StreamProtocolError('the client left before it created streams'));
  });
  let streams: ReadonlyMap<string, Duplex>;
  try {
    streams = await gathering.complete;
  } catch (error) {
    connection.abort(error as Error);
    throw error;
  } finally {
    late.cancel();
  }
  return sessionOf(connection, streams, protocol);
}

function sessionOf(
  connection: SpdyConnection,
  streams: ReadonlyMap<string, Duplex>,
  protocol: CommandProtocol,
): CommandSession {
  const [stdin, stdout, stderr, resize] = ['stdin', 'stdout', 'stderr', 'resize'].map((type) => streams.get(type));
  return {
    ...(stdin === undefined ? {} : { stdin }),
    ...(stdout === undefined ? {} : { stdout }),
    ...(stderr === undefined ? {} : { stderr }),
    sizes: resize === undefined ? noSizes() : readSizes(resize),
    closed: connection.closed,
    async finish(outcome: CommandOutcome) {
      const error = streams.get('error');
      const words = encodeOutcome(outcome, protocol.version);
      if (words.length > 0) await error?.write(words);
      await Promise.all([...streams.values()].map((stream) => stream.end()));
      await connection.close();
    },
    abort: (error) => connection.abort(error),
  };
}

/** Collects streams by their type until all are there. */
class Gathering {
  readonly complete: Promise<ReadonlyMap<string, Duplex>>;
  readonly #wanted: Set<string>;
  readonly #streams = new Map<string, Duplex>();
  #settle: { resolve(streams: ReadonlyMap<string, Duplex>): void; reject(error: Error): void } | undefined;

  constructor(wanted: readonly string[]) {
    this.#wanted = new Set(wanted);
    this.complete = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  take({ headers, bytes }: SpdyStream): void {
    const type = headers['streamtype'] ?? '';
    if (!this.#wanted.has(type) || this.#streams.has(type)) {
      bytes.abort();
      return;
    }
    this.#streams.set(type, bytes);
    if (this.#streams.size === this.#wanted.size) this.#settle?.resolve(this.#streams);
  }

  fail(error: Error): void {
    this.#settle?.reject(error);
  }
}
