import { wellknown } from '@binnacle/api';
import type { StorageClass } from '@binnacle/api/storage/v1';

const MARKS = [wellknown.ANNOTATION_DEFAULT_CLASS, 'storageclass.beta.kubernetes.io/is-default-class'];

/** The class of claims that name none: of those marked so the newest, of those of one second the first by name. */
export function defaultStorageClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const marked = classes.filter(({ metadata }) => MARKS.some((mark) => metadata.annotations?.[mark] === 'true'));
  return marked.toSorted((a, b) => {
    const [age, other] = [a, b].map(({ metadata }) => metadata.creationTimestamp ?? '');
    if (age !== other) return (age ?? '') > (other ?? '') ? -1 : 1;
    return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
  })[0];
}
