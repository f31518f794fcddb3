import { joinBytes } from '@binnacle/base';
import { RuntimeError } from '../errors.ts';

/** A piece of a container's output. */
export interface Frame {
  readonly stream: 'stdout' | 'stderr';
  readonly data: Uint8Array;
}

const HEADER_BYTES = 8;
/** Docker copies by 32 KiB; what announces more than this is no frame. */
const FRAME_BYTES_MAX = 16 << 20;
const ERROR_BYTES_MAX = 4096;

/**
 * Takes the two outputs of a container without a terminal apart: each piece has a head of eight bytes (stream, three
 * zeros, length). Where an engine tells of a failure in plain text in their place: RuntimeError, with it, from `end`.
 */
export class FrameReader {
  #rest: Uint8Array = new Uint8Array();
  #plain: string | undefined;

  /** The whole frames in what came so far. */
  take(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    if (this.#plain !== undefined) {
      this.#addPlain(chunk);
      return frames;
    }
    const all = this.#rest.length === 0 ? chunk : joinBytes([this.#rest, chunk], this.#rest.length + chunk.length);
    let at = 0;
    while (all.length - at >= HEADER_BYTES) {
      const length = frameLength(all.subarray(at, at + HEADER_BYTES));
      if (length === undefined) {
        this.#addPlain(all.subarray(at));
        this.#rest = new Uint8Array();
        return frames;
      }
      if (all.length - at - HEADER_BYTES < length) break;
      const start = at + HEADER_BYTES;
      at = start + length;
      if (length > 0)
        frames.push({ stream: all[start - HEADER_BYTES] === 2 ? 'stderr' : 'stdout', data: all.subarray(start, at) });
    }
    this.#rest = all.subarray(at);
    return frames;
  }

  /** Nothing more comes. Throws what was told in place of frames. */
  end(): void {
    const left = this.#plain ?? new TextDecoder().decode(this.#rest);
    if (left !== '') throw new RuntimeError(left.trim());
  }

  #addPlain(chunk: Uint8Array): void {
    const known = this.#plain ?? '';
    this.#plain = known + new TextDecoder().decode(chunk.subarray(0, Math.max(0, ERROR_BYTES_MAX - known.length)));
  }
}

/** Undefined: no head of a frame. */
function frameLength(head: Uint8Array): number | undefined {
  const [stream = 255, ...zeros] = head.subarray(0, 4);
  if (stream > 2 || zeros.some((byte) => byte !== 0)) return undefined;
  const length = new DataView(head.buffer, head.byteOffset).getUint32(4);
  return length > FRAME_BYTES_MAX ? undefined : length;
}
