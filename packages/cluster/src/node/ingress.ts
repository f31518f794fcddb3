import type { Scope } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { runIngress } from '@binnacle/ingress';
import type { DoorKind, RunningIngress } from '@binnacle/ingress';
import { makeDoors } from '@binnacle/ingress/node';
import type { UserInfo } from '@binnacle/machinery';
import { ADMIN, KUBE_PROXY } from '../identities.ts';
import { ensureIngressObjects, INGRESS } from '../ingress-objects.ts';
import type { World } from '../world.ts';
import type { ControlPlane } from './control-plane.ts';
import { followInsiders, InsiderGate } from './insiders.ts';
import type { Insiders } from './insiders.ts';

/** Ingresses on the ports of this machine. */
export interface IngressStart {
  readonly plane: Pick<ControlPlane, 'certificates' | 'nodes'> & { clientAs(user: UserInfo): Client };
  readonly ports: { readonly [kind in DoorKind]: number };
  /** Where clients reach this machine. */
  readonly addresses: readonly string[];
  /** Who is served beside this machine itself: these (CIDRs) and, where there are any, the cluster's nodes; absent: everybody. */
  readonly insiders?: readonly string[];
  readonly world: World;
  readonly scope: Scope;
}

/** The class, and the controller that serves it. Ports open once there is an Ingress of the class. */
export async function startIngress(options: IngressStart): Promise<RunningIngress> {
  const { plane, ports, addresses, world, scope } = options;
  await ensureIngressObjects(plane.clientAs(ADMIN));
  const log = world.log.named('ingress');
  const gate = new InsiderGate(insidersOf(options), world.clock);
  const doors = {
    ports,
    log,
    letsIn: (address: string) => gate.letsIn(address),
    fallback: () => plane.certificates.keepCertificate('ingress', { commonName: 'binnacle-ingress', ips: addresses }),
    connect: ({ address, port, nodeName, pod }: Parameters<Parameters<typeof makeDoors>[0]['connect']>[0]) =>
      pod === undefined ? undefined : plane.nodes.connectPod({ ...pod, address, port, nodeName }),
  };
  return runIngress({
    client: plane.clientAs(INGRESS),
    world: { ...world, log },
    scope: scope.child('ingress'),
    addresses,
    openDoors: (traffic) => makeDoors(doors, traffic),
  });
}

/** Nodes without pods on this machine's network have no addresses that anybody comes from: they are not followed. */
function insidersOf({ plane, insiders, world, scope }: IngressStart): () => Insiders {
  if (insiders === undefined || insiders.length === 0) return () => insiders;
  return followInsiders(insiders, { client: plane.clientAs(KUBE_PROXY), world, scope });
}
