import type { Logger, Scope } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import type { UserInfo } from '@binnacle/machinery';
import { NftablesPolicies, toolRunner } from '@binnacle/network/nftables';
import type { NftSession } from '@binnacle/network/nftables';
import { runPolicies } from '@binnacle/proxy';
import type { RunningPolicies } from '@binnacle/proxy';
import { ADMIN, POLICY_READER } from '../identities.ts';
import { ensureReader } from '../reader-roles.ts';
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

/** Keeps the node's pods held back as the cluster's policies say. */
export async function startPolicies(
  of: {
    readonly nodeName: string;
    readonly clientAs: (user: UserInfo) => Client;
    readonly world: World;
    readonly scope: Scope;
  },
  network: NftablesPolicies,
): Promise<RunningPolicies> {
  const { clientAs, nodeName, world, scope } = of;
  await ensureReader(clientAs(ADMIN), POLICY_READER.name, [
    ['', 'pods', 'namespaces'],
    ['networking.k8s.io', 'networkpolicies'],
  ]);
  return runPolicies({
    client: clientAs(POLICY_READER),
    world: { ...world, log: world.log.named('policies') },
    scope: scope.child('policies'),
    network,
    nodeName,
    minSyncMs: POLICY_SYNC_MS,
  });
}
