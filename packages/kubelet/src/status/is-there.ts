import type { Pod } from '@binnacle/api/core/v1';
import type { ResourceClient } from '@binnacle/client';
import { status as statusErrors } from '@binnacle/machinery';

/** Whether the API has this very object; another one of its name is not it. Throws what the API throws. */
export async function isThere(
  pods: Pick<ResourceClient<Pod>, 'get'>,
  { metadata: { name = '', uid = '' } }: Pod,
): Promise<boolean> {
  try {
    return (await pods.get(name)).metadata.uid === uid;
  } catch (error) {
    if (statusErrors.isNotFound(error)) return false;
    throw error;
  }
}
