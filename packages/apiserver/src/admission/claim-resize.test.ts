import type { AdmissionCase } from '../testing/admission.ts';
import { admissionTable } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createClaimResize } from './claim-resize.ts';

const cache = new MemoryCache();
const classes = { group: 'storage.k8s.io', resource: 'storageclasses' };
cache.put(classes, { metadata: { name: 'grows' }, allowVolumeExpansion: true } as never);
cache.put(classes, { metadata: { name: 'fixed' } } as never);

function claim(storage: string, storageClassName: string, phase = 'Bound'): object {
  return {
    metadata: { namespace: 'a', name: 'c' },
    spec: { storageClassName, resources: { requests: { storage } } },
    status: { phase },
  };
}

const update = (object: object, before: object): AdmissionCase => ({
  operation: 'UPDATE',
  resource: 'persistentvolumeclaims',
  object,
  before,
});
const CANNOT =
  'persistentvolumeclaims "c" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

admissionTable(createClaimResize(cache), [
  ['as before', update(claim('1Gi', 'fixed'), claim('1024Mi', 'fixed')), undefined],
  ['smaller is for validation', update(claim('1Gi', 'fixed'), claim('2Gi', 'fixed')), undefined],
  ['grows', update(claim('2Gi', 'grows'), claim('1Gi', 'grows')), undefined],
  ['its class does not allow it', update(claim('2Gi', 'fixed'), claim('1Gi', 'fixed')), CANNOT],
  ['its class is gone', update(claim('2Gi', 'gone'), claim('1Gi', 'gone')), CANNOT],
  ['no class', update(claim('2Gi', ''), claim('1Gi', '')), CANNOT],
  [
    'not bound',
    update(claim('2Gi', 'grows', 'Pending'), claim('1Gi', 'grows', 'Pending')),
    'persistentvolumeclaims "c" is forbidden: Only bound persistent volume claims can be expanded',
  ],
]);
