import { createDuplexPair } from '@binnacle/base';
import type { Clock, Duplex } from '@binnacle/base';
import { Channels, channelsOf, endedMessages } from '../messages.ts';
import type { Messages } from '../messages.ts';
import { forwardPair, parsePort } from './session.ts';
import type { PortTarget } from './session.ts';
import { FORWARD_TUNNEL_PROTOCOL } from './spdy-forward.ts';

/** The WebSocket subprotocols of port-forward: SPDY in messages, or one pair of channels for each port of the query. */
export const WEBSOCKET_FORWARD_PROTOCOLS = [FORWARD_TUNNEL_PROTOCOL, 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io'];

/** How many ports one WebSocket of this subprotocol carries: two channels each. */
export function forwardPortsMax(protocol: string): number {
  return Math.floor(channelsOf(isBase64(protocol)) / 2);
}

/** The ports of a query, where they can be forwarded over one WebSocket of this subprotocol; else the words for why not. */
export function forwardPorts(texts: readonly string[], protocol: string): readonly number[] | string {
  const ports: number[] = [];
  for (const text of texts) {
    const port = parsePort(text);
    if (port === undefined) return `invalid value ${JSON.stringify(text)} for port`;
    ports.push(port);
  }
  if (ports.length === 0) return 'query parameter "port" is required';
  const most = forwardPortsMax(protocol);
  return ports.length > most ? `no more than ${most} ports can be forwarded over ${protocol}` : ports;
}

function isBase64(protocol: string): boolean {
  return protocol.includes('base64.');
}

/**
 * Port-forward over the channels of a WebSocket: 2n carries the bytes of port n, 2n + 1 words about its failure.
 * Both begin with the port's number in two bytes, the lower one first. No more ports than `forwardPortsMax`. Ends with
 * the connection.
 */
export async function serveForwardOverWebSocket(
  { messages, clock }: { readonly messages: Messages; readonly clock: Clock },
  ports: readonly number[],
  target: PortTarget,
): Promise<void> {
  const channels = new Channels(messages, isBase64(messages.protocol));
  const lanes = ports.map((port, index) => new ChannelLane(channels, { port, index }));
  for (const lane of lanes) await lane.start();
  const receiving = receive(channels, lanes);
  await Promise.all(lanes.map((lane) => forwardPair(lane, target, clock)));
  try {
    await messages.close();
  } catch {
    // One that is aborted already has nobody to say goodbye to.
    await messages.closed;
  }
  await receiving;
}

async function receive(channels: Channels, lanes: readonly ChannelLane[]): Promise<void> {
  let end: Error = endedMessages();
  try {
    for (let next = await channels.read(); next !== undefined; next = await channels.read()) {
      if (next.channel % 2 === 0) await lanes[next.channel / 2]?.take(next.data);
    }
  } catch (error) {
    end = error as Error;
  }
  for (const lane of lanes) lane.drop(end);
}

class ChannelLane {
  readonly port: number;
  readonly data: Duplex;
  readonly error: Pick<Duplex, 'write' | 'end'>;
  readonly #channels: Channels;
  readonly #index: number;
  readonly #far: Duplex;

  constructor(channels: Channels, { port, index }: { readonly port: number; readonly index: number }) {
    this.port = port;
    this.#channels = channels;
    this.#index = index;
    [this.data, this.#far] = createDuplexPair();
    this.error = { write: (words) => channels.write(index * 2 + 1, words), end: async () => undefined };
  }

  async start(): Promise<void> {
    const number = new Uint8Array([this.port & 0xff, this.port >> 8]);
    await this.#channels.write(this.#index * 2, number);
    await this.#channels.write(this.#index * 2 + 1, number);
    this.#send().catch((error: unknown) => this.drop(error as Error));
  }

  /** A port whose connection is over takes no more; the others go on. */
  async take(data: Uint8Array): Promise<void> {
    try {
      await this.#far.write(data);
    } catch {
      // Its own client has been told.
      return;
    }
  }

  drop(error: Error): void {
    this.#far.abort(error);
  }

  async #send(): Promise<void> {
    for (let chunk = await this.#far.read(); chunk !== undefined; chunk = await this.#far.read()) {
      await this.#channels.write(this.#index * 2, chunk);
    }
  }
}
