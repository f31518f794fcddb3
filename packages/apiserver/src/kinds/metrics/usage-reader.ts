import { CatalogueError, messageOf, SerialQueue, sleep } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import { NODES } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import type { NodeConnector } from '../../ports/nodes.ts';
import type { CacheReader } from '../../ports/reader.ts';
import { kubeletAddress } from '../core/pods/kubelet-address.ts';
import { type NodeReadings, parseReadings } from './readings.ts';

/** Two answers of one kubelet, the older one first. */
export interface ReadingPair {
  readonly before: NodeReadings;
  readonly after: NodeReadings;
}

export interface UsageReaderOptions {
  readonly nodes: NodeConnector;
  readonly cache: CacheReader;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Known {
  readonly before?: NodeReadings;
  readonly after: NodeReadings;
  /** When the later one was read, by the steady clock. */
  readonly at: number;
}

/** As often as upstream's server of these figures asks. */
const RESOLUTION_MS = 15_000;
/** Older than that, an answer says nothing about now. */
const OLDEST_MS = 60_000;
/** Between two answers where there was none before. */
const SHORTEST_MS = 1_000;
const ANSWER_MS_MAX = 10_000;
const ANSWER_BYTES_MAX = 32 << 20;
const AT_ONCE = 32;

/** A kubelet answered something else than figures. */
class NodeFiguresError extends CatalogueError {
  constructor(node: string, what: string) {
    super('node-figures', `the kubelet of node ${node} does not tell its figures: ${what}`, { facts: { node } });
  }
}

/**
 * Asks kubelets what their node and pods use, when somebody wants to know it: nobody is asked while nobody does. A rate
 * takes two answers; where the last one is not old it is the first of them, else two are taken a second apart.
 */
export class UsageReader {
  readonly #options: UsageReaderOptions;
  readonly #known = new Map<string, Known>();
  /** One question at a time: who asks meanwhile finds its answer. */
  readonly #turns = new SerialQueue();

  constructor(options: UsageReaderOptions) {
    this.#options = options;
  }

  /** By node; a node whose kubelet does not answer is left out. */
  read(names: readonly string[]): Promise<ReadonlyMap<string, ReadingPair>> {
    return this.#turns.run(() => this.#read(names));
  }

  async #read(names: readonly string[]): Promise<ReadonlyMap<string, ReadingPair>> {
    this.#forgetGone();
    const stale = names.filter(
      (name) => this.#age(name) >= RESOLUTION_MS || this.#known.get(name)?.before === undefined,
    );
    const unknown = stale.filter((name) => this.#age(name) >= OLDEST_MS);
    for (const name of unknown) this.#known.delete(name);
    await this.#askAll(unknown);
    if (unknown.some((name) => this.#known.has(name))) await sleep(this.#options.clock, SHORTEST_MS);
    await this.#askAll(stale.filter((name) => this.#known.has(name)));
    return new Map(
      names.flatMap((name) => {
        const { before, after } = this.#known.get(name) ?? {};
        return before === undefined || after === undefined ? [] : [[name, { before, after }] as const];
      }),
    );
  }

  #age(name: string): number {
    const known = this.#known.get(name);
    return known === undefined ? Infinity : this.#options.clock.monotonic() - known.at;
  }

  async #askAll(names: readonly string[]): Promise<void> {
    const waiting = [...names];
    const work = async (): Promise<void> => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) await this.#askOrForget(name);
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, names.length) }, work));
  }

  async #askOrForget(name: string): Promise<void> {
    const { clock, log } = this.#options;
    const before = this.#known.get(name)?.after;
    try {
      const after = await this.#ask(name);
      this.#known.set(name, { ...(before === undefined ? {} : { before }), after, at: clock.monotonic() });
    } catch (error) {
      // A node that does not answer has no figures; the others have.
      this.#known.delete(name);
      log.info(2, 'A kubelet does not tell what is used', { node: name, reason: messageOf(error) });
    }
  }

  async #ask(nodeName: string): Promise<NodeReadings> {
    const { nodes, cache, clock } = this.#options;
    const node = cache.get(NODES, '', nodeName) as Node | undefined;
    if (node === undefined) throw new NodeFiguresError(nodeName, 'it is gone');
    const limit = new AbortController();
    const timer = clock.after(ANSWER_MS_MAX, () => limit.abort());
    try {
      const { status, body } = await nodes.get({
        nodeName,
        ...kubeletAddress(node),
        path: '/metrics/resource',
        insecure: false,
        signal: limit.signal,
      });
      const text = await textOf(nodeName, body);
      if (status !== 200) throw new NodeFiguresError(nodeName, `code ${status}`);
      return parseReadings(text, clock.now());
    } finally {
      timer.cancel();
    }
  }

  #forgetGone(): void {
    for (const name of this.#known.keys()) {
      if (this.#options.cache.get(NODES, '', name) === undefined) this.#known.delete(name);
    }
  }
}

async function textOf(node: string, body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of body) {
    text += decoder.decode(part, { stream: true });
    if (text.length > ANSWER_BYTES_MAX) throw new NodeFiguresError(node, 'they are too long');
  }
  return text + decoder.decode();
}
