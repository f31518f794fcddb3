import { readdir, readFile, writeFile } from 'node:fs/promises';
import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { NetworkError } from '@binnacle/network';
import { prefixOf } from '@binnacle/network/iptables';
import type { RunTool } from '@binnacle/network/nftables';

const TOOLS = [
  { tool: 'iptables', isSix: false },
  { tool: 'ip6tables', isSix: true },
] as const;
const CHAINS = ['FORWARD', 'INPUT'] as const;
type Chain = (typeof CHAINS)[number];

/** What of a cluster is let through a firewall that drops what it does not know. */
export interface Passage {
  /** The cluster's on this machine, and nobody else's: rules carry it, chains of `iptables` begin with its first letters. */
  readonly name: string;
  /** Who is behind them may speak, and be answered, and be spoken to as Services and host ports. */
  readonly links: readonly string[];
  /** CIDRs of pods of several machines, whom their nodes lead to each other. Absent: none. */
  readonly ranges?: readonly string[];
  /** What nodes behind a link ask of this machine itself. */
  readonly asked?: { readonly link: string; readonly doors: readonly Door[] };
}

interface Door {
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
}

const ACCEPT = ['-j', 'ACCEPT'];
const KNOWN = ['-m', 'conntrack', '--ctstate'];

/** The rules of a chain. What nftables of our own accept, another table may drop still: these are the firewall's own tool's. */
function rulesOf({ name, links, ranges = [], asked }: Passage, chain: Chain, isSix: boolean): string[][] {
  const comment = ['-m', 'comment', '--comment', `binnacle ${name}`];
  const mine = ranges.filter((range) => range.includes(':') === isSix);
  const rules =
    chain === 'FORWARD'
      ? [
          ...links.flatMap((link) => [
            ['-i', link],
            ['-o', link, ...KNOWN, 'RELATED,ESTABLISHED,DNAT'],
          ]),
          ...mine.flatMap((range) => [
            ['-s', range],
            ['-d', range],
          ]),
        ]
      : [
          // A Service that this machine answers itself: the name server, the API server, a pod on its network.
          ...links.map((link) => ['-i', link, ...KNOWN, 'DNAT']),
          ...mine.map((range) => ['-s', range, ...KNOWN, 'DNAT']),
          ...(asked?.doors ?? []).map(({ protocol, port }) => [
            ...['-i', asked?.link ?? '', '-p', protocol],
            ...['-m', protocol, '--dport', `${port}`],
          ]),
        ];
  return rules.map((rule) => [...rule, ...comment, ...ACCEPT]);
}

/**
 * Where Docker or a firewall drop what they do not know of what is forwarded, or said to the machine, lets the cluster's through
 * there: before all others' rules, and behind what refuses packets for Services that nobody serves, where that is a rule of iptables too.
 */
export async function acceptForwarding(run: RunTool, passage: Passage, log: Logger): Promise<void> {
  await eachChain(run, log, async ({ tool, isSix, chain, said }) => {
    if (!doesDrop(said, chain)) return;
    const { place, early } = placeOf(said, chain, passage.name);
    for (const rule of rulesOf(passage, chain, isSix)) {
      if (early.length > 0 || !(await isThere(run, [tool, '-w', '-C', chain, ...rule])))
        await run([tool, '-w', '-I', chain, `${place}`, ...rule]);
    }
    // The first ones, which an earlier `binnacle` left.
    for (const rule of early) await run([tool, '-w', '-D', chain, ...rule]);
  });
}

/** By its policy, or by a last rule for everything. */
function doesDrop(said: string, chain: Chain): boolean {
  return said.startsWith(`-P ${chain} DROP`) || new RegExp(`^-A ${chain} -j (?:DROP|REJECT)(?: |$)`, 'm').test(said);
}

/** The number in a chain that our rules are to have, and those of ours before it; `said` by `iptables -S CHAIN`. */
function placeOf(said: string, chain: Chain, name: string): { readonly place: number; readonly early: string[][] } {
  const rules = said.split('\n').filter((line) => line.startsWith('-A '));
  const refusals = rules.findIndex((rule) => rule.trim().endsWith(` -j ${prefixOf(name)}-${chain}`)) + 1;
  return { place: refusals + 1, early: ownRules(rules.slice(0, refusals).join('\n'), name) };
}

/** Of what `iptables -S` said our rules, in words that it takes again. */
function ownRules(said: string, name: string): string[][] {
  return said.split('\n').flatMap((line) => {
    const [, , ...words] = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
    return words.includes(`binnacle ${name}`) ? [words] : [];
  });
}

/** Takes those rules away; `name`: the passage's. */
export async function forgetForwarding(run: RunTool, name: string, log: Logger): Promise<void> {
  await eachChain(run, log, async ({ tool, chain, said }) => {
    for (const rule of ownRules(said, name)) await run([tool, '-w', '-D', chain, ...rule]);
  });
}

/** Asked first: iptables makes tables that are not there when it is told to delete. */
async function eachChain(
  run: RunTool,
  log: Logger,
  visit: (of: {
    readonly tool: string;
    readonly isSix: boolean;
    readonly chain: Chain;
    /** `iptables -S CHAIN` by it. */
    readonly said: string;
  }) => Promise<void>,
): Promise<void> {
  for (const { tool, isSix } of TOOLS) {
    try {
      for (const chain of CHAINS) await visit({ tool, isSix, chain, said: await run([tool, '-w', '-S', chain]) });
    } catch (error) {
      const reason = messageOf(error);
      log.warn('a firewall of the machine was not asked: it may drop what pods say', { tool, reason });
    }
  }
}

async function isThere(run: RunTool, check: readonly string[]): Promise<boolean> {
  try {
    await run(check);
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
