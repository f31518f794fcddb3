import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { NetworkError } from '@binnacle/network';
import type { RunTool } from '@binnacle/network/nftables';
import type { NodeLayout, WorkerPlace } from './node-layout.ts';

const UPLINK = 'eth0';

/**
 * Makes the namespaces of further nodes, with a link of each to the machine's bridge and ways to each other's pods. What is
 * there already is kept: pods of an earlier time run in it.
 */
export async function linkNodes(run: RunTool, { bridge, gateway, nodeRange, workers }: NodeLayout): Promise<void> {
  const bits = nodeRange.split('/')[1];
  await unlessThere(run, ['ip', 'link', 'add', bridge, 'type', 'bridge']);
  await run(['ip', 'addr', 'replace', `${gateway}/${bits}`, 'dev', bridge]);
  await run(['ip', 'link', 'set', bridge, 'up']);
  for (const worker of workers) {
    const { namespace, link, address, podCidr } = worker;
    await unlessThere(run, ['ip', 'netns', 'add', namespace]);
    if (!(await hasUplink(run, worker))) {
      await run(['ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', UPLINK, 'netns', namespace]);
    }
    await run(['ip', 'link', 'set', link, 'master', bridge, 'up']);
    const inside = ['ip', '-n', namespace];
    await run([...inside, 'link', 'set', 'lo', 'up']);
    await run([...inside, 'addr', 'replace', `${address}/${bits}`, 'dev', UPLINK]);
    await run([...inside, 'link', 'set', UPLINK, 'up']);
    await run([...inside, 'route', 'replace', 'default', 'via', gateway]);
    await run(['ip', 'route', 'replace', podCidr, 'via', address]);
    // Straight to each other, and not by way of the machine.
    for (const other of workers) {
      if (other !== worker) await run([...inside, 'route', 'replace', other.podCidr, 'via', other.address]);
    }
  }
}

/** Takes the links and namespaces away; routes go with them. */
export async function unlinkNodes(
  run: RunTool,
  {
    bridge,
    workers,
  }: { readonly bridge: string; readonly workers: readonly Pick<WorkerPlace, 'link' | 'namespace'>[] },
  log: Logger,
): Promise<void> {
  // What is in a namespace goes some time after it: its link is taken first.
  const all = workers.flatMap(({ link, namespace }) => [
    ['ip', 'link', 'del', link],
    ['ip', 'netns', 'del', namespace],
  ]);
  all.push(['ip', 'link', 'del', bridge]);
  for (const command of all) {
    try {
      await run(command);
    } catch (error) {
      log.warn('a link between nodes is left', { command: command.join(' '), reason: messageOf(error) });
    }
  }
}

async function hasUplink(run: RunTool, { namespace }: WorkerPlace): Promise<boolean> {
  try {
    await run(['ip', '-n', namespace, 'link', 'show', 'dev', UPLINK]);
    return true;
  } catch (error) {
    if (error instanceof NetworkError) return false;
    throw error;
  }
}

async function unlessThere(run: RunTool, command: readonly string[]): Promise<void> {
  try {
    await run(command);
  } catch (error) {
    if (!(error instanceof NetworkError && error.message.includes('File exists'))) throw error;
  }
}
