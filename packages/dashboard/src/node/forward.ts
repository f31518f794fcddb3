import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { joinBytes, joinDuplex, messageOf } from '@binnacle/base';
import type { Clock, Duplex, Logger, Random, Timer } from '@binnacle/base';
import { duplexOf } from '@binnacle/base/node';
import type { Wire } from '@binnacle/machinery';
import { FORWARD_PROTOCOL, openForwarded, SpdyConnection } from '@binnacle/streams';
import { createHeaderCodec } from '@binnacle/streams/node';
import { HEAD_BYTES_MAX, readHost } from '../request-host.ts';

/** A port of a pod. */
export interface ForwardTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** A forward as the page knows it. */
export interface ForwardView extends ForwardTarget {
  readonly id: string;
  /** Where the viewer's browser finds it. */
  readonly url: string;
}

/** What forwards need of the world. */
export interface ForwardWorld {
  /** The loopback address on which they listen. */
  readonly host: string;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  readonly log: Logger;
}

const ID_BYTES = 8;
const HEAD_DEADLINE_MS = 30_000;
const CONNECTIONS_MAX = 100;
const LEAVE_MS = 2_000;
/** One that nobody has used for so long ends by itself. */
const IDLE_MS = 60 * 60 * 1000;

/**
 * Opens a port of a pod to the viewer's browser, under a name and a port that nothing else has ever had: what a pod serves
 * must share no origin with anything, and what it leaves in the browser meets nobody else there. Only requests under that
 * name are carried, so that no other name leads a page there. Throws what the API server says where it refuses.
 */
export async function openForward(wire: Wire, target: ForwardTarget, world: ForwardWorld): Promise<Forward> {
  const id = [...world.random.bytes(ID_BYTES)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const pod = new PodPort(wire, target, world.clock);
  // Whoever may not, hears of it now and not in a page of its own.
  await pod.connected();
  const server = createServer({ allowHalfOpen: true });
  server.maxConnections = CONNECTIONS_MAX;
  try {
    server.listen(0, world.host);
    await once(server, 'listening');
  } catch (error) {
    await pod.close();
    throw error;
  }
  return new Forward({ server, pod, world, id, target });
}

/** The way to a port of a pod: one connection to the API server for all, opened again where it broke. */
class PodPort {
  readonly #wire: Wire;
  readonly #target: ForwardTarget;
  readonly #clock: Clock;
  #connection: Promise<SpdyConnection> | undefined;
  #count = 0;

  constructor(wire: Wire, target: ForwardTarget, clock: Clock) {
    this.#wire = wire;
    this.#target = target;
    this.#clock = clock;
  }

  async open(): Promise<Duplex> {
    const connection = await this.connected();
    return openForwarded(connection, this.#target.port, String(this.#count++));
  }

  connected(): Promise<SpdyConnection> {
    if (this.#connection !== undefined) return this.#connection;
    const opening = this.#connect();
    this.#connection = opening;
    const forget = (): void => {
      if (this.#connection === opening) this.#connection = undefined;
    };
    opening.then(({ closed }) => closed.then(forget), forget);
    return opening;
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection === undefined) return;
    const [opened] = await Promise.allSettled([connection]);
    if (opened.status === 'fulfilled') opened.value.abort();
  }

  async #connect(): Promise<SpdyConnection> {
    const { namespace, pod } = this.#target;
    const { stream } = await this.#wire.open({
      path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/portforward`,
      protocol: 'SPDY/3.1',
      headers: { 'x-stream-protocol-version': FORWARD_PROTOCOL },
    });
    return new SpdyConnection(stream, { role: 'client', codec: createHeaderCodec(), clock: this.#clock });
  }
}

interface ForwardParts {
  readonly server: Server;
  readonly pod: PodPort;
  readonly world: ForwardWorld;
  readonly id: string;
  readonly target: ForwardTarget;
}

/** One port of one pod, as long as somebody wants it. */
export class Forward {
  readonly view: ForwardView;
  readonly #parts: ForwardParts;
  readonly #name: string;
  readonly #sockets = new Set<Socket>();
  #idle: Timer | undefined;
  /** Called once, when it is over. */
  onClosed: () => void = () => undefined;

  constructor(parts: ForwardParts) {
    this.#parts = parts;
    const { server, id, target, world } = parts;
    const { port } = server.address() as AddressInfo;
    this.#name = `${id}.localhost:${port}`;
    this.view = { id, ...target, url: `http://${this.#name}/` };
    // One that could not be taken in (no descriptor is left) ends no process.
    server.on('error', (error) =>
      world.log.warn('a forward took no connection', { ...target, reason: messageOf(error) }),
    );
    server.on('connection', (socket: Socket) => {
      this.#carry(socket).catch((error: unknown) => {
        world.log.info(2, 'a forwarded connection ended', { ...target, reason: messageOf(error) });
        socket.destroy();
      });
    });
    this.#rest();
  }

  async close(): Promise<void> {
    this.#idle?.cancel();
    this.#parts.server.close();
    for (const socket of this.#sockets) socket.destroy();
    await this.#parts.pod.close();
    this.onClosed();
  }

  async #carry(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    this.#idle?.cancel();
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#rest();
    });
    const near = duplexOf(socket);
    const deadline = this.#parts.world.clock.after(HEAD_DEADLINE_MS, () => near.abort());
    const head = await readHead(near).finally(() => deadline.cancel());
    const reading = readHost(head);
    if (reading.type !== 'host' || reading.host !== this.#name) {
      await answer(near, '421 Misdirected Request', 'this name leads nowhere');
      return this.#leave(near);
    }
    const told = answering(near, () => this.#leave(near));
    try {
      const far = await this.#parts.pod.open();
      await far.write(head);
      await joinDuplex(told, far);
    } catch (error) {
      told.abort(error as Error);
    }
    await near.closed;
  }

  /** Who was told why, and stays all the same, is left after a moment. */
  #leave(near: Duplex): void {
    this.#parts.world.clock.after(LEAVE_MS, () => near.abort(), { background: true });
  }

  #rest(): void {
    if (this.#sockets.size > 0) return;
    this.#idle?.cancel();
    const { clock, log } = this.#parts.world;
    const end = (): void => {
      this.close().catch((error: unknown) => log.error(error, 'a forward did not end well', { ...this.view }));
    };
    this.#idle = this.#parts.server.listening ? clock.after(IDLE_MS, end, { background: true }) : undefined;
  }
}

async function readHead(near: Duplex): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array();
  while (readHost(head).type === 'more') {
    const more = await near.read();
    if (more === undefined) break;
    head = joinBytes([head, more], head.length + more.length);
    if (head.length > HEAD_BYTES_MAX) break;
  }
  return head;
}

/** The near end; what fails before the pod answered is told in words instead of a connection that breaks. */
function answering(near: Duplex, leave: () => void): Duplex {
  let hasAnswered = false;
  return {
    read: () => near.read(),
    write: (chunk) => {
      hasAnswered = true;
      return near.write(chunk);
    },
    end: () => near.end(),
    abort: (error) => {
      if (hasAnswered) return near.abort(error);
      hasAnswered = true;
      answer(near, '502 Bad Gateway', messageOf(error)).then(leave, () => near.abort(error));
    },
    closed: near.closed,
  };
}

async function answer(near: Duplex, status: string, words: string): Promise<void> {
  const body = new TextEncoder().encode(`${words}\n`);
  const head = [
    ...[`HTTP/1.1 ${status}`, 'content-type: text/plain; charset=utf-8', `content-length: ${body.length}`],
    ...['x-content-type-options: nosniff', 'connection: close', '', ''],
  ];
  await near.write(new TextEncoder().encode(head.join('\r\n')));
  await near.write(body);
  await near.end();
}
