import { base64ToBytes } from '@binnacle/base';
import type { ConfigMap, DownwardAPIVolumeFile, KeyToPath, Pod, Secret, VolumeProjection } from '@binnacle/api/core/v1';
import { fieldValue, resourceValue } from '../container/field-path.ts';
import { allContainers } from '../container/pod-containers.ts';
import { UnsupportedError, VolumeError } from '../errors.ts';
import type { VolumeCall } from './driver.ts';
import { trustAnchors } from './trust-anchors.ts';

export type PayloadInput = Pick<VolumeCall, 'pod' | 'volume' | 'holder' | 'objects' | 'node' | 'now'>;

export interface PayloadFile {
  readonly content: Uint8Array;
  readonly mode: number;
  /** The user it belongs to; absent: root. */
  readonly owner?: number;
}

export interface Payload {
  /** By path within the volume. */
  readonly files: ReadonlyMap<string, PayloadFile>;
  /** When a token in it wants renewal; Infinity: never. */
  readonly refreshAt: number;
}

const DEFAULT_MODE = 0o644;
const TOKEN_MODE = 0o600;
const TOKEN_SECONDS = 3600;
const TOKEN_MAX_AGE_MS = 24 * 3600 * 1000;

/** What a configMap, secret, downwardAPI or projected volume holds now. Throws VolumeError for what is missing. */
export async function volumePayload(input: PayloadInput): Promise<Payload> {
  const { volume } = input;
  const files = new Map<string, PayloadFile>();
  const into: Target = { files, refreshAt: Infinity };
  if (volume.configMap !== undefined) {
    await addProjection(input, { configMap: { ...volume.configMap } }, { into, mode: volume.configMap.defaultMode });
  } else if (volume.secret !== undefined) {
    const { secretName, items, optional, defaultMode } = volume.secret;
    const secret = {
      ...(secretName === undefined ? {} : { name: secretName }),
      ...(items === undefined ? {} : { items }),
      ...(optional === undefined ? {} : { optional }),
    };
    await addProjection(input, { secret }, { into, mode: defaultMode });
  } else if (volume.downwardAPI !== undefined) {
    const { items = [], defaultMode } = volume.downwardAPI;
    await addProjection(input, { downwardAPI: { items } }, { into, mode: defaultMode });
  } else {
    for (const source of volume.projected?.sources ?? []) {
      await addProjection(input, source, { into, mode: volume.projected?.defaultMode });
    }
  }
  return { files, refreshAt: into.refreshAt };
}

interface Target {
  readonly files: Map<string, PayloadFile>;
  refreshAt: number;
}

interface Placing {
  readonly into: Target;
  readonly mode: number | undefined;
}

async function addProjection(input: PayloadInput, source: VolumeProjection, place: Placing): Promise<void> {
  const namespace = input.pod.metadata.namespace ?? '';
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle } = source;
  if (configMap !== undefined) {
    const name = configMap.name ?? '';
    const object = await input.objects?.configMap(namespace, name, input.holder);
    if (object === undefined && configMap.optional !== true)
      throw new VolumeError(name, `configmap "${name}" not found`);
    addItems(configMapFiles(object), { ...configMap, what: 'config' }, place);
  }
  if (secret !== undefined) {
    const name = secret.name ?? '';
    const object = await input.objects?.secret(namespace, name, input.holder);
    if (object === undefined && secret.optional !== true) throw new VolumeError(name, `secret "${name}" not found`);
    addItems(secretFiles(object), { ...secret, what: 'secret' }, place);
  }
  for (const item of downwardAPI?.items ?? []) addDownward(input, item, place);
  if (clusterTrustBundle !== undefined) {
    put(place, clusterTrustBundle.path, {
      content: new TextEncoder().encode(await trustAnchors(clusterTrustBundle, input.objects, input.holder)),
      ...tokenAccess(input.pod, place.mode),
    });
  }
  if (serviceAccountToken !== undefined) {
    const { objects } = input;
    if (objects === undefined) throw new UnsupportedError('no API server to ask for a service account token');
    const seconds = serviceAccountToken.expirationSeconds ?? TOKEN_SECONDS;
    const { token, expiresAt } = await objects.token(input.pod, serviceAccountToken.audience ?? '', seconds);
    put(place, serviceAccountToken.path, {
      content: new TextEncoder().encode(token),
      ...tokenAccess(input.pod, place.mode),
    });
    // Renewed when four fifths of its life are over, and every day.
    const due = Math.min(input.now + (expiresAt - input.now) * 0.8, input.now + TOKEN_MAX_AGE_MS);
    place.into.refreshAt = Math.min(place.into.refreshAt, due);
  }
}

/** A token, or what is kept as one, is read by the one user that all containers run as, or by the group of the volumes; else by all. */
function tokenAccess(pod: Pod, mode: number | undefined): Pick<PayloadFile, 'mode' | 'owner'> {
  const owner = commonUser(pod);
  const kept = owner !== undefined || pod.spec.securityContext?.fsGroup !== undefined;
  return { mode: kept ? TOKEN_MODE : (mode ?? DEFAULT_MODE), ...(owner === undefined ? {} : { owner }) };
}

/** The user that every container is set to run as, where they agree. */
function commonUser(pod: Pod): number | undefined {
  const shared = pod.spec.securityContext?.runAsUser;
  const users = new Set(allContainers(pod).map((c) => c.securityContext?.runAsUser ?? shared));
  const [only] = users;
  return users.size === 1 ? only : undefined;
}

function configMapFiles(object: ConfigMap | undefined): Map<string, Uint8Array> {
  const encoder = new TextEncoder();
  const files = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(object?.data ?? {})) files.set(key, encoder.encode(text));
  for (const [key, base64] of Object.entries(object?.binaryData ?? {})) files.set(key, base64ToBytes(base64));
  return files;
}

function secretFiles(object: Secret | undefined): Map<string, Uint8Array> {
  return new Map(Object.entries(object?.data ?? {}).map(([key, base64]) => [key, base64ToBytes(base64)]));
}

function addItems(
  content: ReadonlyMap<string, Uint8Array>,
  wanted: { readonly items?: readonly KeyToPath[]; readonly optional?: boolean; readonly what: string },
  place: Placing,
): void {
  const mode = place.mode ?? DEFAULT_MODE;
  if (wanted.items === undefined || wanted.items.length === 0) {
    for (const [key, bytes] of content) put(place, key, { content: bytes, mode });
    return;
  }
  for (const item of wanted.items) {
    const bytes = content.get(item.key);
    if (bytes !== undefined) put(place, item.path, { content: bytes, mode: item.mode ?? mode });
    else if (wanted.optional !== true)
      throw new VolumeError(item.key, `references non-existent ${wanted.what} key: ${item.key}`);
  }
}

function addDownward(input: PayloadInput, item: DownwardAPIVolumeFile, place: Placing): void {
  const text =
    item.fieldRef !== undefined
      ? fieldValue(input.pod, item.fieldRef.fieldPath, { podIPs: [], hostIPs: [] })
      : downwardResource(input, item);
  put(place, item.path, { content: new TextEncoder().encode(text), mode: item.mode ?? place.mode ?? DEFAULT_MODE });
}

function downwardResource(input: PayloadInput, item: DownwardAPIVolumeFile): string {
  const ref = item.resourceFieldRef;
  const container = allContainers(input.pod).find((c) => c.name === ref?.containerName);
  if (ref === undefined || container === undefined) {
    throw new VolumeError(item.path, `container ${ref?.containerName ?? ''} not found`);
  }
  return resourceValue(container, ref, input.node);
}

/** A path that leaves the volume is refused. */
function put(place: Placing, path: string, file: PayloadFile): void {
  if (path === '' || path.startsWith('/') || path.startsWith('..') || path.split('/').includes('..')) {
    throw new VolumeError(path, `invalid path: ${path}`);
  }
  place.into.files.set(path, file);
}
