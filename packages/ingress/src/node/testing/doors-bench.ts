import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@binnacle/base';
import { nodeHttp } from '@binnacle/base/node';
import { issueCertificate, makeAuthority } from '@binnacle/certificates/node';
import type { KeyPair } from '@binnacle/certificates/node';
import type { CertificatePair, ConnectPlace, Doors, Place, RouteAnswer } from '../../ports.ts';
import { makeDoors } from '../doors.ts';

/** What all certificates of these tests have of life. */
export const LIFE = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000, client: false };
/** Who issues them. */
export const authority = makeAuthority('test', LIFE);
export const issue = (name: string): KeyPair =>
  issueCertificate(authority, { commonName: name, hostnames: [name] }, LIFE);
/** A place where nobody listens. */
export const GONE: Place = { address: '127.0.0.1', port: 1, nodeName: 'n' };

type Serve = (...exchange: Parameters<RequestListener>) => unknown;

/** Both doors on ports of their own, and the backends that a test has them lead to. */
export class DoorsBench {
  answer: RouteAnswer = { kind: 'places', places: [], protocol: 'http' };
  /** What was asked for, as host and path. */
  asked: string[] = [];
  letsIn = true;
  connectPlace: ConnectPlace = () => undefined;
  /** The ports. */
  http = 0;
  https = 0;
  readonly #secrets: ReadonlyMap<string, CertificatePair>;
  readonly #doors: Doors;
  readonly #servers: Server[] = [];

  constructor(secrets: ReadonlyMap<string, CertificatePair> = new Map()) {
    this.#secrets = secrets;
    this.#doors = this.doorsOn({ http: 0, https: 0 });
  }

  /** Others, to the same backends. */
  doorsOn(ports: { readonly http: number; readonly https: number }): Doors {
    return makeDoors(
      {
        ports,
        letsIn: () => this.letsIn,
        connect: (place) => this.connectPlace(place),
        fallback: async () => issue('fallback.example'),
        log: silentLogger,
      },
      {
        route: (host, path) => {
          this.asked.push(`${host} ${path}`);
          return this.answer;
        },
        certificateFor: (name) => this.#secrets.get(name),
      },
    );
  }

  async open(): Promise<void> {
    const opened = await Promise.all([this.#doors.open('http'), this.#doors.open('https')]);
    [this.http = 0, this.https = 0] = opened.map((one) => ('port' in one ? one.port : 0));
  }

  /** After each test. */
  async clear(): Promise<void> {
    this.asked = [];
    this.letsIn = true;
    this.connectPlace = () => undefined;
    for (const server of this.#servers.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  }

  close(): Promise<void> {
    return this.#doors.close();
  }

  /** A server that does this with each request; what goes wrong in it, the client sees. */
  backend(serve: Serve): Promise<Place> {
    return this.listening(nodeHttp().createServer(serving(serve)));
  }

  async listening(server: Server): Promise<Place> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#servers.push(server);
    return { address: '127.0.0.1', port: (server.address() as AddressInfo).port, nodeName: 'n' };
  }

  leadTo(...places: readonly Place[]): void {
    this.answer = { kind: 'places', places, protocol: 'http' };
  }

  page(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.http}${path}`, init);
  }

  /** Says this on a connection, and hears all that comes back. */
  async say(text: string): Promise<string> {
    const socket = connect(this.http, '127.0.0.1');
    socket.write(text);
    return textOf(socket);
  }
}

/** Serves by this; what goes wrong in it, the client sees. */
export function serving(serve: Serve): RequestListener {
  return (request, response) => {
    void Promise.resolve(serve(request, response)).catch(() => response.destroy());
  };
}

export async function textOf(message: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of message) parts.push(part);
  return Buffer.concat(parts).toString();
}
