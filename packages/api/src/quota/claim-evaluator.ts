import { compareQuantities, parseQuantity, quantityOf } from '@binnacle/machinery';
import type { Quantity } from '@binnacle/machinery';
import type { PersistentVolumeClaim } from '../generated/core-v1.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';
import { selectsName } from './scope-selector.ts';

const COUNT = 'count/persistentvolumeclaims';
const COUNTED = ['persistentvolumeclaims', 'requests.storage'];
/** Amounts may be for the claims of one storage class only. */
const OF_CLASS = '.storageclass.storage.k8s.io/';
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

const NANO = 1_000_000_000n;

/** How claims of volumes count: by number and by storage, in all and for their storage class. */
export const CLAIM_EVALUATOR: QuotaEvaluator = {
  counts: (name) => name === COUNT || COUNTED.some((one) => name === one || name.endsWith(OF_CLASS + one)),
  usage(object) {
    const claim = object as PersistentVolumeClaim;
    const storageClass = claim.metadata.annotations?.[CLASS_ANNOTATION] ?? claim.spec?.storageClassName ?? '';
    const storage = storageOf(claim);
    const usage = new Map<string, Quantity>([[COUNT, quantityOf(1)]]);
    for (const [name, amount] of [
      ['persistentvolumeclaims', quantityOf(1)] as const,
      ['requests.storage', storage] as const,
    ]) {
      if (amount === undefined) continue;
      usage.set(name, amount);
      if (storageClass !== '') usage.set(storageClass + OF_CLASS + name, amount);
    }
    return usage;
  },
  inScope(object, selector) {
    return selector.scopeName === 'VolumeAttributesClass' && selectsName(selector, attributesClassesOf(object));
  },
};

/** What is asked for, or what an expansion that failed has taken; in whole bytes. */
function storageOf({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const asked = spec?.resources?.requests?.['storage'];
  if (asked === undefined) return undefined;
  const taken = status?.allocatedResources?.['storage'];
  const { nano, format } = parseQuantity(taken !== undefined && compareQuantities(taken, asked) > 0 ? taken : asked);
  return { nano: ((nano + NANO - 1n) / NANO) * NANO, format };
}

/** Of what the claim asks for, has, or is on the way to. */
export function attributesClassesOf(object: object): string[] {
  const { spec, status } = object as PersistentVolumeClaim;
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.flatMap((name) => (name === undefined || name === '' ? [] : [name])))];
}
