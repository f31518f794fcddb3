import { connect } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { nodeStreamOf } from '@binnacle/base/node';
import { BadReplyError, GatewayTimeoutError } from '../errors.ts';
import type { ConnectPlace, Place } from '../ports.ts';

/** A connection without a request is kept so long for the next one, as with HTTP/1.1. */
const KEPT_MS = 4_000;
const CONNECT_MS_MAX = 5_000;
/** What waits for slow ends in one connection; beyond, heads of replies are refused. */
const SESSION_MEGABYTES_MAX = 64;

/** Room for one request in a connection. */
export interface Seat {
  readonly session: ClientHttp2Session;
  /** The request is over, or was never made. */
  readonly leave: () => void;
}

/** Connections of HTTP/2 to backends: one for each place, for as many requests as that takes at once, and then another. */
export class H2cSessions {
  readonly #connect: ConnectPlace;
  /** Those that are given out; others end with their last request. */
  readonly #open = new Map<string, Promise<ClientHttp2Session>>();

  constructor(connectPlace: ConnectPlace) {
    this.#connect = connectPlace;
  }

  /** A seat in a connection that is there, or is made. Rejects where nobody is. */
  async take(place: Place): Promise<Seat> {
    const key = `${place.address} ${place.port}`;
    // However many wait for a connection, each finds it with the requests of those before, and makes the next where it is full.
    for (let known = this.#open.get(key); known !== undefined; known = this.#open.get(key)) {
      const session = await known;
      if (!isFull(session)) return seatIn(session);
      if (this.#open.get(key) === known) break;
    }
    const made = this.#begin(place, () => {
      if (this.#open.get(key) === made) this.#open.delete(key);
    });
    this.#open.set(key, made);
    return seatIn(await made);
  }

  /** Ends those that nobody uses; others end with their last request. */
  close(): void {
    for (const made of this.#open.values()) {
      // Whoever waits for one that cannot be made is told; there is nothing to end.
      void made.then((one) => one.close()).catch(() => undefined);
    }
    this.#open.clear();
  }

  /** `over`: called once it takes no more requests. */
  async #begin(place: Place, over: () => void): Promise<ClientHttp2Session> {
    try {
      const dialled = await this.#connect(place)?.();
      const stream = dialled === undefined ? undefined : nodeStreamOf(dialled);
      return await opened(sessionTo(place, stream), over);
    } catch (error) {
      over();
      throw error;
    }
  }
}

function sessionTo({ address, port }: Place, stream: Duplex | undefined): ClientHttp2Session {
  const host = address.includes(':') ? `[${address}]` : address;
  return connect(`http://${host}:${port}`, {
    settings: { enablePush: false },
    maxSessionMemory: SESSION_MEGABYTES_MAX,
    ...(stream === undefined ? {} : { createConnection: () => stream }),
  });
}

/** Once it says how many requests it takes at once: those beyond, sent before, would be refused. */
function opened(session: ClientHttp2Session, over: () => void): Promise<ClientHttp2Session> {
  const { promise, resolve, reject } = Promise.withResolvers<ClientHttp2Session>();
  const late = setTimeout(() => session.destroy(new GatewayTimeoutError('connect')), CONNECT_MS_MAX);
  session.once('remoteSettings', () => {
    clearTimeout(late);
    // Whom it was made for may be gone.
    session.setTimeout(KEPT_MS);
    resolve(session);
  });
  session.on('error', reject);
  session.on('timeout', () => session.close());
  // It takes no more requests, and those under way are answered still.
  session.once('goaway', over);
  session.once('close', () => {
    clearTimeout(late);
    over();
    reject(new BadReplyError(undefined));
  });
  return promise;
}

/** More requests would wait until others are over, which streams of events may never be. */
function isFull(session: ClientHttp2Session): boolean {
  const { maxConcurrentStreams = Number.POSITIVE_INFINITY } = session.remoteSettings;
  return (USES.get(session) ?? 0) >= maxConcurrentStreams;
}

/** Counts a request in; without any for a while the connection ends. */
function seatIn(session: ClientHttp2Session): Seat {
  USES.set(session, (USES.get(session) ?? 0) + 1);
  session.setTimeout(0);
  const leave = (): void => {
    const left = (USES.get(session) ?? 1) - 1;
    USES.set(session, left);
    if (left === 0 && !session.closed) session.setTimeout(KEPT_MS);
  };
  return { session, leave };
}

/** Requests under way. */
const USES = new WeakMap<ClientHttp2Session, number>();
