import type { ImageStatus, RegistryAuth } from '@binnacle/runtime';
import { isImageName } from '@binnacle/runtime';
import { buildBusyboxImage, buildRootImage } from '@binnacle/runtime/cri';
import { CommandFailedError, UsageError } from '../errors.ts';
import { readImageConfig } from '../host/image-config.ts';
import { imageRows } from '../host/image-table.ts';
import { imagePlaces, openImages } from '../host/node-images.ts';
import type { ImagePlace, NodeImages } from '../host/node-images.ts';
import { renderTable } from '../host/pod-table.ts';

/** The page that the example's web server shows. */
const PAGE = '<!doctype html><title>Binnacle</title><h1>It runs.</h1>\n';

interface ImageFlags {
  readonly dataDir: string;
}

/** Acts on the images of all nodes of the running cluster, one after the other. Throws CommandFailedError where none runs. */
async function onEachNode(
  { dataDir }: ImageFlags,
  act: (images: NodeImages, place: ImagePlace) => Promise<void>,
): Promise<void> {
  for (const place of imagePlaces(dataDir)) {
    const images = await openImages(place);
    try {
      await act(images, place);
    } finally {
      await images.close();
    }
  }
}

const say = (sentence: string): boolean => process.stderr.write(`binnacle: ${sentence}\n`);

/** `binnacle image load FILE…`: archives into the nodes. */
export async function loadImages(files: readonly string[], flags: ImageFlags): Promise<void> {
  await onEachNode(flags, async (images) => {
    for (const file of files) await images.load(file);
  });
  for (const file of files) say(`loaded ${file}`);
}

/** `binnacle image ls`: what the nodes have. */
export async function listImages(flags: ImageFlags & { readonly output?: 'json' }): Promise<void> {
  const all: { readonly node: string; readonly images: readonly ImageStatus[] }[] = [];
  await onEachNode(flags, async (images, { node }) => void all.push({ node, images: await images.list() }));
  if (flags.output === 'json') {
    const items = all.flatMap(({ node, images }) =>
      images.map((image) => ({ ...(node === '' ? {} : { node }), ...image })),
    );
    process.stdout.write(`${JSON.stringify({ images: items })}\n`);
    return;
  }
  const isOne = all.length === 1;
  const heads = ['IMAGE', 'TAG', 'IMAGE ID', 'SIZE'];
  const rows = all.flatMap(({ node, images }) => imageRows(images).map((row) => (isOne ? row : [node, ...row])));
  process.stdout.write(renderTable(isOne ? heads : ['NODE', ...heads], rows));
}

/** `binnacle image pull NAME…`: from their registries into the nodes. */
export async function pullImages(
  names: readonly string[],
  flags: ImageFlags & { readonly creds?: string },
): Promise<void> {
  const auth = credentials(flags.creds);
  await onEachNode(flags, async (images) => {
    for (const name of names) await images.pull(name, auth);
  });
  for (const name of names) say(`pulled ${name}`);
}

/** `binnacle image rm NAME…`: off the nodes, with all their names; containers that run go on. */
export async function removeImages(names: readonly string[], flags: ImageFlags): Promise<void> {
  const unknown = new Set(names);
  await onEachNode(flags, async (images) => {
    for (const name of names) {
      if ((await images.status(name)) === undefined) continue;
      unknown.delete(name);
      await images.remove(name);
    }
  });
  for (const name of names) if (!unknown.has(name)) say(`removed ${name}`);
  if (unknown.size > 0) throw new CommandFailedError(`no such image: ${[...unknown].join(', ')}`);
}

/** `user:password`; the password may have colons. */
function credentials(text: string | undefined): RegistryAuth | undefined {
  if (text === undefined) return undefined;
  const at = text.indexOf(':');
  if (at < 1) throw new UsageError('--creds is user:password');
  return { username: text.slice(0, at), password: text.slice(at + 1) };
}

/** `binnacle image build ROOT`: an archive of a folder or of a root file system. */
export async function buildImage(
  root: string,
  options: { readonly output: string; readonly ref: readonly string[]; readonly config?: string },
): Promise<void> {
  const bad = options.ref.find((name) => !isImageName(name) || name.includes('@'));
  if (bad !== undefined) throw new UsageError(`--ref ${bad} is no name of an image`);
  const config = options.config === undefined ? {} : await readImageConfig(options.config);
  const digest = await buildRootImage(root, { refs: options.ref, config }, options.output);
  say(`wrote ${options.ref.join(', ')} to ${options.output} (${digest})`);
}

/** `binnacle image build-example FILE`: the image of examples/, from this machine's busybox. */
export async function buildExampleImage(
  file: string,
  options: { readonly ref: string; readonly entrypoint?: string },
): Promise<void> {
  const { entrypoint } = options;
  const web = { Cmd: ['httpd', '-f', '-p', '80', '-h', '/www'], ExposedPorts: { '80/tcp': {} } };
  await buildBusyboxImage(file, {
    refs: [options.ref],
    files: [
      { kind: 'directory', path: 'www', mode: 0o755 },
      { kind: 'file', path: 'www/index.html', content: new TextEncoder().encode(PAGE), mode: 0o644 },
    ],
    config: entrypoint === undefined ? web : { Entrypoint: [entrypoint], Cmd: [] },
  });
  process.stderr.write(`binnacle: wrote ${options.ref} to ${file}\n`);
}
