import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { readResolvConf } from '../config.ts';
import type { Upstream } from '../ports.ts';

const RESOLV_CONF = '/etc/resolv.conf';
/** Where systemd-resolved tells the servers behind its own stub. */
const RESOLVED_CONF = '/run/systemd/resolve/resolv.conf';
const RESOLVED_STUB = '127.0.0.53';

/** The name servers that the machine uses, without `own`; for systemd-resolved's stub those behind it, where it tells them. */
export async function machineServers(log: Logger, own: Upstream, file = RESOLV_CONF): Promise<readonly Upstream[]> {
  const servers = await readServers(file, log);
  const behind = servers.some(({ host }) => host === RESOLVED_STUB) ? await readServers(RESOLVED_CONF, log) : [];
  const chosen = behind.length > 0 ? behind : servers;
  return chosen.filter(({ host, port }) => host !== own.host || port !== own.port);
}

/** The files that tell of them, those in whose folders something may come: a network that is left or joined rewrites them. */
export async function machineServerFiles(file = RESOLV_CONF): Promise<readonly string[]> {
  // Often a link to what the program that looks after networks writes. What is not there leads nowhere else.
  const real = await realpath(file).catch(() => file);
  const found: string[] = [];
  for (const path of new Set([file, real, RESOLVED_CONF])) if (existsSync(dirname(path))) found.push(path);
  return found;
}

async function readServers(path: string, log: Logger): Promise<readonly Upstream[]> {
  try {
    return readResolvConf(await readFile(path, 'utf8'));
  } catch (error) {
    log.info(2, 'no name servers of the machine', { path, reason: messageOf(error) });
    return [];
  }
}
