import type { Duplex, Timer } from '@binnacle/base';
import { readAll, StreamCutError } from '@binnacle/base';
import type { SpdyGround } from '../command/spdy-session.ts';
import { StreamProtocolError } from '../errors.ts';
import { SpdyConnection } from '../spdy/connection.ts';
import type { SpdyStream } from '../spdy/lane.ts';
import { forwardPair, parsePort } from './session.ts';
import type { PortTarget } from './session.ts';

/** The subprotocol in `X-Stream-Protocol-Version`. */
export const FORWARD_PROTOCOL = 'portforward.k8s.io';
/** The subprotocol of a WebSocket that carries SPDY. */
export const FORWARD_TUNNEL_PROTOCOL = 'SPDY/3.1+portforward.k8s.io';

/** A stream whose partner does not come is given up. Upstream's figure. */
const PAIR_MS_MAX = 30_000;
/** So many may wait for one. A stream that its client has reset counts on, as the connection does not know it any more. */
const HALVES_MAX = 1000;
/** Words about a failure are no longer than this. */
const FAILURE_BYTES_MAX = 64 * 1024;

interface Half {
  readonly stream: SpdyStream;
  readonly timer: Timer;
}

/** Port-forward over SPDY, at the server's end: streams come in pairs of `error` and `data`. Ends with the connection. */
export async function serveForwardOverSpdy(carrier: Duplex, ground: SpdyGround, target: PortTarget): Promise<void> {
  const halves = new Map<string, Half>();
  const onStream = (stream: SpdyStream): void => {
    const { streamtype = '', port: portText } = stream.headers;
    const port = parsePort(portText);
    if (port === undefined || (streamtype !== 'error' && streamtype !== 'data')) {
      stream.bytes.abort(new StreamProtocolError('a stream of port-forward needs a type and a port'));
      return;
    }
    // Clients before 1.3 sent no ids: one connection at a time for each port.
    const key = stream.headers['requestid'] ?? `port ${port}`;
    const half = halves.get(key);
    if (half === undefined && halves.size >= HALVES_MAX) {
      stream.bytes.abort(new StreamProtocolError('too many streams wait for their partners'));
      return;
    }
    if (half === undefined || half.stream.headers['streamtype'] === streamtype) {
      half?.stream.bytes.abort();
      half?.timer.cancel();
      const timer = ground.clock.after(PAIR_MS_MAX, () => {
        halves.delete(key);
        stream.bytes.abort(new StreamCutError('timed out waiting for streams'));
      });
      halves.set(key, { stream, timer });
      return;
    }
    half.timer.cancel();
    halves.delete(key);
    const [error, data] = streamtype === 'data' ? [half.stream, stream] : [stream, half.stream];
    // Never rejects: the client reads what went wrong.
    void forwardPair({ port, data: data.bytes, error: error.bytes }, target, ground.clock);
  };
  const connection = new SpdyConnection(carrier, { role: 'server', ...ground, onStream });
  await connection.closed;
  for (const { timer } of halves.values()) timer.cancel();
}

/**
 * One connection to a port, at the client's end. When the server tells of a failure, the stream is aborted with it
 * (StreamCutError with the server's words), which `closed` tells also where the stream had ended before.
 */
export async function openForwarded(connection: SpdyConnection, port: number, requestId: string): Promise<Duplex> {
  const shared = { port: String(port), requestid: requestId };
  const error = await connection.open({ ...shared, streamtype: 'error' });
  await error.bytes.end();
  const { bytes } = await connection.open({ ...shared, streamtype: 'data' });
  return {
    read: () => bytes.read(),
    write: (chunk) => bytes.write(chunk),
    end: () => bytes.end(),
    abort: (reason) => bytes.abort(reason),
    closed: verdictOf(error.bytes, bytes),
  };
}

/** What the server says of the stream: its words may come before or behind the end of the stream itself. */
async function verdictOf(error: Duplex, data: Duplex): Promise<Error | undefined> {
  let verdict: Error | undefined;
  try {
    const words = await readAll(error, FAILURE_BYTES_MAX);
    if (words.length > 0) verdict = new StreamCutError(new TextDecoder().decode(words));
  } catch (reason) {
    verdict = reason as Error;
  }
  if (verdict !== undefined) data.abort(verdict);
  return verdict ?? data.closed;
}
