import type { Duplex } from '@binnacle/base';

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

/** The port in a header or a query; undefined for what is none. */
export function parsePort(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,5}$/.test(text)) return undefined;
  const port = Number(text);
  return port > 0 && port < 65_536 ? port : undefined;
}

/** Carries one connection to its end. Never rejects: the client reads what went wrong. */
export async function forwardPair(pair: ForwardedPair, target: PortTarget): Promise<void> {
  const failure = await carry(pair, target);
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
async function carry({ port, data }: ForwardedPair, target: PortTarget): Promise<Error | undefined> {
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
  return new Promise((resolve) => {
    Promise.all([pump(backend, client), pump(client, backend)]).then(
      () => resolve(undefined),
      (error: unknown) => {
        backend.abort(error as Error);
        resolve(gone ? undefined : (error as Error));
      },
    );
  });
}

type Ends = Pick<Duplex, 'read' | 'write' | 'end'>;

async function pump(from: Ends, to: Ends): Promise<void> {
  for (let chunk = await from.read(); chunk !== undefined; chunk = await from.read()) await to.write(chunk);
  await to.end();
}
