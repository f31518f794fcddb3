import { type VolumeError, VolumeUnprocessed, VolumesError, type VolumeWait } from '../errors.ts';

/** How often a pod is looked at whose volumes others have to do something for. */
const RESYNC_MS = 10_000;

/** What went wrong in one setting up of a pod's volumes. */
export class VolumeFailures {
  readonly #mounts: VolumeError[] = [];
  readonly #told: string[] = [];
  readonly #unattached: string[] = [];
  readonly #unprocessed: { readonly volume: string; readonly error: VolumeError }[] = [];
  #wait: VolumeWait | undefined;
  #retryMs = Infinity;

  /** It could not be mounted: when it may be tried again, and whether people are to be told. */
  mount(error: VolumeError, of: { readonly retryMs: number; readonly isTold: boolean }): void {
    this.#mounts.push(error);
    this.#retryMs = Math.min(this.#retryMs, of.retryMs);
    if (of.isTold) this.#told.push(error.message);
  }

  /** Others have to do something first. */
  others(volume: string, error: VolumeUnprocessed | VolumeWait): void {
    this.#retryMs = Math.min(this.#retryMs, RESYNC_MS);
    if (error instanceof VolumeUnprocessed) this.#unprocessed.push({ volume, error });
    else {
      this.#unattached.push(volume);
      this.#wait ??= error;
    }
  }

  /** Throws VolumesError for what failed, else VolumeWait for what is waited for; `unmounted`: what the pod has not got yet. */
  raise(unmounted: readonly string[]): void {
    const errors = [...this.#mounts, ...this.#unprocessed.map(({ error }) => error)];
    if (errors.length === 0) {
      if (this.#wait !== undefined) throw this.#wait;
      return;
    }
    const isTold = this.#unprocessed.length > 0 && unmounted.length > 0;
    const told = isTold ? [...this.#told, this.#summary(unmounted)] : this.#told;
    throw new VolumesError(errors, { told, retryMs: this.#retryMs });
  }

  /** In upstream's words. */
  #summary(unmounted: readonly string[]): string {
    const list = (names: readonly string[]): string => `[${names.toSorted().join(' ')}]`;
    const parts = [
      `unmounted volumes=${list(unmounted)}`,
      `unattached volumes=${list(this.#unattached)}`,
      `failed to process volumes=${list(this.#unprocessed.map(({ volume }) => volume))}`,
    ];
    const why = this.#unprocessed.map(({ error }) => error.message).join('; ');
    return `Unable to attach or mount volumes: ${parts.join(', ')}: ${why}`;
  }
}
