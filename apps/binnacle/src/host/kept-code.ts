/**
 * Runs a program that is one file with its compiled code kept from the last time. Node's own compile cache keeps what
 * is compiled when a file is loaded, which is hardly more than its top level: thousands of functions are compiled again
 * by each start. What is kept here is taken once the program has started, with all the functions that it used.
 */
import { subscribe } from 'node:diagnostics_channel';
import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { STARTED } from './started.ts';

/** What a start leaves for later is compiled by then too. */
const SETTLE_MS = 5_000;

/** Of which V8 (its version, its flags), which text and which code: four bytes each, and four more, as V8 copies code that does not begin at a multiple of eight. */
const STAMP_BYTES = 16;

/** What is kept: the code, and what it is good for. */
interface Stamp {
  readonly tag: number;
  readonly source: number;
}

/**
 * Runs the program; `kept`: the file of its code. Its text is ASCII, imports nothing by `import()` and is one function, of CommonJS'
 * `exports`, `require`, `module` and `__filename` (tools/release/entries.ts). No flag of V8 is set for it:
 * Node's own modules bring their code compiled, and it is good for the flags that Node has by itself.
 */
export function runWithKeptCode(file: string, kept: string): void {
  const source = readFileSync(file);
  const stamp = { tag: cachedDataVersionTag(), source: crc32(source) };
  // The text as it is: V8 would make another copy of one that is put together here.
  const text = source.toString('latin1');
  const cachedData = readKept(kept, stamp, source);
  const script = new Script(text, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  if (script.cachedDataRejected !== false) keepOnceStarted(script, kept, stamp);
  const module = { exports: {} };
  const run = script.runInThisContext() as (...scope: readonly unknown[]) => void;
  run(module.exports, createRequire(file), module, file);
}

/** Whether a stranger cannot have written it: code that is run is as good as a program. */
export function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return false;
  return found.uid === process.geteuid?.() && (found.mode & 0o022) === 0;
}

/**
 * The code of a file where it is whole, ours, and of this very text and V8; undefined otherwise. It lies in `desk` where that has room
 * for it: each page of memory that a start has not touched before costs it a microsecond or two.
 */
export function readKept(path: string, { tag, source }: Stamp, desk: Buffer = Buffer.alloc(0)): Buffer | undefined {
  if (!isOwn(dirname(path)) || !isOwn(path)) return undefined;
  let bytes: Buffer;
  try {
    bytes = readOnto(desk, path);
  } catch {
    // It went in this moment, or is none: the program is compiled anew.
    return undefined;
  }
  if (bytes.length <= STAMP_BYTES) return undefined;
  const code = bytes.subarray(STAMP_BYTES);
  const stamp = [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
  return stamp[0] === tag && stamp[1] === source && stamp[2] === crc32(code) ? code : undefined;
}

/** A file's bytes, on the desk if they fit. Throws the system's error. */
function readOnto(desk: Buffer, path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const room = size <= desk.length ? desk : Buffer.allocUnsafeSlow(size);
    let at = 0;
    for (let read = -1; at < size && read !== 0; at += read) read = readSync(file, room, at, size - at, at);
    return room.subarray(0, at);
  } finally {
    closeSync(file);
  }
}

/** Writes it in one step: whoever reads finds all of it or what was there before. */
export function writeKept(path: string, { tag, source }: Stamp, code: Buffer): void {
  if (!isOwn(dirname(path))) return;
  const stamp = Buffer.alloc(STAMP_BYTES);
  stamp.writeUInt32LE(tag, 0);
  stamp.writeUInt32LE(source, 4);
  stamp.writeUInt32LE(crc32(code), 8);
  const half = `${path}.${process.pid}`;
  try {
    writeFileSync(half, Buffer.concat([stamp, code]), { mode: 0o600, flag: 'wx' });
    renameSync(half, path);
  } catch {
    // A full disk, a folder that is gone: the next start compiles again, which is all that is lost.
    rmSync(half, { force: true });
  }
}

/**
 * Code is good for the flags that V8 has when it is taken. Idle memory, which has looked for rest by then, has set the
 * first of these, or both (packages/base/src/node/idle-memory.ts); starts have them as V8 has them by itself.
 */
const IDLE_FLAGS = [
  { asItIs: '--memory-reducer-gc-count=2', idle: '--memory-reducer-gc-count=0' },
  { asItIs: '--heap-growing-percent=0', idle: '--heap-growing-percent=100' },
];

/** The code as the next start may use it; undefined where the flags have become others than those that it starts with. */
function takeCode(script: Script, tag: number): Buffer | undefined {
  const undone: string[] = [];
  for (const { asItIs, idle } of IDLE_FLAGS) {
    if (cachedDataVersionTag() === tag) break;
    setFlagsFromString(asItIs);
    undone.push(idle);
  }
  const code = cachedDataVersionTag() === tag ? script.createCachedData() : undefined;
  for (const flag of undone) setFlagsFromString(flag);
  return code;
}

/** A while after the program has started, or when it ends before. */
function keepOnceStarted(script: Script, path: string, stamp: Stamp): void {
  let isKept = false;
  const keep = (): void => {
    if (isKept) return;
    isKept = true;
    const code = takeCode(script, stamp.tag);
    if (code !== undefined) writeKept(path, stamp, code);
  };
  subscribe(STARTED, () => {
    setTimeout(keep, SETTLE_MS).unref();
    process.once('exit', keep);
  });
}
