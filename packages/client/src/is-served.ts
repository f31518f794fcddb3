import type { CallContext } from '@binnacle/base';
import { readText, status } from '@binnacle/machinery';
import type { GroupVersionResource, Wire } from '@binnacle/machinery';

/** Whether a server serves a resource now, by its discovery: for what is served on request alone. Throws StatusError, TransportError. */
export async function isServed(
  wire: Wire,
  { group, version, resource }: GroupVersionResource,
  context?: CallContext,
): Promise<boolean> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    const { resources } = JSON.parse(await readText(wire, path, context)) as { readonly resources?: unknown };
    return (
      Array.isArray(resources) && resources.some((one: { readonly name?: unknown } | null) => one?.name === resource)
    );
  } catch (error) {
    if (status.isNotFound(error)) return false;
    throw error;
  }
}
