import type { Agent as HttpAgent, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { limitOpening, nodeHttp } from '@binnacle/base/node';
import { TransportError } from '../errors.ts';
import { basePathOf, connectFailure, openTls, tlsOptions } from './endpoint.ts';
import type { EndpointOptions } from './endpoint.ts';
import { sendPieces } from './exchange.ts';
import type { Exchange, ExchangeSink, RunningExchange, Transport } from './exchange.ts';

/** Node's agents know no proxies: who goes through one opens connections by hand. */
function agentOf(options: EndpointOptions): HttpsAgent {
  const agent = new HttpsAgent({ ...tlsOptions(options), keepAlive: true });
  if (options.proxyUrl === undefined) return agent;
  agent.createConnection = (_options, done) => {
    const settle = async (): Promise<void> => {
      let socket: TLSSocket;
      try {
        socket = await openTls(options, ['http/1.1']);
      } catch (error) {
        done?.(error as Error, undefined as never);
        return;
      }
      done?.(null, socket);
    };
    // Never rejects: the callback takes what went wrong.
    void settle();
    return undefined;
  };
  return agent;
}

/** For servers without HTTP/2 and for plain `http://`: one connection per running exchange, kept alive. */
export class Http1Transport implements Transport {
  readonly #options: EndpointOptions;
  readonly #secure: boolean;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#secure = options.server.startsWith('https:');
    this.#agent = this.#secure ? agentOf(options) : new (nodeHttp().Agent)({ keepAlive: true });
  }

  send(exchange: Exchange, sink: ExchangeSink): RunningExchange {
    let over = false;
    const finish = (tell: () => void): void => {
      if (over) return;
      over = true;
      tell();
    };
    const { protocol, hostname, port } = new URL(this.#options.server);
    const request = (this.#secure ? requestHttps : nodeHttp().request)({
      protocol,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      path: basePathOf(this.#options.server) + exchange.path,
      method: exchange.method,
      headers: {
        ...exchange.headers,
        ...(exchange.body instanceof Uint8Array ? { 'content-length': exchange.body.length } : {}),
      },
      agent: this.#agent,
    });
    request.once('socket', limitOpening);
    let body: IncomingMessage | undefined;
    request.on('response', (response: IncomingMessage) => {
      body = response;
      if (!over) sink.head(response.statusCode ?? 0, response.headers);
      response.on('data', (chunk: Uint8Array) => {
        if (!over) sink.data(chunk);
      });
      response.on('close', () =>
        finish(() => (response.complete ? sink.end() : sink.fail(new TransportError('cut', 'the connection was cut')))),
      );
      response.on('error', () => undefined);
    });
    request.on('error', (error) => finish(() => sink.fail(connectFailure(this.#options.server, error))));
    if (exchange.body === undefined || exchange.body instanceof Uint8Array) request.end(exchange.body);
    else sendPieces(exchange.body, request, (error) => request.destroy(error));
    return {
      pause: () => body?.pause(),
      resume: () => body?.resume(),
      cancel: () => {
        over = true;
        request.destroy();
      },
    };
  }

  close(): Promise<void> {
    this.#agent.destroy();
    return Promise.resolve();
  }
}
