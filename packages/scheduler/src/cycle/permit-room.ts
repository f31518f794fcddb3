import type { Refusal } from '../plan/framework.ts';

/** Pods that `permit` holds back: others can turn them away before their wait is over. */
export class PermitRoom {
  readonly #waiting = new Map<string, (refusal: Refusal) => void>();

  /** Waits for the permission, or for somebody who takes it away. */
  async hold(uid: string, permission: Promise<Refusal | undefined>): Promise<Refusal | undefined> {
    const rejected = Promise.withResolvers<Refusal>();
    this.#waiting.set(uid, rejected.resolve);
    try {
      return await Promise.race([permission, rejected.promise]);
    } finally {
      this.#waiting.delete(uid);
    }
  }

  /** False: the pod does not wait. */
  reject(uid: string, refusal: Refusal): boolean {
    const turnAway = this.#waiting.get(uid);
    turnAway?.(refusal);
    return turnAway !== undefined;
  }
}
