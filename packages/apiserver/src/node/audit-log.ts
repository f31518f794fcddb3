import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  fstatSync,
  ftruncateSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { messageOf } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { AuditSinkError } from '../audit/errors.ts';
import { legacyLine } from '../audit/legacy-line.ts';
import type { AuditEvent, AuditSink } from '../ports/audit.ts';

const DAY_MS = 86_400_000;
const MEGABYTE = 1 << 20;
const STDOUT = 1;

/** Upstream's `--audit-log-*` flags. */
export interface AuditLogOptions {
  /** `-` is standard output. */
  readonly path: string;
  readonly format?: 'json' | 'legacy';
  readonly strict?: boolean;
  /** Megabytes at which a new file is begun; 0: never. Absent: 100. */
  readonly maxSize?: number;
  /** Days that old files are kept; 0: for good. Absent: 366. */
  readonly maxAge?: number;
  /** Old files that are kept; 0: all. Absent: 100. */
  readonly maxBackups?: number;
}

/**
 * Writes one line for each event, before the request goes on (upstream's mode `blocking`). A file that has grown too
 * large is put aside under the time of that, and old ones are removed.
 */
export class AuditLog implements AuditSink {
  readonly name = 'log';
  readonly strict: boolean;
  readonly #options: Required<AuditLogOptions>;
  readonly #clock: Pick<Clock, 'now'>;
  #file: number | undefined;
  #size = 0;

  /** Opens the file, so that what cannot be written fails at the start. Throws AuditSinkError. */
  constructor(options: AuditLogOptions, clock: Pick<Clock, 'now'>) {
    this.#options = { format: 'json', strict: false, maxSize: 100, maxAge: 366, maxBackups: 100, ...options };
    this.strict = this.#options.strict;
    this.#clock = clock;
    guarded(() => this.#open());
  }

  write(events: readonly AuditEvent[]): void {
    const line = this.#options.format === 'legacy' ? legacyLine : (event: AuditEvent) => JSON.stringify(event);
    const text = Buffer.from(events.map((event) => `${harmless(line(event))}\n`).join(''));
    guarded(() => this.#append(text));
  }

  close(): Promise<void> {
    if (this.#file !== undefined && this.#file !== STDOUT) closeSync(this.#file);
    this.#file = undefined;
    return Promise.resolve();
  }

  #append(text: Uint8Array): void {
    const { maxSize } = this.#options;
    if (maxSize > 0 && this.#size > 0 && this.#size + text.length > maxSize * MEGABYTE) this.#rotate();
    const file = this.#file ?? this.#open();
    try {
      for (let at = 0; at < text.length;) at += writeSync(file, text, at);
    } catch (error) {
      this.#takeBack(file);
      throw error;
    }
    this.#size += text.length;
  }

  /** Half a line would spoil the next one too. */
  #takeBack(file: number): void {
    if (file === STDOUT) return;
    try {
      ftruncateSync(file, this.#size);
    } catch {
      // What went wrong first is told; a device, or a pipe, has no end to go back to.
    }
  }

  #open(): number {
    const { path } = this.#options;
    if (path === '-') return (this.#file = STDOUT);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = openSync(path, 'a', 0o600);
    this.#file = file;
    this.#size = fstatSync(file).size;
    return file;
  }

  #rotate(): void {
    const { path } = this.#options;
    if (path === '-') return;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    renameSync(path, join(dirname(path), `${stemOf(path)}-${stampOf(this.#clock.now())}${extname(path)}`));
    this.#size = 0;
    this.#removeOld();
  }

  #removeOld(): void {
    const { path, maxAge, maxBackups } = this.#options;
    const folder = dirname(path);
    const oldest = maxAge > 0 ? stampOf(this.#clock.now() - maxAge * DAY_MS) : '';
    const backups = backupsOf(folder, path).sort((a, b) => (a.stamp < b.stamp ? 1 : -1));
    for (const [i, { file, stamp }] of backups.entries()) {
      if (stamp < oldest || (maxBackups > 0 && i >= maxBackups)) remove(join(folder, file));
    }
  }
}

function guarded<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new AuditSinkError(`audit log: ${messageOf(error)}`, error);
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It takes room, and is tried again with the next one; the event that is waiting is worth more.
  }
}

/** What JSON leaves as it is and terminals do not: whoever sends it would choose what is seen of the lines around. */
const STEERING = /[\u007f-\u009f\u2028\u2029]/g;

function harmless(line: string): string {
  return line.replace(STEERING, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const STAMP = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3}$/;

/** Only files that are named as ours are. */
function backupsOf(folder: string, path: string): { readonly file: string; readonly stamp: string }[] {
  const prefix = `${stemOf(path)}-`;
  const suffix = extname(path);
  return readdirSync(folder).flatMap((file) => {
    if (!file.startsWith(prefix) || !file.endsWith(suffix)) return [];
    const stamp = file.slice(prefix.length, file.length - suffix.length);
    return STAMP.test(stamp) ? [{ file, stamp }] : [];
  });
}

function stemOf(path: string): string {
  return basename(path, extname(path));
}

/** `2026-11-22T05-30-00.123`: in the order of time, and fit for a file's name. */
function stampOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 23).replaceAll(':', '-');
}
