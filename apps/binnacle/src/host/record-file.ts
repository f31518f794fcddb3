import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { parsedJson } from '@binnacle/machinery';
import { CommandFailedError } from '../errors.ts';

/** By the system's code, in the words of one who has to do something about it. */
const REASONS: { readonly [code: string]: string } = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'it is a file, not a folder',
  EIO: 'the disk fails',
  EISDIR: 'it is a folder, not a file',
  EMFILE: 'too many files are open',
  ELOOP: 'too many links',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it is not there, or cannot be made there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** One line that names the file, for what the system refuses; anything else is passed on as it is. */
export function fileError(deed: string, path: string, error: unknown): unknown {
  const code = codeOf(error);
  const reason = REASONS[code];
  return reason === undefined ? error : new CommandFailedError(`cannot ${deed} ${path}: ${reason}`);
}

/** The same of an error that names its file itself, if it does. */
export function systemError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (typeof syscall !== 'string' || typeof path !== 'string') return error;
  return fileError(syscall, path, error);
}

/**
 * Makes a folder, private to its owner, and those above it. Not by the platform's own way, which asks without end
 * where a folder can be read and takes none (/proc). Throws what the system refuses with.
 */
export function makeFolders(path: string): void {
  const missing: string[] = [];
  for (let at = path; statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) missing.push(at);
  for (const folder of missing.toReversed()) makeFolder(folder);
  // What is there may be no folder.
  if (!statSync(path).isDirectory()) makeFolder(path);
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/**
 * Replaces a file as a whole, so that no reader sees half of it, and none finds it empty after a loss of power.
 * Private to its owner. Throws CommandFailedError where the system refuses.
 */
export function writePrivateFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    makeFolders(dirname(path));
    writeDurably(temporary, text);
    renameSync(temporary, path);
  } catch (error) {
    throw fileError('write', path, error);
  }
}

/** Leaves no file behind when it fails. */
function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Writes what is known of the folder that a file lies in, which is nothing that is true of a copy of it. */
export function writeRecord(path: string, record: object): void {
  try {
    makeFolders(dirname(path));
  } catch (error) {
    throw fileError('write', path, error);
  }
  writePrivateFile(path, `${JSON.stringify({ ...record, [FOLDER]: identityOf(dirname(path)) })}\n`);
}

const FOLDER = 'folder';

/** The folder itself, whatever its path: another one that has the same files is another. */
function identityOf(folder: string): string {
  return String(statSync(folder, { bigint: true }).ino);
}

/**
 * The object of JSON in a file that `writeRecord` wrote; undefined without the file, or where it came with a copy of
 * another folder: what it tells is of that one, whose processes are not to be ended from here. CommandFailedError for any other.
 */
export function readRecord(path: string): { readonly [name: string]: unknown } | undefined {
  const found = readObject(path);
  if (found === undefined) return undefined;
  const { [FOLDER]: folder, ...record } = found;
  return folder === undefined || folder === identityOf(dirname(path)) ? record : undefined;
}

function readObject(path: string): { readonly [name: string]: unknown } | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fileError('read', path, error);
  }
  const record = parsedJson(text);
  if (typeof record === 'object' && record !== null && !Array.isArray(record)) return { ...record };
  const what = text.trim() === '' ? 'is empty' : 'is damaged: it is no JSON object';
  throw new CommandFailedError(`${path} ${what}; if no binnacle runs there, delete it`);
}
