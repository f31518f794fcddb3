import { fnv1a, messageOf } from '@binnacle/base';
import { apiReferenceOf, kindRules, schemas, wellknown } from '@binnacle/api';
import type { Pod, Toleration } from '@binnacle/api/core/v1';
import { readYaml } from '@binnacle/machinery/yaml';
import { isPodUid } from '../container/pod-uid.ts';
import { ManifestError } from '../errors.ts';

export interface ManifestInput {
  /** Its path, or the address that it came from. */
  readonly file: string;
  readonly text: string;
  readonly nodeName: string;
  /** Milliseconds since the epoch, for the `seen` annotation. */
  readonly now: number;
  /** Absent: a file. */
  readonly source?: 'http';
}

/** One that tells of many may tell of so many: a node has room for far fewer. */
const PODS_MAX = 1_000;

/**
 * A static pod from a manifest, YAML or JSON: defaulted and validated as an API server would, and named after its
 * node. The UID is a hash of the node, the file and the content: another content is another pod. Throws ManifestError.
 */
export function readManifest(input: ManifestInput): Pod {
  return podOf(input, parse(input, ['Pod']));
}

/** Likewise, of one pod or of a PodList, all of them or none. Of two of one name the first counts. Throws ManifestError. */
export function readManifests(input: ManifestInput): readonly Pod[] {
  const raw = parse(input, ['Pod', 'PodList']);
  if (raw.kind === 'Pod') return [podOf(input, raw)];
  const { items = [] } = raw;
  if (!Array.isArray(items)) throw new ManifestError(input.file, 'items: no list');
  if (items.length > PODS_MAX) throw new ManifestError(input.file, `has more than ${PODS_MAX} pods`);
  const pods = new Map<string, Pod>();
  for (const [i, item] of items.entries()) {
    if (typeof item !== 'object' || item === null) throw new ManifestError(input.file, `items[${i}]: no object`);
    const pod = podOf(input, { ...item, apiVersion: 'v1', kind: 'Pod' });
    const key = `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`;
    if (!pods.has(key)) pods.set(key, pod);
  }
  return [...pods.values()];
}

function podOf(input: ManifestInput, raw: object): Pod {
  const { file, nodeName } = input;
  const pod = decode(file, raw);
  const hash = hashOf(`${nodeName}\n${file}\n${JSON.stringify(raw)}`);
  const uid = pod.metadata.uid || hash;
  // It names folders, which are removed with all that is in them.
  if (!isPodUid(uid)) throw new ManifestError(file, `metadata.uid: Invalid value: ${JSON.stringify(uid.slice(0, 80))}`);
  const metadata = {
    ...pod.metadata,
    name: `${pod.metadata.name ?? ''}-${nodeName.toLowerCase()}`,
    namespace: pod.metadata.namespace || 'default',
    uid,
    annotations: {
      ...pod.metadata.annotations,
      [wellknown.ANNOTATION_CONFIG_HASH]: uid,
      [wellknown.ANNOTATION_CONFIG_SEEN]: new Date(input.now).toISOString().replace('Z', '000000Z'),
      [wellknown.ANNOTATION_CONFIG_SOURCE]: input.source ?? 'file',
    },
  };
  const tolerations: Toleration[] = [...(pod.spec.tolerations ?? [])];
  if (!tolerations.some((t) => t.operator === 'Exists' && t.effect === 'NoExecute' && !t.key)) {
    tolerations.push({ operator: 'Exists', effect: 'NoExecute' });
  }
  const made: Pod = {
    ...pod,
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { ...pod.spec, nodeName, tolerations },
    status: { phase: 'Pending' },
  };
  validate(file, made);
  refuseReferences(file, made);
  return made;
}

interface RawManifest {
  readonly kind: string;
  readonly items?: unknown;
}

function parse(input: ManifestInput, kinds: readonly string[]): RawManifest {
  let raw: unknown;
  try {
    raw = readYaml(input.text).value;
  } catch (error) {
    throw new ManifestError(input.file, `no YAML or JSON: ${messageOf(error)}`, error);
  }
  if (typeof raw !== 'object' || raw === null) throw new ManifestError(input.file, 'no object in it');
  const { kind, apiVersion } = raw as { readonly kind?: unknown; readonly apiVersion?: unknown };
  if (apiVersion !== 'v1' || typeof kind !== 'string' || !kinds.includes(kind)) {
    const wanted = kinds.join(' or ');
    throw new ManifestError(input.file, `a v1 ${wanted} is wanted, this is ${String(apiVersion)} ${String(kind)}`);
  }
  return raw as RawManifest;
}

function decode(file: string, raw: object): Pod {
  try {
    const { value } = schemas.decode<Pod>('core.v1.Pod', raw);
    kindRules('', 'Pod').defaults?.(value);
    return value;
  } catch (error) {
    throw new ManifestError(file, messageOf(error), error);
  }
}

function validate(file: string, pod: Pod): void {
  const name = pod.metadata.name ?? '';
  const errors = kindRules('', 'Pod').validate?.(pod) ?? [];
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name))
    throw new ManifestError(file, `metadata.name: Invalid value: "${name}"`);
  if (errors.length > 0) throw new ManifestError(file, errors.map(String).join(', '));
}

/** Nothing of the API may be needed: the pod runs without one. */
function refuseReferences(file: string, pod: Pod): void {
  if ((pod.spec.ephemeralContainers?.length ?? 0) > 0)
    throw new ManifestError(file, 'static pods may not have ephemeral containers');
  const reference = apiReferenceOf(pod);
  if (reference !== undefined) throw new ManifestError(file, `static pods may not reference ${reference}`);
}

/** 128 bits in hex from four runs of FNV-1a; two files with one content are two pods. */
function hashOf(text: string): string {
  const seeds = [0x811c9dc5, 0x1b873593, 0xcc9e2d51, 0x85ebca6b];
  return seeds.map((seed, i) => fnv1a(`${i}${text}`, seed).toString(16).padStart(8, '0')).join('');
}
