import { PODS } from '@binnacle/api';
import { status as statusErrors } from '@binnacle/machinery';
import { observedCause } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import type { Pod } from '@binnacle/api/core/v1';
import type { KubeletConfig } from '../config.ts';
import { cgroupParent } from '../container/resources.ts';
import { podLogDirectory } from '../container/sandbox-config.ts';
import type { HostFiles, Machine } from '../ports.ts';

/** Clears away a pod's control group and its logs. */
export async function removeRemains(
  of: { readonly config: KubeletConfig; readonly machine: Machine; readonly files: HostFiles | undefined },
  pod: Pod,
): Promise<void> {
  await of.machine.removeCgroup(cgroupParent(of.config.cgroupRoot, pod));
  await of.files?.remove(podLogDirectory(pod, of.config));
}

/** Ends the object of a pod that is gone from the node; another one of that name is left alone. */
export async function deleteApiPod(
  { client, nodeName }: { readonly client: Client | undefined; readonly nodeName: string },
  pod: Pod,
): Promise<void> {
  const { namespace, name = '', uid = '' } = pod.metadata;
  try {
    const cause = observedCause(`kubelet ${nodeName}`, pod, `pod ${namespace ?? ''}/${name} has ended`);
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    await client?.resource(PODS, namespace).delete(name, options, { cause });
  } catch (error) {
    if (!statusErrors.isNotFound(error) && !statusErrors.isConflict(error)) throw error;
  }
}
