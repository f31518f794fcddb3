/**
 * What every platform has (Node, browsers, workers) and neutral code may use. Neutral rooms are checked without Node's types
 * (tsconfig.neutral.json): what is not declared here is no part of their world. No time, no chance, no wire: those are ports.
 */

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  onabort: ((event: unknown) => unknown) | null;
  throwIfAborted(): void;
  addEventListener(
    type: 'abort',
    listener: (event: unknown) => void,
    options?: { once?: boolean; signal?: AbortSignal },
  ): void;
  removeEventListener(type: 'abort', listener: (event: unknown) => void): void;
}
/** Without `timeout`: a deadline comes from a clock. */
declare const AbortSignal: {
  readonly prototype: AbortSignal;
  abort(reason?: unknown): AbortSignal;
  any(signals: readonly AbortSignal[]): AbortSignal;
};

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare const AbortController: { new (): AbortController; readonly prototype: AbortController };

interface TextEncoder {
  readonly encoding: 'utf-8';
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
}
declare const TextEncoder: { new (): TextEncoder; readonly prototype: TextEncoder };

interface TextDecoder {
  readonly encoding: string;
  decode(bytes?: ArrayBufferView | ArrayBuffer, options?: { stream?: boolean }): string;
}
declare const TextDecoder: {
  new (encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
  readonly prototype: TextDecoder;
};

/** Unpacks what comes packed (Compression Streams). */
interface DecompressionStream {
  readonly readable: AsyncIterable<Uint8Array>;
  readonly writable: {
    getWriter(): {
      write(chunk: Uint8Array): Promise<void>;
      close(): Promise<void>;
      abort(reason?: unknown): Promise<void>;
    };
  };
}
declare const DecompressionStream: {
  new (format: 'gzip' | 'deflate'): DecompressionStream;
  readonly prototype: DecompressionStream;
};

interface URLSearchParams extends Iterable<[string, string]> {
  append(name: string, value: string): void;
  delete(name: string): void;
  entries(): IterableIterator<[string, string]>;
  forEach(visit: (value: string, name: string) => void): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string): boolean;
  keys(): IterableIterator<string>;
  set(name: string, value: string): void;
  readonly size: number;
  sort(): void;
  toString(): string;
}
declare const URLSearchParams: {
  new (
    init?: string | Readonly<Record<string, string>> | Iterable<readonly [string, string]> | URLSearchParams,
  ): URLSearchParams;
  readonly prototype: URLSearchParams;
};

interface URL {
  hash: string;
  host: string;
  hostname: string;
  href: string;
  readonly origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  username: string;
  toString(): string;
}
declare const URL: {
  new (url: string, base?: string | URL): URL;
  canParse(url: string): boolean;
  parse(url: string, base?: string | URL): URL | null;
};

declare function queueMicrotask(task: () => void): void;
declare function structuredClone<T>(value: T): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;
