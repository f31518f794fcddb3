import type { Clock } from '@binnacle/base';
import type { HeldFile, LogFiles } from '../ports.ts';
import { CriFormatter } from './cri-line.ts';
import type { LogOptions } from './options.ts';
import { WholeLines } from './whole-lines.ts';

export interface LogTarget {
  readonly files: LogFiles;
  readonly clock: Clock;
  readonly path: string;
  readonly options: LogOptions;
  /** Whether the container may still write. */
  readonly running: () => boolean;
  readonly signal?: AbortSignal;
}

const BLOCK = 64 * 1024;
const NEWLINE = 0x0a;
/** While a client follows, the container's end is looked at this often. */
const LOOK_MS = 1_000;

/** A container's log from the file that the runtime writes; with `follow`, until the container ended and all is read. */
export async function* readLog(target: LogTarget): AsyncGenerator<Uint8Array> {
  const { files, path, options, signal } = target;
  const formatter = new CriFormatter(options);
  // Asked for the last lines of what is there, a busy writer's new ones are none of them.
  const size = options.tailLines === undefined ? Infinity : await files.size(path);
  const end = options.follow ? Infinity : size;
  let offset = options.tailLines === undefined ? 0 : await tailOffset(files, { path, size }, options.tailLines);
  const lines = new WholeLines();
  const log = new RotatingLog(target);
  try {
    for (;;) {
      const running = target.running();
      const block = await log.read(offset, Math.min(BLOCK, end - offset));
      if (block !== undefined && block.length > 0) {
        offset += block.length;
        for (const line of lines.push(block)) {
          const out = formatter.format(line);
          if (out.length > 0) yield out;
          if (formatter.full) return;
        }
        continue;
      }
      if (signal?.aborted === true) return;
      const turn = await log.turn(offset);
      if (turn === 'fresh') {
        offset = 0;
        lines.reset();
      }
      if (turn !== 'none') continue;
      if (!options.follow || !running) return;
      await changeOrTime(target, offset);
    }
  } finally {
    await log.close();
  }
}

/** The file at a path that is renamed and made anew at times: the old one is held until it is read to its end. */
class RotatingLog {
  readonly #target: LogTarget;
  #held: HeldFile | undefined;
  #final = false;

  constructor(target: LogTarget) {
    this.#target = target;
  }

  async read(offset: number, length: number): Promise<Uint8Array | undefined> {
    const { files, path } = this.#target;
    if (length <= 0) return undefined;
    if (files.hold === undefined) return files.readRange(path, offset, length);
    this.#held ??= await files.hold(path);
    return this.#held?.read(offset, length);
  }

  /** After all was read: `more` is the last of a file that lost its name, `fresh` a new file from its beginning. */
  async turn(offset: number): Promise<'none' | 'more' | 'fresh'> {
    const { files, path, options } = this.#target;
    if (!options.follow) return 'none';
    if (this.#held === undefined) return offset > 0 && (await files.size(path)) < offset ? 'fresh' : 'none';
    // The writer turns to the new file when that is there: only what is read after that is the old one's end.
    if (!this.#final) {
      this.#final = (await files.size(path)) !== -1 && !(await this.#held.isCurrent());
      return this.#final ? 'more' : 'none';
    }
    await this.close();
    return 'fresh';
  }

  async close(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    this.#final = false;
    await held?.close();
  }
}

/** Where the last `lines` lines of a file's first `size` bytes begin. */
export async function tailOffset(
  files: LogFiles,
  { path, size }: { readonly path: string; readonly size: number },
  lines: number,
): Promise<number> {
  if (size <= 0) return 0;
  if (lines === 0) return size;
  let found = 0;
  for (let end = size; end > 0; end -= Math.min(BLOCK, end)) {
    const start = Math.max(0, end - BLOCK);
    const block = (await files.readRange(path, start, end - start)) ?? new Uint8Array();
    for (let i = block.length - 1; i >= 0; i--) {
      // The newline that ends the file ends its last line.
      if (block[i] !== NEWLINE || start + i === size - 1) continue;
      if (++found === lines) return start + i + 1;
    }
  }
  return 0;
}

/** Also at once, where the file grew between the last reading and the watching. */
function changeOrTime(target: LogTarget, offset: number): Promise<void> {
  return new Promise((resolve) => {
    let unwatch = (): void => undefined;
    const settle = (): void => {
      unwatch();
      timer.cancel();
      target.signal?.removeEventListener('abort', settle);
      resolve();
    };
    const timer = target.clock.after(LOOK_MS, settle, { background: true });
    try {
      unwatch = target.files.watch(target.path, settle);
    } catch {
      // The machine's watches are used up, by whomever: then the looks alone tell.
    }
    target.signal?.addEventListener('abort', settle, { once: true });
    void target.files.size(target.path).then((size) => {
      if (size !== offset && size !== -1) settle();
    }, settle);
  });
}
