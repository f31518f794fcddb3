import type { Scope } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { runIngress } from '@binnacle/ingress';
import type { DoorKind, RunningIngress } from '@binnacle/ingress';
import { makeDoors } from '@binnacle/ingress/node';
import type { UserInfo } from '@binnacle/machinery';
import { ADMIN } from '../identities.ts';
import { ensureIngressObjects, INGRESS } from '../ingress-objects.ts';
import type { World } from '../world.ts';
import type { ControlPlane } from './control-plane.ts';
import { isInsider } from './insiders.ts';

/** Ingresses on the ports of this machine. */
export interface IngressStart {
  readonly plane: Pick<ControlPlane, 'certificates' | 'nodes'> & { clientAs(user: UserInfo): Client };
  readonly ports: { readonly [kind in DoorKind]: number };
  /** Where clients reach this machine. */
  readonly addresses: readonly string[];
  /** Who is served beside this machine itself (CIDRs); absent: everybody. */
  readonly insiders?: readonly string[];
  readonly world: World;
  readonly scope: Scope;
}

/** The class, and the controller that serves it. Ports open once there is an Ingress of the class. */
export async function startIngress(options: IngressStart): Promise<RunningIngress> {
  const { plane, ports, addresses, insiders, world, scope } = options;
  await ensureIngressObjects(plane.clientAs(ADMIN));
  const log = world.log.named('ingress');
  const doors = {
    ports,
    log,
    letsIn: (address: string) => isInsider(address, insiders),
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
