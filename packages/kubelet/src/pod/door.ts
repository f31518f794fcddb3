/** Who is let onto a node, and who has to go for it. */
import type { Node, Pod } from '@binnacle/api/core/v1';
import type { KubeletConfig } from '../config.ts';
import type { Machine, NodePressure } from '../ports.ts';
import type { NodeAllocatable } from '../registration/allocatable.ts';
import type { DeviceCount } from '../registration/node-object.ts';
import { type NodeRoom, admitPod, extendedOf, otherwiseRefused, roomOf } from './admission.ts';
import { podsToPreempt } from './preemption.ts';
import type { PodWorld, Rejection } from './world.ts';

/** What is asked about a node and its pods, each time anew. */
export interface DoorOptions {
  readonly othersThan: (pod: Pod) => readonly Pod[];
  readonly pressure: () => NodePressure | undefined;
  /** Why the node takes no pod at all; undefined: it does. */
  readonly refusal: () => Rejection | undefined;
  /** Ends a pod for one that the node cannot do without. Resolves when it is off the node. */
  readonly preempt: (pod: Pod) => Promise<void>;
  readonly apiNode: PodWorld['apiNode'];
  /** Absent: this node has no plugins. */
  readonly devices: { counts(): readonly DeviceCount[] } | undefined;
}

/** What of a node asks whether a pod is let in. */
export function doorOf(
  node: {
    readonly config: KubeletConfig;
    readonly machine: Pick<Machine, 'cpus' | 'hugePages'>;
    readonly allocatable: NodeAllocatable;
  },
  of: DoorOptions,
): Pick<PodWorld, 'admit' | 'refusedAnyway' | 'makeRoom'> {
  const room = (told: Node | undefined): NodeRoom => ({
    ...roomOf(node.config, node, of.pressure()),
    extended: extendedOf(told ?? of.apiNode()?.lastRead, of.devices?.counts() ?? []),
  });
  return {
    admit: (pod, told) => of.refusal() ?? admitPod(pod, of.othersThan(pod), room(told)),
    refusedAnyway: (pod) => otherwiseRefused(pod, of.othersThan(pod), room(undefined)),
    makeRoom: (pod, short) => {
      const victims = podsToPreempt(pod, of.othersThan(pod), short);
      return victims && Promise.all(victims.map((one) => of.preempt(one))).then(() => undefined);
    },
  };
}
