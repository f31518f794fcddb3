import { type Logger, messageOf } from '@binnacle/base';
import { RESOURCE_SLICES } from '@binnacle/api';
import { timedCause } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { status as statusErrors } from '@binnacle/machinery';

/** Takes back what drivers told of this node's devices that are here no longer: nobody must be sent here for them. */
export async function wipeSlices(of: {
  readonly client: Client;
  readonly nodeName: string;
  /** Empty: of all drivers. */
  readonly driver: string;
  /** It is here: what it told is its own. */
  readonly isHere: (driver: string) => boolean;
  readonly log: Logger;
}): Promise<void> {
  const { client, nodeName, driver, log } = of;
  try {
    const fieldSelector = [`spec.nodeName=${nodeName}`, ...(driver === '' ? [] : [`spec.driver=${driver}`])].join(',');
    const { items } = await client.resource(RESOURCE_SLICES).list({ fieldSelector });
    for (const { metadata, spec } of items.filter((slice) => !of.isHere(slice.spec.driver))) {
      const cause = timedCause('kubelet', `devices of driver ${spec.driver}, which is gone`);
      await client
        .resource(RESOURCE_SLICES)
        .delete(metadata.name ?? '', {}, { cause })
        .catch((error: unknown) => {
          if (!statusErrors.isNotFound(error)) throw error;
        });
    }
  } catch (error) {
    log.warn('Devices of drivers that are gone are still told of', { driver, reason: messageOf(error) });
  }
}
