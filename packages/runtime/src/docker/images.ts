import { createReadStream } from 'node:fs';
import { HttpConnectError, LineSplitter } from '@binnacle/base';
import { ImagePullError, RuntimeError, RuntimeNotFoundError, RuntimeUnavailableError } from '../errors.ts';
import { normalizeImageName } from '../image-name.ts';
import type { ImageStatus, RegistryAuth } from '../image-port.ts';
import { DockerApi } from './api.ts';
import type { ImageMessage } from './messages.ts';
import { fromImage } from './translate.ts';

const PROGRESS_LINE_BYTES_MAX = 1 << 20;

/** The images of a Docker Engine. */
export class DockerImages {
  readonly #api: DockerApi;

  constructor(api: DockerApi) {
    this.#api = api;
  }

  async status(image: string): Promise<ImageStatus | undefined> {
    const found = await this.#inspect(image);
    return found === undefined ? undefined : fromImage(found);
  }

  /** The user that an image names; empty: none. */
  async userOf(image: string): Promise<string> {
    return (await this.#inspect(image))?.Config?.User ?? '';
  }

  async pull(image: string, auth: RegistryAuth | undefined): Promise<string> {
    const name = normalizeImageName(image);
    const headers = auth === undefined ? {} : { 'x-registry-auth': authHeader(auth) };
    const path = `/images/create?fromImage=${encodeURIComponent(name)}`;
    try {
      const { body } = await this.#api.open({ method: 'POST', path, headers, timeoutMs: 0 });
      await readProgress(body);
    } catch (error) {
      if (error instanceof RuntimeUnavailableError) throw error;
      if (error instanceof HttpConnectError) throw new RuntimeUnavailableError(this.#api.endpoint, error);
      throw new ImagePullError(image, (error as Error).message, { cause: error });
    }
    const found = await this.#inspect(name);
    if (found === undefined) throw new ImagePullError(image, `Docker pulled ${image}, and does not have it`);
    return found.Id;
  }

  async list(): Promise<readonly ImageStatus[]> {
    return (await this.#api.call<readonly ImageMessage[]>({ method: 'GET', path: '/images/json' })).map(fromImage);
  }

  /** All its names go, and then the image itself. */
  async remove(image: string): Promise<void> {
    const found = await this.#inspect(image);
    if (found === undefined) return;
    for (const name of [...(found.RepoTags ?? []), ...(found.RepoDigests ?? []), found.Id]) {
      try {
        await this.#api.call({ method: 'DELETE', path: `/images/${inPath(name)}`, about: { what: 'image', id: name } });
      } catch (error) {
        // Its last name took it along.
        if (!(error instanceof RuntimeNotFoundError)) throw error;
      }
    }
  }

  /** Loads an archive of images: Docker's own format; OCI's where the engine reads it (25 and later). */
  async load(file: string): Promise<void> {
    const { body } = await this.#api.open({
      method: 'POST',
      path: '/images/load?quiet=1',
      body: createReadStream(file) as AsyncIterable<Uint8Array>,
      timeoutMs: 0,
    });
    await readProgress(body);
  }

  async #inspect(image: string): Promise<ImageMessage | undefined> {
    const path = `/images/${inPath(image)}/json`;
    try {
      return await this.#api.call<ImageMessage>({ method: 'GET', path, about: { what: 'image', id: image } });
    } catch (error) {
      if (error instanceof RuntimeNotFoundError) return undefined;
      throw error;
    }
  }
}

/** The images of the engine behind `endpoint` (`unix://…`), for who wants nothing else of it; its owner closes them. */
export function openDockerImages(endpoint: string): DockerImages & { close(): Promise<void> } {
  const api = new DockerApi(endpoint);
  return Object.assign(new DockerImages(api), { close: () => api.close() });
}

const NAME = /^[\w][\w.:@/-]*$/;

/** Throws RuntimeError for what is no name of an image: it would be another path. */
function inPath(image: string): string {
  if (NAME.test(image) && !/\/[./]/.test(image)) return image;
  throw new RuntimeError(`invalid reference format: ${JSON.stringify(image)}`, { code: 'image-name' });
}

/** A pull and a load answer 200 at once and tell what goes wrong in a line of their progress. Throws RuntimeError. */
async function readProgress(body: AsyncIterable<Uint8Array>): Promise<void> {
  const splitter = new LineSplitter(PROGRESS_LINE_BYTES_MAX);
  for await (const chunk of body) {
    const lines = splitter.push(chunk);
    if (lines === undefined) throw new RuntimeError('Docker tells of its progress without an end');
    lines.forEach(checkProgress);
  }
  checkProgress(splitter.flush());
}

function checkProgress(line: string): void {
  if (!line.trimStart().startsWith('{')) return;
  const { error } = JSON.parse(line) as { readonly error?: unknown };
  if (typeof error === 'string') throw new RuntimeError(error);
}

function authHeader({ username, password, identityToken, registryToken }: RegistryAuth): string {
  const fields = {
    username,
    password,
    ...(identityToken === undefined ? {} : { identitytoken: identityToken }),
    ...(registryToken === undefined ? {} : { registrytoken: registryToken }),
  };
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}
