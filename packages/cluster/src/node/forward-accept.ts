import { readdir, readFile, writeFile } from 'node:fs/promises';
import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { NetworkError } from '@binnacle/network';
import { prefixOf } from '@binnacle/network/iptables';
import type { RunTool } from '@binnacle/network/nftables';

const TOOLS = ['iptables', 'ip6tables'] as const;

/**
 * Rules for a firewall that drops whatever it does not know: pods may speak, and be answered, and be spoken to as Services
 * and host ports. What nftables of our own accept, another table may drop still.
 */
function rulesOf(bridge: string): string[][] {
  const comment = ['-m', 'comment', '--comment', `binnacle ${bridge}`, '-j', 'ACCEPT'];
  return [
    ['-i', bridge, ...comment],
    ['-o', bridge, '-m', 'conntrack', '--ctstate', 'RELATED,ESTABLISHED,DNAT', ...comment],
  ];
}

/**
 * Where Docker or a firewall set the policy of FORWARD to drop, lets the bridge's traffic through there: before all others' rules,
 * and behind what refuses packets for Services that nobody serves, where that is a rule of iptables too.
 */
export async function acceptForwarding(run: RunTool, bridge: string, log: Logger): Promise<void> {
  for (const tool of TOOLS) {
    try {
      const said = await run([tool, '-w', '-S', 'FORWARD']);
      if (!said.startsWith('-P FORWARD DROP')) continue;
      const { place, isEarly } = placeOf(said, bridge);
      for (const rule of rulesOf(bridge)) {
        if (!isEarly && (await isThere(run, tool, rule))) continue;
        await run([tool, '-w', '-I', 'FORWARD', `${place}`, ...rule]);
        // The first one, which an earlier `binnacle` left.
        if (isEarly) await run([tool, '-w', '-D', 'FORWARD', ...rule]);
      }
    } catch (error) {
      log.warn('a firewall of the machine was not asked: it may drop what pods say', {
        tool,
        reason: messageOf(error),
      });
    }
  }
}

/** The number in FORWARD that our rules are to have, and whether there are some before it; `said` by `iptables -S FORWARD`. */
function placeOf(said: string, bridge: string): { readonly place: number; readonly isEarly: boolean } {
  const rules = said.split('\n').filter((line) => line.startsWith('-A '));
  const refusals = rules.findIndex((rule) => rule.trim().endsWith(` -j ${prefixOf(bridge)}-FORWARD`)) + 1;
  const isEarly = rules.slice(0, refusals).some((rule) => rule.includes(`"binnacle ${bridge}"`));
  return { place: refusals + 1, isEarly };
}

/** Takes those rules away. */
export async function forgetForwarding(run: RunTool, bridge: string, log: Logger): Promise<void> {
  for (const tool of TOOLS) {
    try {
      // Asked first: iptables makes tables that are not there when it is told to delete.
      const said = await run([tool, '-w', '-S', 'FORWARD']);
      if (!said.includes(`binnacle ${bridge}`)) continue;
      for (const rule of rulesOf(bridge)) {
        while (await isThere(run, tool, rule)) await run([tool, '-w', '-D', 'FORWARD', ...rule]);
      }
    } catch (error) {
      log.info(2, 'a firewall of the machine was not asked', { tool, reason: messageOf(error) });
    }
  }
}

async function isThere(run: RunTool, tool: string, rule: readonly string[]): Promise<boolean> {
  try {
    await run([tool, '-w', '-C', 'FORWARD', ...rule]);
    return true;
  } catch (error) {
    if (error instanceof NetworkError) return false;
    throw error;
  }
}

/**
 * Packets between pods pass our rules only if the bridge shows them; the module may not be there. A machine that forwards
 * IPv6 heeds no router's advertisements any more, and would lose its own way out: links that heeded them are told to go on
 * (`accept_ra` 2), and nothing of IPv6 is touched where pods have none (`six`). `sys`: where the kernel's settings are.
 */
export async function openForwarding(
  log: Logger,
  { six, sys = '/proc/sys' }: { readonly six: boolean; readonly sys?: string },
): Promise<void> {
  const wanted = ['net/ipv4/ip_forward', 'net/bridge/bridge-nf-call-iptables'];
  if (six) {
    await keepHeedingRouters(log, `${sys}/net/ipv6/conf`);
    wanted.push('net/ipv6/conf/all/forwarding', 'net/bridge/bridge-nf-call-ip6tables');
  }
  for (const name of wanted) {
    try {
      await writeFile(`${sys}/${name}`, '1');
    } catch (error) {
      log.warn('a setting of the kernel that Services need cannot be made', { name, reason: messageOf(error) });
    }
  }
}

/** Not the way out of a machine: what stands for all links, and what pods are behind, who may not advertise anything. */
const NOT_OUTSIDE = /^(?:all$|default$|lo$|veth|bn)/;

async function keepHeedingRouters(log: Logger, links: string): Promise<void> {
  try {
    for (const link of await readdir(links)) {
      if (NOT_OUTSIDE.test(link)) continue;
      const setting = `${links}/${link}/accept_ra`;
      const forwards = (await readFile(`${links}/${link}/forwarding`, 'utf8')).trim() === '1';
      if (!forwards && (await readFile(setting, 'utf8')).trim() === '1') await writeFile(setting, '2');
    }
  } catch (error) {
    log.warn('advertisements of IPv6 routers may not be heeded any more', { reason: messageOf(error) });
  }
}
