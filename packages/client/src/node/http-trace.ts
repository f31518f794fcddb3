import type { Clock, Logger } from '@binnacle/base';
import type { Exchange, ReplyHeaders } from './exchange.ts';

const ANSWERS = 6;
const HEADERS = 9;

/** What proves who somebody is; a WebSocket carries its token among the protocols. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'sec-websocket-protocol',
]);

const NOT_TOLD = (): void => undefined;

/** Tells of exchanges over HTTP, in the words of client-go: from 6 each answer with its time, from 9 the headers. */
export class HttpTrace {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #server: string;

  constructor(options: { readonly log: Logger; readonly clock: Clock; readonly server: string }) {
    this.#log = options.log;
    this.#clock = options.clock;
    this.#server = options.server.replace(/\/$/, '');
  }

  /** A request leaves now; the function that comes back is told of its answer. */
  request({ method: verb, path, headers }: Exchange): (code: number, headers: ReplyHeaders) => void {
    if (!this.#log.enabled(ANSWERS)) return NOT_TOLD;
    const facts = { verb, url: `${this.#server}${path}` };
    const shows = this.#log.enabled(HEADERS);
    this.#log.info(HEADERS, 'Request', { ...facts, headers: shows ? masked(headers) : undefined });
    const started = this.#clock.monotonic();
    return (code, received) => {
      const milliseconds = Math.round(this.#clock.monotonic() - started);
      const shown = shows ? masked(received) : undefined;
      this.#log.info(ANSWERS, 'Response', { ...facts, status: code, milliseconds, headers: shown });
    };
  }
}

/** Header lines with what nobody may see replaced. */
export function masked(headers: ReplyHeaders): { readonly [name: string]: unknown } {
  const entries = Object.entries(headers).filter(([name]) => !name.startsWith(':'));
  return Object.fromEntries(entries.map(([name, value]) => [name, SECRET_HEADERS.has(name) ? '<masked>' : value]));
}
