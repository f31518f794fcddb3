import { readFileSync } from 'node:fs';
import { nodeHttp } from '@binnacle/base/node';
import type { AddressInfo } from 'node:net';
import { TestkitError } from './errors.ts';

/** A registry on loopback, over plain HTTP: to be pulled from. */
export interface ImageRegistry {
  /** `127.0.0.1:PORT`: what names of its images begin with. */
  readonly address: string;
  /** What was asked for, as paths. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
}

interface Index {
  readonly manifests: readonly Descriptor[];
}

const BLOCK = 512;

/** Serves the first image of each OCI archive under a name, by any tag. (OCI distribution, what pulling needs of it.) */
export async function serveImages(
  archives: { readonly [name: string]: string },
  /** `name:password` that must be given; absent: anybody is served. */
  user?: string,
): Promise<ImageRegistry> {
  const wanted = user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`;
  const blobs = new Map<string, Uint8Array>();
  const images = new Map(
    Object.entries(archives).map(([name, path]) => {
      const files = readTar(readFileSync(path));
      for (const [file, content] of files) if (file.startsWith('blobs/')) blobs.set(digestOf(file), content);
      return [name, manifestOf(files)] as const;
    }),
  );
  const asked: string[] = [];
  const server = nodeHttp().createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    if (wanted !== undefined && request.headers.authorization !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end();
      return;
    }
    const [, name = '', kind, reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/(.+)$/.exec(path) ?? [];
    const manifest = images.get(name);
    const digest = kind === 'manifests' && !reference.startsWith('sha256:') ? manifest?.digest : reference;
    const content = blobs.get(digest ?? '');
    if (path === '/v2/') response.end('{}');
    else if (content === undefined) response.writeHead(404).end();
    else {
      const type = kind === 'manifests' ? (manifest?.mediaType ?? '') : 'application/octet-stream';
      response.writeHead(200, {
        'content-type': type,
        'content-length': content.length,
        'docker-content-digest': digest,
      });
      response.end(request.method === 'HEAD' ? undefined : content);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function manifestOf(files: ReadonlyMap<string, Uint8Array>): Descriptor {
  const index = files.get('index.json');
  const manifests = index === undefined ? [] : (JSON.parse(new TextDecoder().decode(index)) as Index).manifests;
  const [manifest] = manifests;
  if (manifest === undefined) throw new TestkitError('the archive has no image');
  return manifest;
}

function digestOf(file: string): string {
  const [, algorithm = '', hash = ''] = file.split('/');
  return `${algorithm}:${hash}`;
}

/** The files of an archive that is not compressed. */
function readTar(archive: Buffer): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (let at = 0; at + BLOCK <= archive.length;) {
    const field = (from: number, length: number): string =>
      archive.toString('latin1', at + from, at + from + length).replace(/\0.*$/, '');
    const name = field(0, 100);
    if (name === '') break;
    const size = parseInt(field(124, 12), 8);
    files.set(name.replace(/^\.\//, ''), archive.subarray(at + BLOCK, at + BLOCK + size));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}
