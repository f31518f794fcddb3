import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { type Logger, inRanges, messageOf } from '@binnacle/base';
import { RuntimeError } from '../errors.ts';
import type { PodNetwork } from './config.ts';
import { PROGRAM_PATH } from './host.ts';

const run = promisify(execFile);
const ENV = { PATH: PROGRAM_PATH };
const OUTPUT_BYTES_MAX = 64 << 20;
const TRIES = 3;

/**
 * Takes back what CNI's plugins left of pods that are gone. A plugin is killed when who asked containerd for a pod dies
 * meanwhile, and the next one that should undo it finds no link, thinks there was nothing, and leaves its chains: nobody
 * else would ever look for them. Only while no pod is being made: one that containerd does not list yet has rules too.
 */
export async function removeLostPodRules(
  of: Pick<PodNetwork, 'bridge' | 'subnets'> & { readonly sandboxes: ReadonlySet<string> },
  log: Logger,
): Promise<void> {
  for (const family of ['iptables', 'ip6tables']) {
    try {
      await removeLost(family, of);
    } catch (error) {
      log.info(2, 'rules of pods that are gone stay', { family, reason: messageOf(error) });
    }
  }
}

async function removeLost(family: string, of: Parameters<typeof planLostRules>[1]): Promise<void> {
  for (let left = TRIES; ; left--) {
    const { stdout } = await run(family, ['-w', '-t', 'nat', '-S'], { env: ENV, maxBuffer: OUTPUT_BYTES_MAX });
    const commands = planLostRules(stdout.split('\n'), of);
    if (commands.length === 0) return;
    try {
      await restoreNat(family, commands);
    } catch (error) {
      // All or nothing, and a plugin that is at it as well may have been faster.
      if (left === 1) throw error;
    }
  }
}

const OWNER = /--comment "(?:dnat )?name: \\"([^"\\]+)\\" id: \\"([^"\\]+)\\"/;
/** A chain of one pod, by a digest of its name. */
const POD_CHAIN = /^CNI-(?:DN-)?[0-9a-f]+$/;
const CHAIN = /^-A (\S+) /;
const TARGET = / -j (\S+)(?: --\S.*)?$/;

/** The lines for iptables-restore that take back, of what `iptables -t nat -S` shows, the rules of pods that are gone. */
export function planLostRules(
  rules: readonly string[],
  of: {
    readonly bridge: string;
    readonly subnets: readonly string[];
    /** Ids of those that are there. */
    readonly sandboxes: ReadonlySet<string>;
  },
): string[] {
  const chains = new Set(rules.flatMap((rule) => (rule.startsWith('-N ') ? [rule.slice(3).trim()] : [])));
  const isPods = inRanges(of.subnets);
  const [lost, led] = [new Set<string>(), new Set<string>()];
  const jumps: string[] = [];
  for (const rule of rules) {
    const [, chain = ''] = CHAIN.exec(rule) ?? [];
    const [, target = ''] = TARGET.exec(rule) ?? [];
    if (POD_CHAIN.test(target)) led.add(target);
    const [, bridge, id = ''] = OWNER.exec(rule) ?? [];
    if (bridge !== of.bridge || of.sandboxes.has(id)) continue;
    if (POD_CHAIN.test(chain)) lost.add(chain);
    else jumps.push(rule.replace(/^-A/, '-D'));
    if (POD_CHAIN.test(target)) lost.add(target);
  }
  // Its rules do not say whose they are; where nothing leads to it any more, where it leads to does.
  for (const rule of rules) {
    const [, chain = '', address = ''] =
      /^-A (CNI-DN-[0-9a-f]+) .*--to-destination \[?([\d.a-f:]+?)\]?:\d+$/.exec(rule) ?? [];
    if (chain !== '' && !led.has(chain) && isPods(address)) lost.add(chain);
  }
  const gone = [...lost].filter((chain) => chains.has(chain));
  return [...jumps, ...gone.map((chain) => `-F ${chain}`), ...gone.map((chain) => `-X ${chain}`)];
}

/** Changes the table `nat` by lines for iptables-restore: all of them, or none. Throws RuntimeError. */
export function restoreNat(family: string, lines: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const program = `${family}-restore`;
    const child = spawn(program, ['--noflush', '-w'], { env: ENV, stdio: ['pipe', 'ignore', 'ignore'] });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new RuntimeError(`${program} ended with ${code}`))));
    // It may end before it has read all; its end tells then.
    child.stdin.on('error', () => undefined);
    child.stdin.end(['*nat', ...lines, 'COMMIT', ''].join('\n'));
  });
}
