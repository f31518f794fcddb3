import type { Draft } from '../draft.ts';
import type { CSIDriver, StorageClass } from '../generated/storage-v1.ts';

export function defaultStorageClass(storageClass: Draft<StorageClass>): void {
  storageClass.reclaimPolicy ??= 'Delete';
  storageClass.volumeBindingMode ??= 'Immediate';
}

export function defaultCsiDriver(driver: Draft<CSIDriver>): void {
  const spec = driver.spec;
  if (!spec) return;
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent'];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}
