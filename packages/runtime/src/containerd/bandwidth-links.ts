import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Logger, messageOf } from '@binnacle/base';
import { PROGRAM_PATH } from './host.ts';
import { layoutOf } from './layout.ts';

const run = promisify(execFile);
const PREFIX = 'bwp';
/** As long as a link's name can be. */
const NAME_LENGTH = 15;

/**
 * Takes back the links that CNI's bandwidth plugin left of pods that are gone: what a pod sends goes through a link on
 * the machine, which stays when the pod's own link goes, and a plugin that is killed, or whose containerd is, leaves it.
 * Only while no pod is being made, as of `removeLostPodRules`.
 */
export async function removeLostBandwidthLinks(
  of: { readonly stateDir: string; readonly bridge: string; readonly sandboxes: ReadonlySet<string> },
  log: Logger,
): Promise<void> {
  const links = linksOf(await readFile('/proc/self/net/dev', 'utf8'));
  if (links.length === 0) return;
  const ids = await networkedIds(of.stateDir, of.bridge);
  for (const link of planLostLinks(links, { ...of, ids })) {
    try {
      await run('ip', ['link', 'delete', link, 'type', 'ifb'], { env: { PATH: PROGRAM_PATH } });
    } catch (error) {
      log.info(2, 'the bandwidth link of a pod that is gone stays', { link, reason: messageOf(error) });
    }
  }
}

/** Of the machine's links, those of pods that are gone; `ids` are of all that ever joined the network and did not leave. */
export function planLostLinks(
  links: readonly string[],
  of: { readonly bridge: string; readonly ids: Iterable<string>; readonly sandboxes: ReadonlySet<string> },
): string[] {
  const lost = new Set<string>();
  for (const id of of.ids) if (!of.sandboxes.has(id)) lost.add(bandwidthLinkOf(of.bridge, id));
  return links.filter((link) => lost.has(link));
}

/** What the plugin calls the link of a pod: by a digest, so that whose one is cannot be read off it. */
export function bandwidthLinkOf(bridge: string, id: string): string {
  const digest = createHash('sha512').update(`${bridge}${id}`).digest('hex');
  return `${PREFIX}${digest}`.slice(0, NAME_LENGTH);
}

/** The plugin's links in what /proc/net/dev says of this process's network. */
export function linksOf(table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const name = line.slice(0, Math.max(0, line.indexOf(':'))).trim();
    return name.startsWith(PREFIX) ? [name] : [];
  });
}

/** Who has an address, or the note of a network that was joined: the one is written before the link, the other after. */
async function networkedIds(stateDir: string, bridge: string): Promise<Set<string>> {
  const { cniIpamDir, cniCacheDir } = layoutOf(stateDir);
  const ids = new Set<string>();
  const folder = join(cniIpamDir, bridge);
  // Absent: no pod has ever had an address.
  for (const name of await readdir(folder).catch(() => [])) {
    // Gone meanwhile, or no file: not of a pod.
    const text = await readFile(join(folder, name), 'utf8').catch(() => '');
    ids.add(text.split('\n', 1)[0]?.trim() ?? '');
  }
  // As above.
  for (const name of await readdir(join(cniCacheDir, 'results')).catch(() => [])) {
    const [, id = ''] = /^.*-([^-]+)-[^-]+$/.exec(name) ?? [];
    if (name.startsWith(`${bridge}-`)) ids.add(id);
  }
  ids.delete('');
  return ids;
}
