import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { NetworkError } from '@binnacle/network';
import type { RunTool } from '@binnacle/network/nftables';
import type { NodeLayout, WorkerPlace } from './node-layout.ts';
import { ownLink } from './pod-bridge.ts';

const UPLINK = 'eth0';

/**
 * Makes the namespaces of further nodes, with a link of each to the machine's bridge. What is there already is kept: pods of
 * an earlier time run in it. Ways to each other's pods are kept by whoever follows Nodes.
 */
export async function linkNodes(run: RunTool, { bridge, gateways, nodeRanges, workers }: NodeLayout): Promise<void> {
  const lengths = nodeRanges.map((range) => range.split('/')[1]);
  await unlessThere(run, ['ip', 'link', 'add', bridge, 'type', 'bridge']);
  await setAddresses(run, undefined, { link: bridge, addresses: gateways, lengths });
  await run(['ip', 'link', 'set', bridge, 'up']);
  for (const worker of workers) {
    const { namespace, link, addresses } = worker;
    await unlessThere(run, ['ip', 'netns', 'add', namespace]);
    if (!(await hasUplink(run, worker))) {
      await run(['ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', UPLINK, 'netns', namespace]);
    }
    await run(['ip', 'link', 'set', link, 'master', bridge, 'up']);
    // What a node's pod sends to a Service on the machine's own address may be for a pod of that node: back by the same link.
    await run(['ip', 'link', 'set', link, 'type', 'bridge_slave', 'hairpin', 'on']);
    const inside = ['ip', '-n', namespace];
    await run([...inside, 'link', 'set', 'lo', 'up']);
    await setAddresses(run, namespace, { link: UPLINK, addresses, lengths });
    await run([...inside, 'link', 'set', UPLINK, 'up']);
    for (const gateway of gateways) {
      const family = gateway.includes(':') ? ['-6'] : [];
      await run([...inside, ...family, 'route', 'replace', 'default', 'via', gateway]);
    }
  }
}

/** Gives a link its addresses; of IPv6 at once, without a look for others who have them: nobody has. */
async function setAddresses(
  run: RunTool,
  namespace: string | undefined,
  of: {
    readonly link: string;
    readonly addresses: readonly string[];
    readonly lengths: readonly (string | undefined)[];
  },
): Promise<void> {
  const { link, addresses, lengths } = of;
  const within = namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace];
  await ownLink(run, { link, addresses, within });
  const inside = namespace === undefined ? ['ip'] : ['ip', '-n', namespace];
  for (const [at, address] of addresses.entries()) {
    const place = ['dev', link, ...(address.includes(':') ? ['nodad'] : [])];
    await run([...inside, 'addr', 'replace', `${address}/${lengths[at]}`, ...place]);
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
