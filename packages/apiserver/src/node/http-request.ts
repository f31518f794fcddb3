import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { CAUSE_HEADER, parseCause } from '../request/cause-header.ts';
import { parseQuery } from '../request/query.ts';
import type { ApiRequest, BodyMeter, RequestBody } from '../request/api-request.ts';
import type { YamlConverter } from '../ports/yaml.ts';
import type { BodyReader } from './body-reader.ts';
import type { ConnectionCredentials } from './connection-credentials.ts';

export interface HttpRequestParts {
  readonly method: string;
  /** Path and query, as they came. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly body: Readable | undefined;
  /** The rest of the body is not wanted: once the answer is out, nothing more of it is read. */
  readonly abandon: () => void;
  readonly connection: ConnectionCredentials;
  /** Takes large YAML off this thread. */
  readonly yaml: YamlConverter;
  /** Calls when the client goes away, or all is said. */
  readonly onGone: (run: () => void) => void;
  readonly remoteAddress: () => string | undefined;
  /** Headers of front proxies, which only authentication sees; absent: there are none. */
  readonly speaksOfUsers?: ((name: string) => boolean) | undefined;
}

const NO_BODY: RequestBody = { kind: 'none' };

/** A request as the pipeline takes it. */
export function httpRequest(parts: HttpRequestParts, bodies: BodyReader): ApiRequest {
  const { target, headers, body } = parts;
  const mark = target.indexOf('?');
  const told = headers[CAUSE_HEADER];
  const cause = typeof told === 'string' ? parseCause(told) : undefined;
  const hides = parts.connection.isFrontProxy ? parts.speaksOfUsers : undefined;
  const allLines = (): HeaderLines => linesOf(parts.rawHeaders);
  return {
    method: parts.method,
    path: mark === -1 ? target : target.slice(0, mark),
    query: parseQuery(mark === -1 ? '' : target.slice(mark + 1)),
    queryText: mark === -1 ? '' : target.slice(mark + 1),
    header(name) {
      if (hides?.(name) === true) return '';
      const value = headers[name];
      return value === undefined ? '' : typeof value === 'string' ? value : value.join(', ');
    },
    hasHeadersLike: (prefix) => hasNameLike(parts.rawHeaders, prefix),
    headerLines: hides === undefined ? allLines : () => shown(allLines(), hides),
    ...(cause === undefined ? {} : { cause }),
    credentials: parts.connection.of(headers.authorization, allLines),
    body: body === undefined ? NO_BODY : new HttpBody(bodies, body, parts),
    yaml: parts.yaml,
    gone: () => goneOf(parts),
    remoteAddress: parts.remoteAddress,
  };
}

function goneOf({ onGone }: HttpRequestParts): AbortSignal {
  const gone = new AbortController();
  onGone(() => gone.abort());
  return gone.signal;
}

/** Read once, whoever asks. */
class HttpBody {
  readonly kind = 'bytes';
  readonly #bodies: BodyReader;
  readonly #stream: Readable;
  readonly #parts: HttpRequestParts;
  #reading: Promise<Uint8Array> | undefined;
  #bytes: Uint8Array | undefined;

  constructor(bodies: BodyReader, stream: Readable, parts: HttpRequestParts) {
    this.#bodies = bodies;
    this.#stream = stream;
    this.#parts = parts;
  }

  read(meter?: BodyMeter): Promise<Uint8Array> {
    return (this.#reading ??= this.#read(meter));
  }

  arrived(): Uint8Array | undefined {
    return this.#bytes;
  }

  stream(): AsyncIterable<Uint8Array> {
    return this.#bodies.pieces(this.#stream, this.#parts.headers['content-length']);
  }

  #read(meter: BodyMeter | undefined): Promise<Uint8Array> {
    const { headers, abandon } = this.#parts;
    const took = (bytes: Uint8Array): void => void (this.#bytes = bytes);
    return this.#bodies.read(this.#stream, { announced: headers['content-length'], meter, abandon, took });
  }
}

/** Asked of every request: nothing is made but for a name that begins alike. */
function hasNameLike(raw: readonly string[], prefix: string): boolean {
  const first = prefix.charCodeAt(0);
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? '';
    // A letter and its capital differ in one bit.
    if ((name.charCodeAt(0) | CASE_BIT) !== first) continue;
    if (name.slice(0, prefix.length).toLowerCase() === prefix) return true;
  }
  return false;
}

const CASE_BIT = 0x20;

type HeaderLines = Iterable<readonly [name: string, value: string]>;

function* shown(lines: HeaderLines, hides: (name: string) => boolean): Generator<readonly [string, string]> {
  for (const line of lines) if (!hides(line[0])) yield line;
}

function* linesOf(raw: readonly string[]): Generator<readonly [string, string]> {
  for (let i = 0; i + 1 < raw.length; i += 2) yield [(raw[i] ?? '').toLowerCase(), raw[i + 1] ?? ''];
}
