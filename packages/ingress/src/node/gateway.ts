import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { ClientCount, messageOf, plainAddress } from '@binnacle/base';
import type { ClientBounds, Logger } from '@binnacle/base';
import { nodeHttp } from '@binnacle/base/node';
import type { ConnectPlace, Traffic } from '../ports.ts';
import { FailedPlaces } from './failed-places.ts';
import { H2cPassage } from './h2c-passage.ts';
import { H2cSessions } from './h2c-sessions.ts';
import { endToEnd, readHead } from './head.ts';
import type { Arrival, ReadHead } from './head.ts';
import { join } from './join.ts';
import { OneByOne } from './one-by-one.ts';
import { Passage, TRIES_MAX } from './passage.ts';
import type { AnyRequest, AnyResponse, BackendAgents, PassageOptions } from './passage.ts';

/** What a gateway asks, and whom it tells. */
export interface GatewayOptions {
  readonly traffic: Traffic;
  readonly connect: ConnectPlace;
  readonly log: Logger;
  /** Requests under way at once, in all and of each client. Absent: some thousands. */
  readonly requests?: ClientBounds;
}

/** Kept idle for less than the five seconds after which common servers close: hardly any request meets a closed one. */
const KEPT_MS = 4_000;
const KEPT_PER_PLACE_MAX = 64;
const REASONS: { readonly [status: number]: string } = {
  400: 'this is no request for a host and a path\n',
  501: 'bodies come plain or in chunks\n',
  502: 'the backend did not answer as it should\n',
  503: 'too many requests are under way\n',
  504: 'the backend did not answer in time\n',
};
/** Under way at once: each has a connection to a backend, and one connection of HTTP/2 brings hundreds. */
const REQUESTS = { max: 4096, perClientMax: 1024 };

interface Closing {
  prependOnceListener(event: 'close', heard: () => void): unknown;
}

/** Takes requests from listeners, and passes each to who answers for it. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #agents: BackendAgents;
  readonly #sessions: H2cSessions;
  readonly #lines = new OneByOne();
  readonly #underWay: ClientCount;
  readonly #failed = new FailedPlaces(() => performance.now());

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#underWay = new ClientCount(options.requests ?? REQUESTS);
    const kept = { keepAlive: true, timeout: KEPT_MS, maxFreeSockets: KEPT_PER_PLACE_MAX };
    this.#sessions = new H2cSessions(options.connect);
    this.#agents = { http: new (nodeHttp().Agent)(kept), https: new HttpsAgent(kept) };
  }

  /** Ends connections that wait for a next request. */
  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
    this.#sessions.close();
  }

  /** An ordinary request, of either protocol. */
  serve(request: AnyRequest, response: AnyResponse): void {
    request.on('error', ignore);
    response.on('error', ignore);
    if ('stream' in request) {
      // In the next turn: of the thousands that one piece may ask for and take back, none costs more than its frames.
      setImmediate(() => {
        if (!request.stream.destroyed) this.#begin(request, response);
      });
      return;
    }
    const { socket } = request;
    response.once('close', () => this.#lines.leave(socket));
    this.#lines.enter(socket, () => this.#begin(request, response));
  }

  #begin(request: AnyRequest, response: AnyResponse): void {
    if (!this.#enter(request, response)) return refuse(response, 503);
    const passage = this.#passage(request, () => response);
    if (passage === undefined) return;
    response.once('close', () => {
      if (!isAnswered(response)) passage.abandon();
    });
    passage.start();
  }

  /** Counts a request in until what carries its answer is over; false: there is no room for it. */
  #enter(request: AnyRequest, until: Closing): boolean {
    const client = plainAddress(socketOf(request)?.remoteAddress ?? '');
    if (!this.#underWay.enter(client)) return false;
    // Before the next request of the connection begins.
    until.prependOnceListener('close', () => this.#underWay.leave(client));
    return true;
  }

  /** A request to change to WebSocket; `head`: what came after it already. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Uint8Array): void {
    socket.on('error', ignore);
    const response = (): ServerResponse => responseOn(request, socket as Socket);
    if (!this.#enter(request, socket)) return refuse(response(), 503);
    const passage = this.#passage(request, response, {
      protocol: 'websocket',
      changed: (reply, backend, more) => {
        backend.on('error', ignore);
        socket.write(changeHead(reply));
        if (more.length > 0) socket.write(more);
        if (head.length > 0) backend.write(head);
        join(socket, backend);
      },
    });
    if (passage === undefined) return;
    socket.once('close', () => passage.abandon());
    passage.start();
  }

  #passage(
    request: AnyRequest,
    response: () => AnyResponse,
    upgrade?: NonNullable<PassageOptions['upgrade']>,
  ): Pick<Passage, 'start' | 'abandon'> | undefined {
    const { traffic, connect, log } = this.#options;
    const head = readRequest(request);
    if (typeof head === 'number') return refuse(response(), head);
    const answer = traffic.route(head.host, head.path);
    if (answer.kind === 'nowhere') return refuse(response(), answer.status, answer.message);
    const { protocol } = answer;
    const places = this.#failed.order(answer.places, TRIES_MAX);
    const failed = (status: 502 | 504, error: Error): void => {
      log.info(3, 'nobody answered a request', { host: head.host, path: head.path, reason: messageOf(error) });
      refuse(response(), status);
    };
    const passed = { head, places, standing: this.#failed, request, response, failed };
    if (protocol === 'h2c') {
      // A WebSocket goes by HTTP/1.1, which nobody speaks there.
      if (upgrade !== undefined) return refuse(response(), 502);
      return new H2cPassage({ ...passed, sessions: this.#sessions });
    }
    const upgraded = upgrade === undefined ? {} : { upgrade };
    return new Passage({ ...passed, ...upgraded, protocol, connect, agents: this.#agents });
  }
}

/** All of it was said. Of HTTP/2 a request that is taken back is finished too, without anybody's word. */
function isAnswered(response: AnyResponse): boolean {
  return 'stream' in response ? response.writableEnded : response.writableFinished;
}

function socketOf(request: AnyRequest): Socket | undefined {
  return 'stream' in request ? request.stream.session?.socket : request.socket;
}

function readRequest(request: AnyRequest): ReadHead | number {
  const socket = socketOf(request);
  const arrival: Arrival = {
    remoteAddress: socket?.remoteAddress ?? '',
    isSecure: socket instanceof TLSSocket || 'stream' in request,
    port: socket?.localPort ?? 0,
  };
  return readHead(
    { method: request.method ?? 'GET', target: request.url ?? '', rawHeaders: request.rawHeaders },
    arrival,
  );
}

function refuse(response: AnyResponse, status: number, message = REASONS[status] ?? ''): undefined {
  if (response.headersSent) {
    response.end();
    return;
  }
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': `${Buffer.byteLength(message)}` };
  // What was tried before may have left its mark: of a reply that cannot be passed on nothing stays.
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  if ('stream' in response) response.writeHead(status, headers);
  else {
    response.statusMessage = '';
    response.writeHead(status, headers);
  }
  response.end(message);
}

/** An answer on a connection that was to become another protocol's, and ends with it. */
function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new (nodeHttp().ServerResponse)(request);
  response.on('error', ignore);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => {
    response.detachSocket(socket);
    socket.end();
  });
  return response;
}

function changeHead({ rawHeaders, headers }: IncomingMessage): string {
  const lines = Object.entries(endToEnd(rawHeaders)).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}\r\n`),
  );
  const change = `connection: Upgrade\r\nupgrade: ${headers.upgrade ?? 'websocket'}\r\n`;
  return `HTTP/1.1 101 Switching Protocols\r\n${change}${lines.join('')}\r\n`;
}

/** Clients and backends go away at any time: whoever waits for something hears of it by `close`. */
function ignore(): void {}
