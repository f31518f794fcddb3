import { CatalogueError } from './error.ts';
import { GrowingBytes } from './growing-bytes.ts';

/**
 * Bytes both ways: an exec session, a forwarded port, an upgraded HTTP connection. Neutral, so that the runtime,
 * the kubelet, the API server and a client can hand one on without knowing what carries it.
 */
export interface Duplex {
  /**
   * The next bytes from the other side, never none; undefined when it has said its last (half-close), from then on.
   * One read at a time. Rejects when the connection broke, behind all that came before that, or was aborted.
   */
  read(): Promise<Uint8Array | undefined>;
  /**
   * Resolves when there is room for more: who waits for it holds back as much as the other side does. The chunk
   * is the stream's from now on. Rejects when the connection broke, was aborted or was ended by us.
   */
  write(chunk: Uint8Array): Promise<void>;
  /** Half-close: nothing more will be written; reading goes on. Resolves when what was written is on its way. */
  end(): Promise<void>;
  /** Drops both directions at once; reads and writes that wait reject with `error`. May be called again. */
  abort(error?: Error): void;
  /** Resolves when both directions are over: with what broke it, undefined for an orderly end. Never rejects. */
  readonly closed: Promise<Error | undefined>;
}

/** The half of a stream that is read. */
export type ByteSource = Pick<Duplex, 'read' | 'abort'>;

/** The half of a stream that is written. */
export type ByteSink = Pick<Duplex, 'write' | 'end' | 'abort'>;

/** The stream broke before its orderly end: the other side vanished, or dropped it. */
export class StreamCutError extends CatalogueError {
  constructor(message = 'the stream was cut', cause?: unknown) {
    super('stream-cut', message, { cause });
  }
}

/** Our own side had ended the stream: nothing can be written behind that. */
export class StreamEndedError extends CatalogueError {
  constructor() {
    super('stream-ended', 'write after end');
  }
}

/** Reads to the end. Throws StreamCutError for more than `bytesMax`, and drops the stream then. */
export async function readAll(stream: ByteSource, bytesMax: number): Promise<Uint8Array> {
  const bytes = new GrowingBytes();
  for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) {
    if (bytes.length + chunk.length > bytesMax) {
      const error = new StreamCutError(`more than ${bytesMax} bytes`);
      stream.abort(error);
      throw error;
    }
    bytes.add(chunk);
  }
  return bytes.take();
}

/** Pieces as one; a single piece is handed on as it is. `length`: their sum. */
export function joinBytes(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
