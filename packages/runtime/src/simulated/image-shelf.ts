import { fnv1a } from '@binnacle/base';
import { normalizeImageName } from '../image-name.ts';
import type { ImageStatus } from '../image-port.ts';

const SIMULATED_SIZE_BYTES = 1 << 20;

/** The images of a simulated node: every name is present until it was removed or a script says that it is absent. */
export class ImageShelf {
  readonly #present = new Map<string, ImageStatus>();
  readonly #removed = new Set<string>();

  /** `scripted`: a script asked for the image not to be there until pulled. */
  find(image: string, scripted: boolean): ImageStatus | undefined {
    const known = this.#byNameOrId(image);
    if (known !== undefined) return known;
    if (scripted || image.startsWith('sha256:') || this.#removed.has(normalizeImageName(image))) return undefined;
    return this.add(image);
  }

  add(image: string): ImageStatus {
    const name = normalizeImageName(image);
    const digest = fingerprint(name);
    const byDigest = name.includes('@');
    const repository = name.split('@')[0]?.replace(/:[^:/]*$/, '') ?? name;
    const status: ImageStatus = {
      id: `sha256:${digest}`,
      tags: byDigest ? [] : [name],
      digests: [byDigest ? name : `${repository}@sha256:${digest}`],
      sizeBytes: SIMULATED_SIZE_BYTES,
    };
    this.#removed.delete(name);
    this.#present.set(name, status);
    return status;
  }

  remove(image: string): void {
    const known = this.#byNameOrId(image);
    if (known === undefined) {
      this.#removed.add(normalizeImageName(image));
      return;
    }
    for (const [name, status] of this.#present) {
      if (status.id !== known.id) continue;
      this.#present.delete(name);
      this.#removed.add(name);
    }
  }

  list(): ImageStatus[] {
    return [...this.#present.values()];
  }

  #byNameOrId(image: string): ImageStatus | undefined {
    const known = this.#present.get(normalizeImageName(image));
    if (known !== undefined || !image.startsWith('sha256:')) return known;
    for (const status of this.#present.values()) if (status.id === image) return status;
    return undefined;
  }
}

/** 64 hexadecimal digits that depend on the name only (FNV-1a under eight seeds): an identity, no cryptography. */
function fingerprint(name: string): string {
  let out = '';
  for (let lane = 0; lane < 8; lane++) {
    const seed = 0x811c9dc5 ^ Math.imul(lane + 1, 0x9e3779b9);
    out += fnv1a(name, seed).toString(16).padStart(8, '0');
  }
  return out;
}
