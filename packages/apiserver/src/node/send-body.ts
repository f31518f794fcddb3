import type { OutgoingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { EncodedBody } from '../encode/body.ts';
import { writePieces } from './reply-writer.ts';
import type { ReplyWriter } from './reply-writer.ts';

const gzipWhole = promisify(gzip);
/** Smaller bodies are not worth the time (upstream's bound). */
const GZIP_BYTES_MIN = 128 * 1024;
const GZIP_LEVEL = 1;
/** Who takes nothing of a large reply for so long has it broken off: it keeps old objects alive. */
const STALL_MS = 60_000;
/** Replies up to this size are not counted: a connection has a hundred at most. */
const SMALL_BYTES = 16 * 1024;
const NOTHING = new Uint8Array(0);

export interface Outgoing {
  readonly code: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: EncodedBody;
  readonly zip: boolean;
  /** Is told how large the body is, before it is zipped; absent: nobody keeps score. */
  readonly sizes: { observe(bytes: number): void } | undefined;
  /** Counts so many bytes until the client has gone or has them. Throws where it has too much to read already. */
  readonly hold: (bytes: number) => void;
}

/** A body whose size is known. */
export function sendWhole(writer: ReplyWriter, outgoing: Outgoing): void | Promise<void> {
  const [bytes = NOTHING] = outgoing.body.pieces;
  outgoing.sizes?.observe(bytes.length);
  if (outgoing.zip && bytes.length >= GZIP_BYTES_MIN) return sendZipped(writer, outgoing, bytes);
  end(writer, outgoing, bytes);
}

async function sendZipped(writer: ReplyWriter, outgoing: Outgoing, bytes: Uint8Array): Promise<void> {
  const zipped = await gzipWhole(bytes, { level: GZIP_LEVEL });
  const headers = { ...outgoing.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' };
  end(writer, { ...outgoing, headers }, zipped);
}

function end(writer: ReplyWriter, { code, headers, hold }: Outgoing, bytes: Uint8Array): void {
  if (writer.gone) return;
  if (bytes.length > SMALL_BYTES) {
    hold(bytes.length);
    writer.limitStall(STALL_MS);
  }
  headers['content-length'] = bytes.length;
  writer.head(code, headers);
  writer.sink.end(bytes);
}

/** A list goes out piece by piece; its size shows only as it is made. */
export async function sendList(writer: ReplyWriter, outgoing: Outgoing): Promise<void> {
  const { code, headers, body, zip, hold, sizes } = outgoing;
  const pieces = body.pieces[Symbol.iterator]();
  const first: Uint8Array[] = [];
  let size = 0;
  let done = false;
  while (size < GZIP_BYTES_MIN && !done) {
    const next = pieces.next();
    if (next.done === true) done = true;
    else {
      first.push(next.value);
      size += next.value.length;
    }
  }
  if (writer.gone) return;
  if (size > SMALL_BYTES) hold(size);
  if (done) sizes?.observe(size);
  if (done) {
    headers['content-length'] = size;
    writer.head(code, headers);
    return writePieces(writer, first);
  }
  writer.limitStall(STALL_MS);
  const all = chain(first, sizes === undefined ? pieces : measured(pieces, size, sizes));
  if (!zip) {
    writer.head(code, headers);
    return writePieces(writer, all);
  }
  writer.head(code, { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  const zipper = createGzip({ level: GZIP_LEVEL });
  zipper.pipe(writer.sink);
  writer.onGone(() => zipper.destroy());
  return writePieces({ gone: false, sink: zipper }, all);
}

/** The same pieces; when all are made, it is told how large the whole is. */
function* measured(
  pieces: Iterator<Uint8Array>,
  before: number,
  sizes: { observe(bytes: number): void },
): Generator<Uint8Array> {
  let size = before;
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
    size += next.value.length;
    yield next.value;
  }
  sizes.observe(size);
}

function* chain(first: readonly Uint8Array[], rest: Iterator<Uint8Array>): Generator<Uint8Array> {
  yield* first;
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}
