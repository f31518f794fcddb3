import type { RequestHeaderSettings } from '@binnacle/apiserver';
import { Option } from 'commander';
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { readCertificates } from './kubelet-ca.ts';

/** The flags of front proxies before this server, by upstream's names. */
export interface RequestHeaderFlags {
  readonly requestheaderClientCaFile?: string;
  readonly requestheaderAllowedNames?: readonly string[];
  readonly requestheaderUsernameHeaders?: readonly string[];
  readonly requestheaderUidHeaders?: readonly string[];
  readonly requestheaderGroupHeaders?: readonly string[];
  readonly requestheaderExtraHeadersPrefix?: readonly string[];
}

/** Flag, description, and the name that other API servers of the cluster send. */
const LISTS = [
  ['allowed-names', 'common names of front proxies that are believed (default: any)', undefined],
  ['username-headers', 'headers that name the user', 'X-Remote-User'],
  ['uid-headers', "headers with the user's uid", 'X-Remote-Uid'],
  ['group-headers', 'headers with its groups', 'X-Remote-Group'],
  ['extra-headers-prefix', 'what headers with its extra begin with', 'X-Remote-Extra-'],
] as const;

/** Adds them to a command. */
export function requestHeaderOptions(command: Command): Command {
  const list = (text: string, before: readonly string[] = []): string[] => [...before, ...text.split(',')];
  command.option('--requestheader-client-ca-file <file>', 'authorities of front proxies, whose headers say who asks');
  for (const [name, description] of LISTS)
    command.addOption(new Option(`--requestheader-${name} <names>`, description).argParser(list));
  return command;
}

/** What the flags ask for; undefined where nobody is to be believed. `warn` hears of what cannot work. Throws UsageError. */
export function requestHeaderChoice(
  flags: RequestHeaderFlags,
  warn: (text: string) => void,
): RequestHeaderSettings | undefined {
  const {
    requestheaderAllowedNames: allowedNames = [],
    requestheaderUsernameHeaders: usernameHeaders = [],
    requestheaderUidHeaders: uidHeaders = [],
    requestheaderGroupHeaders: groupHeaders = [],
    requestheaderExtraHeadersPrefix: extraHeadersPrefix = [],
    requestheaderClientCaFile: path,
  } = flags;
  const values = [allowedNames, usernameHeaders, uidHeaders, groupHeaders, extraHeadersPrefix];
  for (const [at, [name, , standard]] of LISTS.entries())
    checkList(`requestheader-${name}`, values[at] ?? [], { standard, warn });
  if (path === undefined) return undefined;
  const clientCa = readCertificates('--requestheader-client-ca-file', path);
  return { clientCa, allowedNames, usernameHeaders, uidHeaders, groupHeaders, extraHeadersPrefix };
}

function checkList(
  flag: string,
  values: readonly string[],
  { standard, warn }: { readonly standard: string | undefined; readonly warn: (text: string) => void },
): void {
  if (values.some((value) => value.trim() === '')) throw new UsageError(`--${flag}: empty value in "${flag}"`);
  if (standard === undefined || values.length === 0) return;
  if (values.some((value) => value.toLowerCase() === standard.toLowerCase())) return;
  const text = `--${flag} is set without specifying the standard ${standard} header - API aggregation will not work`;
  if (flag === 'requestheader-uid-headers') throw new UsageError(text);
  warn(text);
}
