import { AbortedError, messageOf, StreamCutError } from '@binnacle/base';
import type { Clock, Duplex, HttpCaller } from '@binnacle/base';
import { createHttpCaller } from '@binnacle/base/node';
import { FORWARD_PROTOCOL, noSizes, openForwarded, runCommandOverSpdy, SpdyConnection } from '@binnacle/streams';
import type { CommandOutcome, CommandStreams } from '@binnacle/streams';
import { createHeaderCodec } from '@binnacle/streams/node';
import { RuntimeError } from '../errors.ts';
import type { CommandIo } from '../ports.ts';

const CONNECT_MS_MAX = 30_000;
const COMMAND_PROTOCOL = 'v4.channel.k8s.io';
/** How long a runtime's answer may be that is no upgrade. */
const REFUSAL_BYTES_MAX = 4096;

/**
 * The runtime's own streaming server, whose URLs Exec, Attach and PortForward give out. Spoken to over SPDY, which
 * every runtime speaks and which can end one direction (of the WebSocket protocols only v5 can, which containerd
 * before 2 refuses).
 */
export class StreamingServer {
  readonly #clock: Clock;
  readonly #caller: HttpCaller = createHttpCaller();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Joins a command to its streams until it tells how it ended. */
  async run(url: string, io: CommandIo): Promise<CommandOutcome> {
    const connection = await this.#connect(url, COMMAND_PROTOCOL, io.signal);
    const drop = (): void => connection.abort(new AbortedError('the command', io.signal?.reason));
    io.signal?.addEventListener('abort', drop, { once: true });
    if (io.signal?.aborted === true) drop();
    try {
      const outcome = await runCommandOverSpdy(connection, wantedStreams(io), { ...io, sizes: io.sizes ?? noSizes() });
      await connection.close();
      return outcome;
    } catch (error) {
      connection.abort(error as Error);
      throw error instanceof AbortedError ? error : new RuntimeError(messageOf(error), { cause: error });
    } finally {
      io.signal?.removeEventListener('abort', drop);
    }
  }

  /** One connection to a port; it takes its carrier with it. */
  async forward(url: string, port: number): Promise<Duplex> {
    const connection = await this.#connect(url, FORWARD_PROTOCOL, undefined);
    const stream = await openForwarded(connection, port, '0');
    // Never rejects: `closed` does not.
    void stream.closed.then((error) => (error === undefined ? connection.close() : connection.abort(error)));
    return stream;
  }

  close(): Promise<void> {
    return this.#caller.close();
  }

  async #connect(url: string, protocol: string, signal: AbortSignal | undefined): Promise<SpdyConnection> {
    const reply = await this.#caller.upgrade({
      method: 'POST',
      url,
      headers: { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol },
      timeoutMs: CONNECT_MS_MAX,
      ...(signal === undefined ? {} : { signal }),
    });
    if ('stream' in reply) {
      return new SpdyConnection(reply.stream, { role: 'client', codec: createHeaderCodec(), clock: this.#clock });
    }
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of reply.body) {
      parts.push(part);
      length += part.length;
      if (length > REFUSAL_BYTES_MAX) break;
    }
    const words = new TextDecoder().decode(Buffer.concat(parts)).trim();
    throw new RuntimeError(`the runtime's streaming server answered ${reply.status}: ${words}`);
  }
}

/** CRI refuses a command without any stream, and a terminal with a stderr of its own. */
export function wantedStreams({ stdin, stdout, stderr, tty }: CommandIo): CommandStreams {
  const errors = stderr !== undefined && !tty;
  const nothing = stdin === undefined && stdout === undefined && !errors;
  return { stdin: stdin !== undefined, stdout: stdout !== undefined || nothing, stderr: errors, tty };
}

/** The exit code, or what kept the command from one. Throws RuntimeError. */
export function exitCodeOf(outcome: CommandOutcome): number {
  switch (outcome.kind) {
    case 'success':
      return 0;
    case 'exit':
      return outcome.exitCode;
    case 'failure':
      throw new RuntimeError(outcome.message, { cause: new StreamCutError(outcome.message) });
  }
}
