import { failureOf } from '@binnacle/grpc';
import { ImagePullError } from '../errors.ts';
import type { ImageStatus, ImageUser, RegistryAuth, RuntimeFilesystems } from '../image-port.ts';
import { type CriCalls, NO_TIMEOUT } from './calls.ts';
import { toRuntimeError } from './failure.ts';
import { fromFilesystem, fromImage, toAuthMessage } from './translate.ts';

/** CRI's image service. */
export class CriImages {
  readonly #calls: CriCalls;
  readonly #endpoint: string;

  constructor(calls: CriCalls, endpoint: string) {
    this.#calls = calls;
    this.#endpoint = endpoint;
  }

  async status(image: string, pod?: ImageUser): Promise<ImageStatus | undefined> {
    const answer = await this.#calls.call(
      'ImageStatus',
      { image: imageSpec(image, pod) },
      { what: 'image', id: image },
    );
    return answer.image === null ? undefined : fromImage(answer.image);
  }

  /** As long as it takes: an image may be large and its registry slow. */
  async pull(image: string, pod?: ImageUser, auth?: RegistryAuth): Promise<string> {
    const request = { image: imageSpec(image, pod), ...(auth === undefined ? {} : { auth: toAuthMessage(auth) }) };
    try {
      // A registry's words come back in the refusal: it must not end what is under way for others.
      return (await this.#calls.apart('PullImage', request, NO_TIMEOUT)).image_ref;
    } catch (error) {
      const failure = toRuntimeError(error, this.#endpoint, { what: 'image', id: image });
      if (failure.code === 'runtime-unavailable') throw failure;
      throw new ImagePullError(image, failureOf(error).details, { cause: error });
    }
  }

  async list(): Promise<readonly ImageStatus[]> {
    return (await this.#calls.call('ListImages', {})).images.map(fromImage);
  }

  /** Of several file systems the first one counts, as for upstream's kubelet. */
  async filesystems(): Promise<RuntimeFilesystems | undefined> {
    const { image_filesystems: images, container_filesystems: layers } = await this.#calls.call('ImageFsInfo', {});
    const [ofImages] = images.flatMap(fromFilesystem);
    const [ofLayers] = layers.flatMap(fromFilesystem);
    if (ofImages === undefined) return undefined;
    return { images: ofImages, ...(ofLayers === undefined ? {} : { layers: ofLayers }) };
  }

  async remove(image: string): Promise<void> {
    await this.#calls.call('RemoveImage', { image: { image } }, { what: 'image', id: image });
  }
}

function imageSpec(image: string, pod: ImageUser | undefined): object {
  return { image, annotations: pod?.annotations ?? {} };
}
