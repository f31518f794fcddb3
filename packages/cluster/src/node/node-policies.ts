import type { Logger, Scope } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import type { UserInfo } from '@binnacle/machinery';
import { NftablesPolicies, toolRunner } from '@binnacle/network/nftables';
import type { NftSession } from '@binnacle/network/nftables';
import { runPolicies } from '@binnacle/proxy';
import type { RunningPolicies } from '@binnacle/proxy';
import { ADMIN, KUBE_PROXY, POLICY_READER } from '../identities.ts';
import { ensureReader, ensureReaderToo } from '../reader-roles.ts';
import type { World } from '../world.ts';

/** A pod that starts is held back only once its address is known here: soon. */
const POLICY_SYNC_MS = 100;

/** What holds pods back, in a table named after the bridge of the node's pods. */
export function tablePolicies(of: {
  readonly bridge: string;
  readonly log: Logger;
  readonly session?: NftSession;
}): NftablesPolicies {
  const { bridge, log, ...more } = of;
  return new NftablesPolicies({ ...more, table: `${bridge}-policies`, run: toolRunner(), log: log.named('policies') });
}

/** What policies of a node are kept with. */
interface PolicyPlace {
  readonly nodeName: string;
  readonly world: World;
  readonly scope: Scope;
}

/** Keeps the node's pods held back as the cluster's policies say; who may read those is seen to. */
export async function startPolicies(
  of: PolicyPlace & {
    readonly clientAs: (user: UserInfo) => Client;
    /** `binnacle proxy` of other machines holds their pods back, as the user of proxies. */
    readonly hasOtherMachines: boolean;
  },
  network: NftablesPolicies,
): Promise<RunningPolicies> {
  const { clientAs, hasOtherMachines } = of;
  const admin = clientAs(ADMIN);
  await ensureReader(admin, POLICY_READER.name, [
    ['', 'pods', 'namespaces'],
    ['networking.k8s.io', 'networkpolicies'],
  ]);
  if (hasOtherMachines) await ensureReaderToo(admin, POLICY_READER.name, KUBE_PROXY.name);
  return keepPolicies({ ...of, client: clientAs(POLICY_READER) }, network);
}

/** The same by whoever may read policies, pods and namespaces. */
export function keepPolicies(
  { client, nodeName, world, scope }: PolicyPlace & { readonly client: Client },
  network: NftablesPolicies,
): RunningPolicies {
  return runPolicies({
    client,
    world: { ...world, log: world.log.named('policies') },
    scope: scope.child('policies'),
    network,
    nodeName,
    minSyncMs: POLICY_SYNC_MS,
  });
}
