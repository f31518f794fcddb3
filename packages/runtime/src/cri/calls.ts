import type { Channel } from '@binnacle/grpc';
import { type Subject, toRuntimeError } from './failure.ts';
import type { Answers } from './messages.ts';

/** How long a call may take that has nothing to wait for, milliseconds. */
export const CALL_TIMEOUT_MS = 120_000;
/** In place of a time: as long as it takes. */
export const NO_TIMEOUT = 0;

const IMAGE_METHODS: ReadonlySet<string> = new Set([
  'ImageStatus',
  'PullImage',
  'ListImages',
  'RemoveImage',
  'ImageFsInfo',
]);
const NOTHING: Subject = { what: 'object', id: '' };

/** What calls go over. */
export interface CallsParts {
  readonly channel: Channel;
  readonly endpoint: string;
  /** One more connection, for one call. */
  readonly open: () => Promise<Channel>;
}

/** The calls of CRI v1: over which connection, which service has them, how long they may take, what they answer. */
export class CriCalls {
  readonly #channel: Channel;
  readonly #endpoint: string;
  readonly #open: CallsParts['open'];
  readonly #apart = new Set<Channel>();

  constructor({ channel, endpoint, open }: CallsParts) {
    this.#channel = channel;
    this.#endpoint = endpoint;
    this.#open = open;
  }

  /** Throws the catalogue's errors. */
  async call<M extends keyof Answers>(
    method: M,
    request: object,
    about: Subject & { readonly timeoutMs?: number } = NOTHING,
  ): Promise<Answers[M]> {
    try {
      return await this.raw(method, request, about.timeoutMs);
    } catch (error) {
      throw toRuntimeError(error, this.#endpoint, about);
    }
  }

  /**
   * Over a connection of its own. What others write into an answer may end its connection (HTTP/2 of Node takes no header
   * of more than 64 KiB, and a refusal is one), and with it all that is under way on it. Throws what gRPC throws.
   */
  async apart<M extends keyof Answers>(method: M, request: object, timeoutMs: number): Promise<Answers[M]> {
    const channel = await this.#open();
    this.#apart.add(channel);
    try {
      return await this.#on(channel, { method, request, timeoutMs });
    } finally {
      this.#apart.delete(channel);
      channel.close();
    }
  }

  close(): void {
    for (const channel of [this.#channel, ...this.#apart]) channel.close();
  }

  /** Throws what gRPC throws, for callers that read more out of it. */
  raw<M extends keyof Answers>(method: M, request: object, timeoutMs = CALL_TIMEOUT_MS): Promise<Answers[M]> {
    return this.#on(this.#channel, { method, request, timeoutMs });
  }

  async #on<M extends keyof Answers>(
    channel: Channel,
    of: { readonly method: M; readonly request: object; readonly timeoutMs: number },
  ): Promise<Answers[M]> {
    const { method, request, timeoutMs } = of;
    const service = IMAGE_METHODS.has(method) ? 'runtime.v1.ImageService' : 'runtime.v1.RuntimeService';
    // The channel decodes by the descriptor and fills absent fields, which is what Answers says.
    return (await channel.unary({ service, method }, request, timeoutMs)) as Answers[M];
  }
}
