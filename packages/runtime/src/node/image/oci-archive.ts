import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { normalizeImageName } from '../../image-name.ts';
import { type TarEntry, writeTar } from './tar.ts';

/** The configuration of an image, as in OCI's image specification. */
export interface ImageConfig {
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly WorkingDir?: string;
  readonly User?: string;
  readonly StopSignal?: string;
  readonly ExposedPorts?: { readonly [port: string]: object };
  readonly Labels?: { readonly [key: string]: string };
  /** Folders that a container gets as volumes of its own. */
  readonly Volumes?: { readonly [path: string]: object };
}

/** An image of one layer. */
export interface OciImage {
  /** Names it gets, e.g. `busybox:1.35` (stored as `docker.io/library/busybox:1.35`). At least one. */
  readonly refs: readonly string[];
  /** The root file system, one layer. Directories before what is in them. */
  readonly files: readonly TarEntry[];
  readonly config: ImageConfig;
  /** GOARCH; default: this machine's. */
  readonly architecture?: string;
}

const TYPES = {
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
};
const EPOCH = '1970-01-01T00:00:00Z';
const ENCODER = new TextEncoder();
const compress = promisify(gzip);

/** The one layer of an image, packed. */
export interface Layer {
  /** Of the packed bytes. */
  readonly digest: string;
  readonly size: number;
  /** The digest of the tar archive within. */
  readonly diffId: string;
}

/**
 * Writes an OCI image archive (one layer) to `out`, for `importImage`, `ctr images import`, `docker load`
 * and `skopeo copy oci-archive:`. Equal input gives equal bytes. Answers with the manifest's digest.
 */
export async function writeOciArchive(image: OciImage, out: string): Promise<string> {
  const layerTar = writeTar(image.files);
  const packed = await compress(layerTar);
  const layer = { digest: digestOf(packed), size: packed.length, diffId: digestOf(layerTar) };
  const { digest, entries } = describeImage(image, layer);
  await writeFile(out, writeTar([...entries, { kind: 'file', path: blobPath(layer.digest), content: packed }]));
  return digest;
}

/** Everything of an image's archive but its layer, which is to stand at `blobPath`; and the manifest's digest. */
export function describeImage(
  image: Omit<OciImage, 'files'>,
  layer: Layer,
): { readonly digest: string; readonly entries: readonly TarEntry[] } {
  const config = describe(TYPES.config, encode(configOf(image, layer.diffId)));
  const layers = [{ mediaType: TYPES.layer, digest: layer.digest, size: layer.size }];
  const body = { schemaVersion: 2, mediaType: TYPES.manifest, config: config.descriptor, layers };
  const manifest = describe(TYPES.manifest, encode(body));
  const index = {
    schemaVersion: 2,
    mediaType: TYPES.index,
    manifests: image.refs.map((ref) => ({ ...manifest.descriptor, annotations: annotationsOf(ref) })),
  };
  const entries: readonly TarEntry[] = [
    { kind: 'file', path: 'oci-layout', content: encode({ imageLayoutVersion: '1.0.0' }) },
    { kind: 'file', path: 'index.json', content: encode(index) },
    { kind: 'file', path: 'manifest.json', content: encode(dockerManifest(image.refs, config, layer)) },
    { kind: 'directory', path: 'blobs' },
    { kind: 'directory', path: 'blobs/sha256' },
    ...[config, manifest].map((blob) => blob.entry),
  ];
  return { digest: manifest.descriptor.digest, entries };
}

/** Where an archive has what has this digest. */
export function blobPath(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

interface Blob {
  readonly descriptor: { readonly mediaType: string; readonly digest: string; readonly size: number };
  readonly entry: TarEntry;
}

function describe(mediaType: string, content: Uint8Array): Blob {
  const digest = digestOf(content);
  return {
    descriptor: { mediaType, digest, size: content.length },
    entry: { kind: 'file', path: blobPath(digest), content },
  };
}

function configOf(image: Omit<OciImage, 'files'>, diffId: string): object {
  return {
    created: EPOCH,
    architecture: image.architecture ?? machineArchitecture(),
    os: 'linux',
    config: image.config,
    rootfs: { type: 'layers', diff_ids: [diffId] },
    history: [{ created: EPOCH, created_by: 'binnacle' }],
  };
}

/** What Docker Engine before 25 reads in place of the index. */
function dockerManifest(refs: readonly string[], config: Blob, layer: Layer): object[] {
  return [{ Config: config.entry.path, RepoTags: refs.map(normalizeImageName), Layers: [blobPath(layer.digest)] }];
}

function annotationsOf(ref: string): { [key: string]: string } {
  const name = normalizeImageName(ref);
  return {
    'io.containerd.image.name': name,
    'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
  };
}

/** Go's name for the processor. */
function machineArchitecture(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}

function digestOf(content: Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

function encode(value: object): Uint8Array {
  return ENCODER.encode(JSON.stringify(value));
}
