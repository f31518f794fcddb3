import { TransportError } from '../errors.ts';
import { connectFailure, openTls } from './endpoint.ts';
import type { EndpointOptions } from './endpoint.ts';
import type { Exchange, ExchangeSink, RunningExchange, Transport } from './exchange.ts';
import { Http1Transport } from './http1-transport.ts';
import { Http2Session } from './http2-session.ts';

/**
 * One HTTP/2 connection, opened on first use and again after it broke; a further one only when the server allows
 * no more streams on those that are open. A server that does not choose HTTP/2 gets HTTP/1.1 from then on.
 */
export class TransportPool implements Transport {
  readonly #options: EndpointOptions;
  readonly #sessions = new Set<Http2Session>();
  #opening: Promise<Transport | Http2Session> | undefined;
  #http1: Http1Transport | undefined;
  #closed = false;

  constructor(options: EndpointOptions) {
    this.#options = options;
    if (!options.server.startsWith('https:')) this.#http1 = new Http1Transport(options);
  }

  send(exchange: Exchange, sink: ExchangeSink): RunningExchange {
    const ready = this.#ready();
    if (ready !== undefined) return ready.send(exchange, sink);
    let cancelled = false;
    let running: RunningExchange | undefined;
    this.#open()
      .then(() => {
        if (!cancelled) running = this.send(exchange, sink);
      })
      // What cannot be sent at all (a header that is none) is the exchange's own failure, as one to connect is.
      .catch((error: unknown) => {
        if (!cancelled) sink.fail(error as Error);
      });
    return {
      cancel: () => {
        cancelled = true;
        running?.cancel();
      },
      pause: () => running?.pause(),
      resume: () => running?.resume(),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#http1?.close(), ...[...this.#sessions].map((session) => session.close())]);
  }

  #ready(): Http1Transport | Http2Session | undefined {
    if (this.#http1 !== undefined) return this.#http1;
    for (const session of this.#sessions) if (session.hasRoom) return session;
    return undefined;
  }

  #open(): Promise<unknown> {
    if (this.#closed) return Promise.reject(new TransportError('closed', 'the wire is closed'));
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #connect(): Promise<Transport | Http2Session> {
    const socket = await openTls(this.#options);
    if (this.#closed) {
      socket.destroy();
      throw new TransportError('closed', 'the wire is closed');
    }
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy();
      this.#http1 = new Http1Transport(this.#options);
      return this.#http1;
    }
    if (socket.destroyed) throw connectFailure(this.#options.server, 'the server hung up');
    const session: Http2Session = new Http2Session(this.#options.server, socket, {
      onUnusable: () => this.#sessions.delete(session),
    });
    await session.ready;
    if (!session.isUsable) throw connectFailure(this.#options.server, 'the server hung up');
    if (!session.hasRoom) {
      // Another connection would have none either.
      await session.close();
      throw connectFailure(this.#options.server, 'the server takes no requests on a new connection');
    }
    this.#sessions.add(session);
    return session;
  }
}
