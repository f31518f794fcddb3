import type { FieldError, KubeObject } from '@binnacle/machinery';
import type { KindBehaviour } from './behaviour.ts';

/** Everything that is wrong with an object; `before` is absent for a new one. */
export type LateCheck = (object: KubeObject, before?: KubeObject) => FieldError[];

/**
 * Checks of a kind whose code is large and seldom needed: it is loaded with the first object that needs it, before
 * that object is validated.
 */
export function lateChecks(
  isNeeded: (object: KubeObject) => boolean,
  load: () => Promise<LateCheck>,
): Pick<KindBehaviour, 'strategy' | 'checks'> {
  let check: LateCheck | undefined;
  const errorsOf: LateCheck = (object, before) => (isNeeded(object) ? (check?.(object, before) ?? []) : []);
  return {
    strategy: {
      async allocate(object) {
        if (check === undefined && isNeeded(object)) check = await load();
        return undefined;
      },
    },
    checks: { validate: (object) => errorsOf(object), validateUpdate: errorsOf },
  };
}
