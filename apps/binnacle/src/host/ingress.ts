import type { Scope } from '@binnacle/base';
import { messageOf } from '@binnacle/base';
import type { ControlPlane } from '@binnacle/cluster/node/control-plane';
import type { NodeLayout } from '@binnacle/cluster/node/node-layout';
import { firstOwnAddress } from '@binnacle/cluster/node/own-addresses';
import type { World } from '@binnacle/cluster/world';
import { InvalidArgumentError } from 'commander';
import { clusterRangesOf, hasOtherMachines, isExposed } from './node-services.ts';
import type { ServiceFlags } from './node-services.ts';
import type { Progress } from './progress.ts';

/** The ports of `--ingress-ports`. */
export interface IngressPorts {
  readonly http: number;
  readonly https: number;
}

/** What says whether and where Ingresses are served. */
export interface IngressFlags extends ServiceFlags {
  readonly ingress: 'on' | 'off';
  readonly ingressPorts: IngressPorts;
  readonly nodeIp?: readonly string[];
}

/** `HTTP,HTTPS`; 0 takes any. */
export function parseIngressPorts(text: string): IngressPorts {
  const match = /^(\d{1,5}),(\d{1,5})$/.exec(text);
  const [http, https] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || http > 65_535 || https > 65_535) throw new InvalidArgumentError('expected HTTP,HTTPS');
  if (http === https && http !== 0) throw new InvalidArgumentError('expected two ports');
  return { http, https };
}

/** Serves Ingresses of the class `binnacle` unless the flag says no; where that fails, the cluster goes on without. */
export async function openIngress(
  flags: IngressFlags,
  of: {
    readonly plane: ControlPlane;
    readonly layout: NodeLayout | undefined;
    /** Pods have addresses on this machine. */
    readonly hasPods: boolean;
    readonly progress: Progress;
    readonly world: World;
    readonly scope: Scope;
  },
): Promise<void> {
  if (flags.ingress === 'off') return;
  const { plane, layout, hasPods, progress, world, scope } = of;
  const nodes = layout === undefined ? [] : [...layout.clusterRanges, ...layout.nodeRanges];
  const pods = hasOtherMachines(flags) ? clusterRangesOf(flags) : flags.podCidr;
  const insiders = hasPods ? [...pods, ...nodes] : [];
  try {
    const { startIngress } = await import('@binnacle/cluster/node/ingress');
    await startIngress({
      plane,
      ports: flags.ingressPorts,
      addresses: flags.nodeIp ?? [firstOwnAddress() ?? '127.0.0.1'],
      ...(isExposed(flags) ? {} : { insiders }),
      world,
      scope,
    });
  } catch (error) {
    world.log.error(error, 'Ingresses are not served');
    progress.say(`Ingresses are not served: ${messageOf(error)}`);
  }
}
