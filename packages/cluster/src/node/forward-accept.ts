import { writeFile } from 'node:fs/promises';
import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { NetworkError } from '@binnacle/network';
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

/** Where Docker or a firewall set the policy of FORWARD to drop, lets the bridge's traffic through there. */
export async function acceptForwarding(run: RunTool, bridge: string, log: Logger): Promise<void> {
  for (const tool of TOOLS) {
    try {
      const said = await run([tool, '-w', '-S', 'FORWARD']);
      if (!said.startsWith('-P FORWARD DROP')) continue;
      for (const rule of rulesOf(bridge)) {
        if (!(await isThere(run, tool, rule))) await run([tool, '-w', '-I', 'FORWARD', ...rule]);
      }
    } catch (error) {
      log.warn('a firewall of the machine was not asked: it may drop what pods say', {
        tool,
        reason: messageOf(error),
      });
    }
  }
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

/** Packets between pods pass our rules only if the bridge shows them; the module may not be there. */
export async function openForwarding(log: Logger): Promise<void> {
  const wanted = ['net/ipv4/ip_forward', 'net/ipv6/conf/all/forwarding', 'net/bridge/bridge-nf-call-iptables'];
  for (const name of wanted) {
    try {
      await writeFile(`/proc/sys/${name}`, '1');
    } catch (error) {
      log.warn('a setting of the kernel that Services need cannot be made', { name, reason: messageOf(error) });
    }
  }
}
