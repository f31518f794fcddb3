import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { CAUSE_HEADER, parseCause } from '../request/cause-header.ts';
import type { Cause } from '@binnacle/base';
import { parseQuery } from '../request/query.ts';
import type { Query } from '../request/query.ts';
import type { Credentials } from '../ports/authentication.ts';
import type { ApiRequest, BodyMeter, RequestBody } from '../request/api-request.ts';
import type { YamlConverter } from '../ports/yaml.ts';
import { hasNameLike, linesOf, shown } from './header-lines.ts';
import type { HeaderLines } from './header-lines.ts';
import type { BodyReader } from './body-reader.ts';
import type { ConnectionCredentials } from './connection-credentials.ts';

/** One request as its HTTP brings it: made for each, so its methods are not. */
export interface HttpRequestParts {
  readonly method: string;
  /** Path and query, as they came. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly body: Readable | undefined;
  readonly connection: ConnectionCredentials;
  /** The rest of the body is not wanted: once the answer is out, nothing more of it is read. */
  abandon(): void;
  /** Calls when the client goes away, or all is said. */
  onGone(run: () => void): void;
  remoteAddress(): string | undefined;
}

/** What all requests of one listener have. */
export interface HttpWorld {
  readonly bodies: BodyReader;
  /** Takes large YAML off this thread. */
  readonly yaml: YamlConverter;
  /** Headers of front proxies, which only authentication sees; absent: there are none. */
  readonly speaksOfUsers?: ((name: string) => boolean) | undefined;
}

const NO_BODY: RequestBody = { kind: 'none' };

/** A request as the pipeline takes it. */
export class HttpRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly queryText: string;
  readonly query: Query;
  readonly cause: Cause | undefined;
  readonly credentials: Credentials;
  readonly body: RequestBody;
  readonly yaml: YamlConverter;
  readonly signal: AbortSignal | undefined;
  readonly #parts: HttpRequestParts;
  /** Names of headers that the pipeline does not see. */
  readonly #hides: ((name: string) => boolean) | undefined;

  /** `signal`: set off when the client goes away; without it, that is found out when somebody asks. */
  constructor(parts: HttpRequestParts, { bodies, yaml, speaksOfUsers }: HttpWorld, signal?: AbortSignal) {
    const { target, headers, body, connection } = parts;
    const mark = target.indexOf('?');
    const told = headers[CAUSE_HEADER];
    this.method = parts.method;
    this.path = mark === -1 ? target : target.slice(0, mark);
    this.queryText = mark === -1 ? '' : target.slice(mark + 1);
    this.query = parseQuery(this.queryText);
    this.cause = typeof told === 'string' ? parseCause(told) : undefined;
    this.credentials = connection.of(headers.authorization, parts.rawHeaders);
    this.body = body === undefined ? NO_BODY : new HttpBody(bodies, body, parts);
    this.yaml = yaml;
    this.signal = signal;
    this.#parts = parts;
    this.#hides = connection.isFrontProxy ? speaksOfUsers : undefined;
  }

  header(name: string): string {
    if (this.#hides?.(name) === true) return '';
    const value = this.#parts.headers[name];
    return value === undefined ? '' : typeof value === 'string' ? value : value.join(', ');
  }

  hasHeadersLike(prefix: string): boolean {
    return hasNameLike(this.#parts.rawHeaders, prefix);
  }

  headerLines(): HeaderLines {
    const lines = linesOf(this.#parts.rawHeaders);
    return this.#hides === undefined ? lines : shown(lines, this.#hides);
  }

  gone(): AbortSignal {
    const gone = new AbortController();
    this.#parts.onGone(() => gone.abort());
    return gone.signal;
  }

  onGone(run: () => void): () => void {
    let wanted: (() => void) | undefined = run;
    this.#parts.onGone(() => wanted?.());
    return () => (wanted = undefined);
  }

  remoteAddress(): string | undefined {
    return this.#parts.remoteAddress();
  }
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
    const parts = this.#parts;
    const announced = parts.headers['content-length'];
    const abandon = (): void => parts.abandon();
    const took = (bytes: Uint8Array): void => void (this.#bytes = bytes);
    return this.#bodies.read(this.#stream, { announced, meter, abandon, took });
  }
}
