import { PODS } from '@binnacle/api';
import { status as statusErrors } from '@binnacle/machinery';
import { observedCause } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import type { Pod } from '@binnacle/api/core/v1';
import type { KubeletConfig } from '../config.ts';
import { cgroupParent } from '../container/resources.ts';
import { podLogDirectory } from '../container/sandbox-config.ts';
import type { HostFiles, Machine } from '../ports.ts';
import { isThere } from '../status/is-there.ts';

/** Clears away a pod's control group and its logs. */
export async function removeRemains(
  of: { readonly config: KubeletConfig; readonly machine: Machine; readonly files: HostFiles | undefined },
  pod: Pod,
): Promise<void> {
  await of.machine.removeCgroup(cgroupParent(of.config.cgroupRoot, pod));
  await of.files?.remove(podLogDirectory(pod, of.config));
}

/**
 * Ends the object of a pod that is gone from the node; another one of that name is left alone. Throws what the API throws,
 * also a conflict while the object is there: who takes it for gone leaves it there for good.
 */
export async function deleteApiPod(
  { client, nodeName }: { readonly client: Client | undefined; readonly nodeName: string },
  pod: Pod,
): Promise<void> {
  const { namespace, name = '', uid = '' } = pod.metadata;
  const pods = client?.resource(PODS, namespace);
  try {
    const cause = observedCause(`kubelet ${nodeName}`, pod, `pod ${namespace ?? ''}/${name} has ended`);
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    await pods?.delete(name, options, { cause });
  } catch (error) {
    if (statusErrors.isNotFound(error)) return;
    if (pods === undefined || !statusErrors.isConflict(error) || (await isThere(pods, pod))) throw error;
  }
}
