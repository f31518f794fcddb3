/** What an earlier kubelet wrote down, which somebody else, or a full disk, may have changed since. */
import { parsedJson } from '@binnacle/machinery';
import { KubeletConfigError } from './errors.ts';
import type { HostFiles } from './ports.ts';

/** A file's value as JSON has it; `undefined` in a file that is no JSON. Undefined: there is no file. */
export async function readWritten(
  files: HostFiles,
  path: string,
  bytesMax: number,
): Promise<{ readonly value: unknown } | undefined> {
  const bytes = await files.readRange(path, 0, bytesMax);
  return bytes === undefined ? undefined : { value: parsedJson(new TextDecoder().decode(bytes)) };
}

/** Writes a value for those who come after us, whole or not at all, also where the machine loses its power. */
export async function writeDown(files: HostFiles, path: string, value: unknown): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  await files.writeFile(path, bytes, { mode: 0o600, outlastsPower: true });
}

/** The refusal of a kubelet that cannot know what containers have: it would give it to others. In upstream's words. */
export function corruptRecord(
  field: string,
  of: { readonly manager: string; readonly path: string },
): KubeletConfigError {
  const { manager, path } = of;
  return new KubeletConfigError(
    field,
    `could not restore state from checkpoint: checkpoint is corrupted, please drain this node and delete the ${manager} checkpoint file "${path}" before restarting Kubelet`,
  );
}

/** Whether a value is a table all of whose values are such. */
export function isTableOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isOne);
}

/** Whether a value is a list all of whose items are such. */
export function isListOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}

export const isText = (value: unknown): value is string => typeof value === 'string';

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
