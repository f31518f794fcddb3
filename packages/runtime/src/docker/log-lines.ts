import { joinBytes } from '@binnacle/base';
import type { Frame } from './frames.ts';

/** Docker cuts lines there; the parts are told one by one, each with its time. */
const PART_BYTES = 16 << 10;
const SPACE = 0x20;
const NEWLINE = 0x0a;
const TIME_BYTES_MAX = 40;

/** A line of a log, or a part of one, as CRI logs have it, and its time. */
export interface LogLine {
  readonly time: string;
  /** `<time> <stream> <F or P> <text>\n` */
  readonly bytes: Uint8Array;
}

/**
 * Turns what Docker tells of a container's log with times (`<time> <text>\n`, parts of long lines without the newline)
 * into lines of a CRI log. One for each stream; terminals come as one stream without frames.
 */
export class LogLines {
  readonly #stream: Frame['stream'];
  #rest: Uint8Array = new Uint8Array();

  constructor(stream: Frame['stream']) {
    this.#stream = stream;
  }

  /** The whole lines in what came so far. */
  take(chunk: Uint8Array): LogLine[] {
    let all = this.#rest.length === 0 ? chunk : joinBytes([this.#rest, chunk], this.#rest.length + chunk.length);
    const lines: LogLine[] = [];
    for (;;) {
      const space = all.subarray(0, TIME_BYTES_MAX).indexOf(SPACE);
      if (space === -1) break;
      const start = space + 1;
      const newline = all.subarray(start, start + PART_BYTES + 1).indexOf(NEWLINE);
      const isPart = newline === -1 && all.length - start >= PART_BYTES && isTimeAt(all, start + PART_BYTES);
      if (newline === -1 && !isPart) break;
      const end = start + (isPart ? PART_BYTES : newline);
      lines.push(this.#line(all.subarray(0, space), all.subarray(start, end), isPart));
      all = all.subarray(isPart ? end : end + 1);
    }
    this.#rest = all;
    return lines;
  }

  /** What is left when nothing more comes: a last line that was never ended. */
  end(): LogLine[] {
    const space = this.#rest.subarray(0, TIME_BYTES_MAX).indexOf(SPACE);
    if (space === -1) return [];
    const last = this.#line(this.#rest.subarray(0, space), this.#rest.subarray(space + 1), true);
    this.#rest = new Uint8Array();
    return [last];
  }

  #line(time: Uint8Array, text: Uint8Array, isPart: boolean): LogLine {
    const head = Buffer.from(` ${this.#stream} ${isPart ? 'P' : 'F'} `);
    const parts = [time, head, text, Uint8Array.of(NEWLINE)];
    return { time: Buffer.from(time).toString('latin1'), bytes: Buffer.concat(parts) };
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** Behind a part the next begins with its time. */
function isTimeAt(all: Uint8Array, at: number): boolean {
  return TIME.test(Buffer.from(all.subarray(at, at + TIME_BYTES_MAX)).toString('latin1'));
}
