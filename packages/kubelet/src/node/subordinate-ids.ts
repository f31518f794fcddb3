import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { messageOf } from '@binnacle/base';
import { KubeletConfigError } from '../errors.ts';
import type { IdRange } from '../ports.ts';

const TIMEOUT_MS = 10_000;
const OUTPUT_BYTES_MAX = 64 << 10;
const FIELD = 'userNamespaces';

/** What the node tells of its users. */
export interface UserLists {
  readonly passwd: string;
  /** What lists the ids that are kept for a user: `/etc/subuid`, or a directory service. */
  readonly program: string;
}

const LISTS: UserLists = { passwd: '/etc/passwd', program: 'getsubids' };

/**
 * The ids that a node keeps for a user's own use. Undefined: there is no such user, or no program that knows. Throws
 * KubeletConfigError where users' ids and groups' differ, or there is no one run of them.
 */
export async function subordinateIds(user: string, lists: UserLists = LISTS): Promise<IdRange | undefined> {
  const users = await readFile(lists.passwd, 'utf8');
  if (!users.split('\n').some((line) => line.startsWith(`${user}:`))) return undefined;
  const uids = await listed(lists, { user, kind: 'uids', options: [] });
  if (uids === undefined) return undefined;
  const gids = await listed(lists, { user, kind: 'gids', options: ['-g'] });
  if (uids !== gids) throw new KubeletConfigError(FIELD, `mismatched subuids and subgids for user "${user}"`);
  return parseSubordinateIds(uids);
}

/** One line: `0: kubelet 65536 2147483648`. Throws KubeletConfigError, in upstream's words. Pure. */
export function parseSubordinateIds(text: string): IdRange {
  const lines = text.replace(/^\n+|\n+$/g, '').split('\n');
  const [line = ''] = lines;
  if (lines.length !== 1)
    throw new KubeletConfigError(FIELD, `error parsing line ${JSON.stringify(text)}: it must contain only one line`);
  const words = line.trim().split(/\s+/);
  if (words.length !== 4) throw new KubeletConfigError(FIELD, `invalid line ${JSON.stringify(line)}`);
  const [first, length] = words.slice(2).map((word) => (/^\d{1,10}$/.test(word) ? Number(word) : Number.NaN));
  if (first === undefined || length === undefined || !(first < 2 ** 32) || !(length < 2 ** 32))
    throw new KubeletConfigError(FIELD, `error parsing line ${JSON.stringify(line)}: no numbers of 32 bits`);
  return { first, length };
}

/** Undefined: the program is not there. */
function listed(
  { program }: UserLists,
  of: { readonly user: string; readonly kind: string; readonly options: readonly string[] },
): Promise<string | undefined> {
  const options = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: OUTPUT_BYTES_MAX } as const;
  return new Promise((resolve, reject) => {
    execFile(program, [...of.options, of.user], options, (error, stdout) => {
      if (error === null) return resolve(stdout);
      if (error.code === 'ENOENT') return resolve(undefined);
      const message = `error retrieving additional ${of.kind} for user "${of.user}": ${messageOf(error)}`;
      return reject(new KubeletConfigError(FIELD, message));
    });
  });
}
