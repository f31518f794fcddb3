import { SERVICES } from '@binnacle/api';
import type { Service } from '@binnacle/api/core/v1';
import { canonicalAddress, coalesced, inRanges, messageOf } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { cacheKey, createInformer } from '@binnacle/client';
import type { Client, ClientWorld } from '@binnacle/client';
import type { RunTool } from '@binnacle/network/nftables';

/** Whose addresses this machine answers for on its links. */
export interface Announcing {
  readonly client: Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  readonly run: RunTool;
  /** A link of our own: its addresses go with it, and neighbours on every link are told of them. */
  readonly link: string;
  /** CIDRs that load balancers draw from. */
  readonly pool: readonly string[];
}

/** After a refusal, then twice as long, and so on. */
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 30_000;

interface ListedLink {
  readonly addr_info?: readonly { readonly local?: string; readonly prefixlen?: number }[];
}

/** Gives the link the addresses of load balancers, and takes them back. */
export async function announceBalancers(options: Announcing): Promise<void> {
  const { client, world, scope, run, link, pool } = options;
  const isOurs = inRanges(pool);
  const has = new Set(await announcedOn(run, link));
  const wanted = new Map<string, readonly string[]>();
  const services = createInformer(client, SERVICES, world);
  let retryMs = RETRY_MS;
  let isWaiting = false;
  /** Whether the machine took it. */
  const act = async (verb: 'replace' | 'del', address: string): Promise<boolean> => {
    try {
      await run(['ip', 'addr', verb, `${address}/${lengthOf(address)}`, 'dev', link]);
      if (verb === 'replace') has.add(address);
      else has.delete(address);
      return true;
    } catch (error) {
      world.log.warn('the address of a load balancer is not as it should be', {
        address,
        verb,
        reason: messageOf(error),
      });
      return false;
    }
  };
  const tryLater = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    const again = (): void => {
      isWaiting = false;
      // Never rejects: what the machine does not take is told, and tried later.
      if (!scope.closing) void settle();
    };
    world.clock.after(retryMs, again, { background: true });
    retryMs = Math.min(retryMs * 2, RETRY_MS_MAX);
  };
  const settle = coalesced(async () => {
    const all = new Set([...wanted.values()].flat());
    let isDone = true;
    for (const address of has) if (!all.has(address) && !(await act('del', address))) isDone = false;
    for (const address of all) if (!has.has(address) && !(await act('replace', address))) isDone = false;
    if (isDone) retryMs = RETRY_MS;
    else tryLater();
  });
  let isSynced = false;
  const set = (service: Service, addresses: readonly string[]): void => {
    const key = cacheKey(service);
    if ((wanted.get(key) ?? []).join() === addresses.join()) return;
    if (addresses.length === 0) wanted.delete(key);
    else wanted.set(key, addresses);
    // Never rejects, as above.
    if (isSynced) void settle();
  };
  const asked = ({ status }: Service): string[] =>
    (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }) => (isOurs(ip) ? (canonicalAddress(ip) ?? []) : []));
  services.subscribe({
    add: (service) => set(service, asked(service)),
    update: (_before, service) => set(service, asked(service)),
    remove: (service) => set(service, []),
  });
  services.start(scope);
  scope.run('addresses of load balancers', async (signal) => {
    await services.whenSynced(signal);
    isSynced = true;
    await settle();
  });
}

/** Takes back what was announced when there was a pool. */
export async function forgetBalancers(run: RunTool, link: string): Promise<void> {
  for (const address of await announcedOn(run, link))
    await run(['ip', 'addr', 'del', `${address}/${lengthOf(address)}`, 'dev', link]);
}

/** Of whatever pool: the link's own addresses have a network with them. */
async function announcedOn(run: RunTool, link: string): Promise<string[]> {
  const listed = JSON.parse(await run(['ip', '-j', 'addr', 'show', 'dev', link])) as readonly ListedLink[];
  return listed.flatMap(({ addr_info: all = [] }) =>
    all.flatMap(({ local = '', prefixlen }) => (local !== '' && prefixlen === lengthOf(local) ? [local] : [])),
  );
}

function lengthOf(address: string): number {
  return address.includes(':') ? 128 : 32;
}
