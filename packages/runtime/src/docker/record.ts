import type { StringMap } from './messages.ts';

/**
 * What of a pod Docker has no place for is kept in a label of its container; this and the plain labels beside it are
 * the driver's only memory, so that a later process finds everything.
 */
export const RECORD_LABEL = 'binnacle.dev/record';
export const POD_UID_LABEL = 'io.kubernetes.pod.uid';

interface Common {
  readonly uid: string;
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly name: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

export interface SandboxRecord extends Common {
  readonly kind: 'sandbox';
  readonly namespace: string;
  readonly hostNetwork: boolean;
}

export interface ContainerRecord extends Common {
  readonly kind: 'container';
  readonly sandboxId: string;
  /** As the pod's author wrote it. */
  readonly imageName: string;
  /** The log's file; empty: none. */
  readonly logPath: string;
  readonly tty: boolean;
}

export type DockerRecord = SandboxRecord | ContainerRecord;

/** The labels of a container that is ours. `more`: who owns it. */
export function recordLabels(record: DockerRecord, more: StringMap): StringMap {
  const plain =
    record.kind === 'sandbox'
      ? { 'io.kubernetes.pod.name': record.name, 'io.kubernetes.pod.namespace': record.namespace }
      : { 'io.kubernetes.container.name': record.name, 'io.kubernetes.sandbox.id': record.sandboxId };
  return {
    ...plain,
    'io.kubernetes.docker.type': record.kind === 'sandbox' ? 'podsandbox' : 'container',
    [POD_UID_LABEL]: record.uid,
    [RECORD_LABEL]: JSON.stringify(record),
    ...more,
  };
}

/** Undefined: not made by this driver. */
export function recordOf(labels: StringMap | null | undefined): DockerRecord | undefined {
  const text = labels?.[RECORD_LABEL];
  if (text === undefined) return undefined;
  let found: Partial<DockerRecord> | null;
  try {
    found = JSON.parse(text) as Partial<DockerRecord> | null;
  } catch {
    // Somebody else's label of that name.
    return undefined;
  }
  return found !== null && typeof found === 'object' && isRecord(found) ? found : undefined;
}

function isRecord(found: Partial<DockerRecord>): found is DockerRecord {
  const texts = ['uid', 'name', ...(found.kind === 'sandbox' ? ['namespace'] : ['sandboxId', 'imageName', 'logPath'])];
  const values = found as { readonly [name: string]: unknown };
  return (
    (found.kind === 'sandbox' || found.kind === 'container') &&
    texts.every((name) => typeof values[name] === 'string') &&
    typeof found.attempt === 'number' &&
    typeof found.createdAt === 'number' &&
    isTexts(found.labels) &&
    isTexts(found.annotations)
  );
}

function isTexts(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && Object.values(value).every((one: unknown) => typeof one === 'string')
  );
}
