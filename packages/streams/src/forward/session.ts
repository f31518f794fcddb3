import type { Clock, Duplex } from '@binnacle/base';
import { isDone } from '../is-done.ts';

/** Reaches a port of the pod that a client forwards to. */
export interface PortTarget {
  /** Throws when nobody listens; the stream's `closed` tells what broke it later. */
  connect(port: number): Promise<Duplex>;
  /** What the client reads when a port could not be reached or the connection broke. */
  describe(port: number, error: Error): string;
}

/** One connection of the client to one port. */
export interface ForwardedPair {
  readonly port: number;
  readonly data: Duplex;
  /** Takes words about a failure, then ends. */
  readonly error: Pick<Duplex, 'write' | 'end'>;
}

/** How long the client may still write when the pod has said its last; upstream's figure. */
const AFTER_END_MS = 1_000;

/** The port in a header or a query; undefined for what is none. */
export function parsePort(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,5}$/.test(text)) return undefined;
  const port = Number(text);
  return port > 0 && port < 65_536 ? port : undefined;
}

/** Carries one connection to its end. Never rejects: the client reads what went wrong. */
export async function forwardPair(pair: ForwardedPair, target: PortTarget, clock: Clock): Promise<void> {
  const failure = await carry(pair, target, clock);
  try {
    if (failure !== undefined) await pair.error.write(new TextEncoder().encode(target.describe(pair.port, failure)));
    await pair.error.end();
    // Behind the words, so that the client has read them when its connection breaks.
    if (failure !== undefined) pair.data.abort(failure);
  } catch (error) {
    // The client has gone: nobody is left to be told.
    pair.data.abort(error as Error);
  }
}

/** Answers, as soon as it is known, with what went wrong on the side of the pod; the client's stream stands then. */
async function carry({ port, data }: ForwardedPair, target: PortTarget, clock: Clock): Promise<Error | undefined> {
  let backend: Duplex;
  try {
    backend = await target.connect(port);
  } catch (error) {
    return error as Error;
  }
  // What the client breaks off is no failure of the port.
  let gone = false;
  const byClient = (error: unknown): never => {
    gone = true;
    throw error;
  };
  const client: Ends = {
    read: () => data.read().catch(byClient),
    write: (chunk) => data.write(chunk).catch(byClient),
    end: () => data.end().catch(byClient),
  };
  const outward = pump(backend, client);
  const inward = pump(client, backend);
  try {
    // A backend may break while nothing is under way.
    await Promise.race([outward, inward.then(() => outward), breakOf(backend)]);
  } catch (error) {
    backend.abort();
    return gone ? undefined : (error as Error);
  }
  return verdictOf(backend, inward, clock);
}

/**
 * What is known of a backend a while after it has said its last: words about a failure may come behind that. kubectl
 * drops its half as soon as it has read the end, and waits for the words then.
 */
async function verdictOf(backend: Duplex, inward: Promise<void>, clock: Clock): Promise<Error | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = clock.after(AFTER_END_MS, () => late.resolve(undefined));
  // Neither rejects: where the client has gone or the backend is broken already, `closed` says all.
  await Promise.race([isDone(inward), backend.closed, late.promise]);
  await isDone(backend.end());
  const verdict = await Promise.race([backend.closed, late.promise]);
  timer.cancel();
  backend.abort();
  return verdict;
}

/** Rejects when the stream breaks; else it never settles. */
function breakOf(stream: Duplex): Promise<never> {
  return new Promise((_resolve, reject) => {
    // Never rejects: `closed` does not.
    void stream.closed.then((error) => {
      if (error !== undefined) reject(error);
    });
  });
}

type Ends = Pick<Duplex, 'read' | 'write' | 'end'>;

async function pump(from: Ends, to: Ends): Promise<void> {
  for (let chunk = await from.read(); chunk !== undefined; chunk = await from.read()) await to.write(chunk);
  await to.end();
}
