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
function rulesOf(passage: Passage, { chain, isSix }: FirewallChain): string[][] {
  const ranges = (passage.ranges ?? []).filter((range) => range.includes(':') === isSix);
  const rules = chain === 'FORWARD' ? forwarded(passage, ranges) : saidHere(passage, ranges);
  return rules.map((rule) => [...rule, '-m', 'comment', '--comment', commentOf(passage.name), ...ACCEPT]);
}

function commentOf(name: string): string {
  return `binnacle ${name}`;
}

function forwarded({ links }: Passage, ranges: readonly string[]): string[][] {
  const rules: string[][] = [];
  for (const link of links) rules.push(['-i', link], ['-o', link, ...KNOWN, 'RELATED,ESTABLISHED,DNAT']);
  for (const range of ranges) rules.push(['-s', range], ['-d', range]);
  return rules;
}

/** Services that this machine answers itself (the name server, the API server, a pod on its network), and what nodes ask. */
function saidHere({ links, asked }: Passage, ranges: readonly string[]): string[][] {
  const rules: string[][] = [];
  for (const link of links) rules.push(['-i', link, ...KNOWN, 'DNAT']);
  for (const range of ranges) rules.push(['-s', range, ...KNOWN, 'DNAT']);
  for (const { protocol, port } of asked?.doors ?? [])
    rules.push(['-i', asked?.link ?? '', '-p', protocol, '-m', protocol, '--dport', `${port}`]);
  return rules;
}

/**
 * Where Docker or a firewall drop what they do not know of what is forwarded, or said to the machine, lets the cluster's through
 * there: before all others' rules, and behind what refuses packets for Services that nobody serves, where that is a rule of iptables too.
 */
export async function acceptForwarding(run: RunTool, passage: Passage, log: Logger): Promise<void> {
  const visit = async (of: FirewallChain): Promise<void> => {
    if (!doesDrop(of)) return;
    const wanted = rulesOf(passage, of);
    const place = placeIn(of, passage.name);
    if (await isAllThere(of, wanted, { name: passage.name, place })) return;
    for (const rule of wanted) await of.tell('-I', `${place}`, ...rule);
    // What an earlier `binnacle` left, or this one before others moved it, or somebody took some of it.
    for (const rule of ownRules(of.rules, passage.name)) await of.tell('-D', ...rule);
  };
  await eachChain(run, visit, (told) =>
    log.warn('a firewall of the machine was not asked: it may drop what pods say', told),
  );
}

/** By its policy, or by a rule for everything. */
function doesDrop({ policy, rules }: FirewallChain): boolean {
  return policy === 'DROP' || rules.some(([flag, to = '']) => flag === '-j' && ['DROP', 'REJECT'].includes(to));
}

/** The number in the chain that our rules are to have. */
function placeIn({ chain, rules }: FirewallChain, name: string): number {
  const refusals = `${prefixOf(name)}-${chain}`;
  return rules.findIndex((rule) => rule.at(-2) === '-j' && rule.at(-1) === refusals) + 2;
}

/** Whether the chain has these rules of ours and no others, all of them from that place on. */
async function isAllThere(
  { rules, tell }: FirewallChain,
  wanted: readonly string[][],
  { name, place }: { readonly name: string; readonly place: number },
): Promise<boolean> {
  if (ownRules(rules, name).length !== wanted.length || ownRules(rules.slice(0, place - 1), name).length > 0)
    return false;
  try {
    // The tool tells rules in words of its own: it is asked about each.
    for (const rule of wanted) await tell('-C', ...rule);
    return true;
  } catch (error) {
    if (error instanceof NetworkError) return false;
    throw error;
  }
}

function ownRules(rules: FirewallChain['rules'], name: string): FirewallChain['rules'] {
  return rules.filter((rule) => rule.includes(commentOf(name)));
}

/** Takes those rules away; `name`: the passage's. */
export async function forgetForwarding(run: RunTool, name: string, log: Logger): Promise<void> {
  const visit = async ({ rules, tell }: FirewallChain): Promise<void> => {
    for (const rule of ownRules(rules, name)) await tell('-D', ...rule);
  };
  await eachChain(run, visit, (told) => log.info(2, 'a firewall of the machine was not asked', told));
}

/** A chain of a firewall, as `iptables -S CHAIN` tells it. */
interface FirewallChain {
  readonly chain: Chain;
  readonly isSix: boolean;
  /** What becomes of packets that no rule decides about: `DROP`. */
  readonly policy: string;
  /** The words of each, without the chain, as the tool takes them again. */
  readonly rules: readonly (readonly string[])[];
  /** Has the tool do this with the chain: `-I`, `1`, a rule. Throws NetworkError. */
  readonly tell: (flag: string, ...words: readonly string[]) => Promise<string>;
}

/** Asked first: iptables makes tables that are not there when it is told to delete. */
async function eachChain(
  run: RunTool,
  visit: (of: FirewallChain) => Promise<void>,
  failed: (told: { readonly tool: string; readonly reason: string }) => void,
): Promise<void> {
  for (const { tool, isSix } of TOOLS) {
    try {
      for (const chain of CHAINS) {
        const tell: FirewallChain['tell'] = (flag, ...words) => run([tool, '-w', flag, chain, ...words]);
        await visit({ chain, isSix, tell, ...readChain(await tell('-S')) });
      }
    } catch (error) {
      failed({ tool, reason: messageOf(error) });
    }
  }
}

/** `-P CHAIN POLICY`, then `-A CHAIN RULE` each; comments are quoted. */
function readChain(said: string): Pick<FirewallChain, 'policy' | 'rules'> {
  const lines = said
    .split('\n')
    .map((line) => (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', '')));
  const [, , policy = ''] = lines.find(([flag]) => flag === '-P') ?? [];
  return { policy, rules: lines.flatMap(([flag, , ...rule]) => (flag === '-A' ? [rule] : [])) };
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
