import type { PersistentVolume } from '@binnacle/api/core/v1';
import { directoryOf, FINALIZER, isVolumeName, NODE_ANNOTATION, PROVISIONED_BY, PROVISIONER } from './names.ts';

/** What is to be done about a volume. */
export type VolumeDecision =
  | { readonly do: 'nothing' }
  /** Its directory, then the object. */
  | { readonly do: 'remove'; readonly directory: string }
  /** It goes and its data stays: only our finalizer goes. */
  | { readonly do: 'let-go' }
  /** It says that it is ours, and is nothing that we make. */
  | { readonly do: 'refuse'; readonly message: string };

/** What a decision looks at beside the volume. */
export interface VolumeView {
  readonly root: string;
  isOurNode(name: string): boolean;
}

/** Decides what is to be done about a volume. */
export function decideVolume({ metadata, spec, status }: PersistentVolume, view: VolumeView): VolumeDecision {
  const { annotations = {}, name = '', finalizers = [], deletionTimestamp } = metadata;
  const node = annotations[NODE_ANNOTATION];
  if (annotations[PROVISIONED_BY] !== PROVISIONER || node === undefined || !view.isOurNode(node)) {
    return { do: 'nothing' };
  }
  const isLetGo = status?.phase === 'Released' || status?.phase === 'Failed';
  const goes = deletionTimestamp !== undefined && status?.phase !== 'Bound';
  if (spec.persistentVolumeReclaimPolicy !== 'Delete') {
    return goes && finalizers.includes(FINALIZER) ? { do: 'let-go' } : { do: 'nothing' };
  }
  if (!isLetGo && !goes) return { do: 'nothing' };
  const directory = directoryOf(view.root, name);
  // Whoever may write volumes must not have other files removed.
  if (isVolumeName(name) && spec.local?.path === directory) return { do: 'remove', directory };
  return { do: 'refuse', message: `${spec.local?.path ?? 'the volume'} was not made by ${PROVISIONER}: it is left` };
}
