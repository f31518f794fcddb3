import { readFile } from 'node:fs/promises';
import type { Clock } from '@binnacle/base';
import { TransportError } from '../errors.ts';

/** Projected tokens are renewed in place; upstream's clients look again after a minute too. */
const REREAD_MS = 60_000;

/** The current bearer token, if there is one. */
export type Bearer = () => Promise<string | undefined>;

/** Where a token comes from; the first that is given, in the order of the fields. */
export interface BearerSource {
  readonly tokenSource?: Bearer;
  readonly tokenFile?: string;
  readonly token?: string;
}

/** A token that somebody keeps fresh, one from a file that is read again once its copy is a minute old, or a fixed one. */
export function createBearer(source: BearerSource, clock: Clock): Bearer {
  const { token, tokenFile, tokenSource } = source;
  if (tokenSource !== undefined) return tokenSource;
  if (tokenFile === undefined) return () => Promise.resolve(token);
  let copy: { readonly text: string; readonly at: number } | undefined;
  return async () => {
    const now = clock.monotonic();
    if (copy !== undefined && now - copy.at < REREAD_MS) return copy.text;
    try {
      copy = { text: (await readFile(tokenFile, 'utf8')).trim(), at: now };
    } catch (cause) {
      if (copy === undefined) {
        throw new TransportError('connect', `reading token file ${tokenFile}`, { facts: { tokenFile }, cause });
      }
    }
    return copy.text;
  };
}
