import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Logger, messageOf } from '@binnacle/base';
import { PROGRAM_PATH } from './host.ts';
import { restoreNat } from './pod-rules.ts';

const run = promisify(execFile);
const ENV = { PATH: PROGRAM_PATH };
const CHAIN = 'CNI-HOSTPORT-';

/**
 * CNI's portmap plugin takes back each pod's rules but leaves its empty top chains. They belong to every CNI user of
 * the machine, so they go only when no host port is left in them; the plugin makes them again when it needs them.
 */
export async function removeIdlePortChains(log: Logger): Promise<void> {
  for (const family of ['iptables', 'ip6tables']) {
    try {
      const { stdout } = await run(family, ['-t', 'nat', '-S'], { env: ENV });
      const commands = planRemoval(stdout.split('\n'));
      if (commands.length > 0) await restoreNat(family, commands);
    } catch (error) {
      log.info(2, 'chains of host ports stay', { family, reason: messageOf(error) });
    }
  }
}

/** The lines for iptables-restore that undo what `iptables -t nat -S` shows; none while a host port is in use. */
export function planRemoval(rules: readonly string[]): string[] {
  const chains = rules.filter((rule) => rule.startsWith(`-N ${CHAIN}`)).map((rule) => rule.slice(3));
  if (rules.some((rule) => rule.startsWith(`-A ${CHAIN}DNAT `))) return [];
  const jumps = rules.filter((rule) => chains.some((chain) => rule.endsWith(`-j ${chain}`)));
  return [
    ...jumps.map((rule) => rule.replace(/^-A/, '-D')),
    ...chains.map((chain) => `-F ${chain}`),
    ...chains.map((chain) => `-X ${chain}`),
  ];
}
