import { storageClassNameOf } from '@binnacle/api';
import type { PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { StorageClass } from '@binnacle/api/storage/v1';
import { ASKED_OF, PROVISIONER, SELECTED_NODE } from './names.ts';

/** What is to be done about a claim. */
export type ClaimDecision =
  | { readonly do: 'nothing' }
  | { readonly do: 'provision'; readonly node: string }
  /** What it asks for cannot be had from directories. */
  | { readonly do: 'refuse'; readonly message: string }
  /** The node that was chosen is gone: the scheduler has to choose again. */
  | { readonly do: 'give-back' };

/** What a decision looks at beside the claim. */
export interface ClaimView {
  storageClass(name: string): StorageClass | undefined;
  hasNode(name: string): boolean;
  isOurNode(name: string): boolean;
}

const ACCESS_MODES: ReadonlySet<string> = new Set(['ReadWriteOnce', 'ReadWriteOncePod']);

/** Decides what is to be done about a claim. */
export function decideClaim(claim: PersistentVolumeClaim, view: ClaimView): ClaimDecision {
  const { annotations = {}, deletionTimestamp } = claim.metadata;
  const isAsked = annotations[ASKED_OF] === PROVISIONER && (claim.spec.volumeName ?? '') === '';
  if (!isAsked || deletionTimestamp !== undefined) return { do: 'nothing' };
  const storage = view.storageClass(storageClassNameOf(claim));
  if (storage === undefined || storage.provisioner !== PROVISIONER) return { do: 'nothing' };
  const node = annotations[SELECTED_NODE];
  const message = obstacle(claim, storage, node);
  if (message !== undefined) return { do: 'refuse', message };
  if (node === undefined) return { do: 'nothing' };
  if (view.isOurNode(node)) return { do: 'provision', node };
  return view.hasNode(node) ? { do: 'nothing' } : { do: 'give-back' };
}

function obstacle(
  { spec }: PersistentVolumeClaim,
  storage: StorageClass,
  node: string | undefined,
): string | undefined {
  const mode = spec.accessModes?.find((one) => !ACCESS_MODES.has(one));
  if (mode !== undefined) return `access mode ${mode} is not supported: only ReadWriteOnce and ReadWriteOncePod are`;
  if (spec.volumeMode === 'Block') return 'volumeMode Block is not supported';
  if (spec.selector !== undefined) return 'claim.Spec.Selector is not supported';
  if (spec.dataSource !== undefined || spec.dataSourceRef !== undefined) return 'a data source is not supported';
  if ((spec.volumeAttributesClassName ?? '') !== '') return 'a VolumeAttributesClass is not supported';
  const parameter = Object.keys(storage.parameters ?? {})[0];
  if (parameter !== undefined) return `parameter ${JSON.stringify(parameter)} of the storage class is not known`;
  if ((storage.mountOptions ?? []).length > 0) return 'mount options are not supported';
  if (node === undefined && storage.volumeBindingMode !== 'WaitForFirstConsumer') {
    return 'no node was chosen: the storage class needs volumeBindingMode WaitForFirstConsumer';
  }
  return undefined;
}

/** The size that a bound claim asks for beyond what it has; undefined: it has it. Both as the API writes them. */
export function askedSize(
  { spec, status }: PersistentVolumeClaim,
  isMore: (asked: string, has: string) => boolean,
): string | undefined {
  const asked = spec.resources?.requests?.['storage'];
  const has = status?.capacity?.['storage'];
  if (status?.phase !== 'Bound' || asked === undefined || has === undefined) return undefined;
  return isMore(asked, has) ? asked : undefined;
}
