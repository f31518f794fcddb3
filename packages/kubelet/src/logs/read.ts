import type { Clock } from '@binnacle/base';
import type { LogFiles } from '../ports.ts';
import { CriFormatter } from './cri-line.ts';
import type { LogOptions } from './options.ts';

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
  let offset = options.tailLines === undefined ? 0 : await tailOffset(files, path, options.tailLines);
  let rest: Uint8Array = new Uint8Array();
  for (;;) {
    const running = target.running();
    const block = await files.readRange(path, offset, BLOCK);
    if (block !== undefined && block.length > 0) {
      offset += block.length;
      const { lines, left } = splitLines(rest, block);
      rest = left;
      for (const line of lines) {
        const out = formatter.format(line);
        if (out.length > 0) yield out;
        if (formatter.full) return;
      }
      continue;
    }
    if (!options.follow || !running || signal?.aborted === true) return;
    await changeOrTime(target, offset);
    // A shorter file is a new one: the log was rotated.
    if ((await files.size(path)) < offset) {
      offset = 0;
      rest = new Uint8Array();
    }
  }
}

/** Where the last `lines` lines begin. */
export async function tailOffset(files: LogFiles, path: string, lines: number): Promise<number> {
  const size = await files.size(path);
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

function splitLines(rest: Uint8Array, block: Uint8Array): { readonly lines: Uint8Array[]; readonly left: Uint8Array } {
  const lines: Uint8Array[] = [];
  const all = rest.length === 0 ? block : new Uint8Array(rest.length + block.length);
  if (rest.length > 0) {
    all.set(rest);
    all.set(block, rest.length);
  }
  let from = 0;
  for (let at = all.indexOf(NEWLINE); at !== -1; at = all.indexOf(NEWLINE, from)) {
    lines.push(all.subarray(from, at));
    from = at + 1;
  }
  return { lines, left: all.subarray(from) };
}

/** Also at once, where the file grew between the last reading and the watching. */
function changeOrTime(target: LogTarget, offset: number): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      unwatch();
      timer.cancel();
      target.signal?.removeEventListener('abort', settle);
      resolve();
    };
    const timer = target.clock.after(LOOK_MS, settle, { background: true });
    const unwatch = target.files.watch(target.path, settle);
    target.signal?.addEventListener('abort', settle, { once: true });
    void target.files.size(target.path).then((size) => {
      if (size !== offset && size !== -1) settle();
    }, settle);
  });
}
