import type { CallContext } from '@binnacle/base';
import { deepEqual, status } from '@binnacle/machinery';
import type { DeleteOptions, KubeObject } from '@binnacle/machinery';
import type { ResourceClient } from '@binnacle/client';

/** Who writes, and why. */
export interface Writer<T extends KubeObject> {
  readonly client: ResourceClient<T>;
  readonly context: CallContext;
}

const TRIES_MAX = 5;

/**
 * Writes an object's status when `change` makes it another one; nothing is written when nothing changes. On a
 * conflict the object is read anew and `change` decides again: it must depend on its argument only. Answers the
 * object as it is afterwards; undefined when it is gone.
 */
export async function commitStatus<T extends KubeObject & { readonly status?: unknown }>(
  by: Writer<T>,
  seen: T,
  change: (object: T) => T,
): Promise<T | undefined> {
  const { client, context } = by;
  const { name = '', uid } = seen.metadata;
  let before = seen;
  for (let tries = 1; ; tries++) {
    const after = change(before);
    if (deepEqual(after.status, before.status)) return before;
    try {
      return await client.updateStatus(after, undefined, context);
    } catch (error) {
      if (status.isNotFound(error)) return undefined;
      if (!status.isConflict(error) || tries >= TRIES_MAX) throw error;
    }
    const fresh = await getOrUndefined(client, name, context);
    if (fresh === undefined || fresh.metadata.uid !== uid) return undefined;
    before = fresh;
  }
}

/** The object, or undefined when there is none of that name. */
export async function getOrUndefined<T extends KubeObject>(
  client: ResourceClient<T>,
  name: string,
  context?: CallContext,
): Promise<T | undefined> {
  try {
    return await client.get(name, context);
  } catch (error) {
    if (status.isNotFound(error)) return undefined;
    throw error;
  }
}

/** Deletes; that it is gone already is as good. Answers whether it was there. */
export async function deleteIfThere<T extends KubeObject>(
  by: Writer<T>,
  name: string,
  options?: Partial<DeleteOptions>,
): Promise<boolean> {
  try {
    await by.client.delete(name, options, by.context);
    return true;
  } catch (error) {
    if (status.isNotFound(error)) return false;
    throw error;
  }
}
