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

/**
 * Writes an OCI image archive (one layer) to `out`, for `importImage`, `ctr images import`, `docker load`
 * and `skopeo copy oci-archive:`. Equal input gives equal bytes. Answers with the manifest's digest.
 */
export async function writeOciArchive(image: OciImage, out: string): Promise<string> {
  const layerTar = writeTar(image.files);
  const layer = describe(TYPES.layer, await compress(layerTar));
  const config = describe(TYPES.config, encode(configOf(image, digestOf(layerTar))));
  const body = { schemaVersion: 2, mediaType: TYPES.manifest, config: config.descriptor, layers: [layer.descriptor] };
  const manifest = describe(TYPES.manifest, encode(body));
  const index = {
    schemaVersion: 2,
    mediaType: TYPES.index,
    manifests: image.refs.map((ref) => ({ ...manifest.descriptor, annotations: annotationsOf(ref) })),
  };
  const archive = writeTar([
    { kind: 'file', path: 'oci-layout', content: encode({ imageLayoutVersion: '1.0.0' }) },
    { kind: 'file', path: 'index.json', content: encode(index) },
    { kind: 'file', path: 'manifest.json', content: encode(dockerManifest(image, config, layer)) },
    { kind: 'directory', path: 'blobs' },
    { kind: 'directory', path: 'blobs/sha256' },
    ...[config, layer, manifest].map((blob) => blob.entry),
  ]);
  await writeFile(out, archive);
  return manifest.descriptor.digest;
}

interface Blob {
  readonly descriptor: { readonly mediaType: string; readonly digest: string; readonly size: number };
  readonly entry: TarEntry;
}

function describe(mediaType: string, content: Uint8Array): Blob {
  const digest = digestOf(content);
  return {
    descriptor: { mediaType, digest, size: content.length },
    entry: { kind: 'file', path: `blobs/${digest.replace(':', '/')}`, content },
  };
}

function configOf(image: OciImage, diffId: string): object {
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
function dockerManifest({ refs }: OciImage, config: Blob, layer: Blob): object[] {
  return [{ Config: config.entry.path, RepoTags: refs.map(normalizeImageName), Layers: [layer.entry.path] }];
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
