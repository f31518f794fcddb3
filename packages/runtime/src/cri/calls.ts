import type { Channel } from '@binnacle/grpc';
import { type Subject, toRuntimeError } from './failure.ts';
import type { Answers } from './messages.ts';

/** How long a call may take that has nothing to wait for, milliseconds. */
export const CALL_TIMEOUT_MS = 120_000;
/** In place of a time: as long as it takes. */
export const NO_TIMEOUT = 0;

const IMAGE_METHODS: ReadonlySet<string> = new Set(['ImageStatus', 'PullImage', 'ListImages', 'RemoveImage']);
const NOTHING: Subject = { what: 'object', id: '' };

/** The calls of CRI v1 on one connection: which service has them, how long they may take, what they answer. */
export class CriCalls {
  readonly #channel: Channel;
  readonly #endpoint: string;

  constructor(channel: Channel, endpoint: string) {
    this.#channel = channel;
    this.#endpoint = endpoint;
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

  /** Throws what gRPC throws, for callers that read more out of it. */
  async raw<M extends keyof Answers>(method: M, request: object, timeoutMs = CALL_TIMEOUT_MS): Promise<Answers[M]> {
    const service = IMAGE_METHODS.has(method) ? 'runtime.v1.ImageService' : 'runtime.v1.RuntimeService';
    // The channel decodes by the descriptor and fills absent fields, which is what Answers says.
    return (await this.#channel.unary({ service, method }, request, timeoutMs)) as Answers[M];
  }
}
