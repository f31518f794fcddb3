import type { ResourceClaim, ResourceSlice } from '@binnacle/api/resource/v1';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  VolumeAttachment,
  VolumeAttributesClass,
} from '@binnacle/api/storage/v1';
import { AGE, NAME, boolean, createdAgo, integer, listed, nameOf, printer, text } from '../../render/columns.ts';

const DRIVER = 'Driver that it is for.';

export const csiDriverPrinter = printer<CSIDriver>(
  [
    NAME,
    boolean('AttachRequired', 'Whether volumes are attached first.'),
    boolean('PodInfoOnMount', 'Whether it is told about the pod.'),
    boolean('StorageCapacity', 'Whether it tells how much room there is.'),
    text('TokenRequests', 'Audiences of the tokens it gets.'),
    boolean('RequiresRepublish', 'Whether it is called again and again.'),
    text('Modes', 'For how long its volumes may live.'),
    AGE,
  ],
  (driver, now) => [
    nameOf(driver),
    driver.spec.attachRequired ?? true,
    driver.spec.podInfoOnMount ?? false,
    driver.spec.storageCapacity ?? false,
    driver.spec.tokenRequests?.map(({ audience }) => audience).join(',') ?? '<unset>',
    driver.spec.requiresRepublish ?? false,
    listed(driver.spec.volumeLifecycleModes ?? []),
    createdAgo(driver, now),
  ],
);

export const csiNodePrinter = printer<CSINode>(
  [NAME, integer('Drivers', 'How many drivers the node has.'), AGE],
  (node, now) => [nameOf(node), node.spec.drivers?.length ?? 0, createdAgo(node, now)],
);

export const csiStorageCapacityPrinter = printer<CSIStorageCapacity>(
  [NAME, text('StorageClassName', 'Class that it is about.'), text('Capacity', 'How much room there is.')],
  (one) => [nameOf(one), one.storageClassName, one.capacity === undefined ? '<unset>' : String(one.capacity)],
);

export const volumeAttachmentPrinter = printer<VolumeAttachment>(
  [
    NAME,
    text('Attacher', DRIVER),
    text('PV', 'Volume that is attached.'),
    text('Node', 'Node that it is attached to.'),
    boolean('Attached', 'Whether it is.'),
    AGE,
  ],
  (one, now) => [
    nameOf(one),
    one.spec.attacher,
    one.spec.source.persistentVolumeName ?? '',
    one.spec.nodeName,
    one.status?.attached ?? false,
    createdAgo(one, now),
  ],
);

export const volumeAttributesClassPrinter = printer<VolumeAttributesClass>(
  [NAME, text('DriverName', DRIVER), AGE],
  (one, now) => [nameOf(one), one.driverName, createdAgo(one, now)],
);

export const resourceClaimPrinter = printer<ResourceClaim>(
  [NAME, text('State', 'Whether it has its devices.'), AGE],
  (claim, now) => [nameOf(claim), claimState(claim), createdAgo(claim, now)],
);

export const resourceSlicePrinter = printer<ResourceSlice>(
  [NAME, text('Node', 'Node that has the devices.'), text('Driver', DRIVER), text('Pool', 'Pool of devices.'), AGE],
  (slice, now) => [
    nameOf(slice),
    slice.spec.nodeName ?? '',
    slice.spec.driver,
    slice.spec.pool.name,
    createdAgo(slice, now),
  ],
);

/** Kinds with a name and an age, both texts. */
export const plainPrinter = printer([NAME, AGE], (object, now) => [nameOf(object), createdAgo(object, now)]);

function claimState({ metadata, status }: ResourceClaim): string {
  const isDeleted = (metadata.deletionTimestamp ?? '') !== '';
  const states = isDeleted ? ['deleted'] : [];
  if (!status?.allocation) return (isDeleted ? states : ['pending']).join(',');
  states.push('allocated');
  if ((status.reservedFor?.length ?? 0) > 0) states.push('reserved');
  return states.join(',');
}
